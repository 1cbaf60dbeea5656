#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes an object file with the parts of ICU's data that trace-report uses: icu-data.py ARCHIVE OBJECT

ARCHIVE is lib_FoundationICU.a of a Swift toolchain, whose data take 34 MB: names of languages, units and zones,
converters, dictionaries. The reports compare and fold text, so collations, normalization and the properties of
characters stay. A program that is linked with OBJECT has these data in place of the archive's.

The format is that of ICU's common data: a header, the count of the items, for each the offsets of its name and of its
bytes, then the names and the items.
"""

import os
import re
import struct
import subprocess
import sys
import tempfile

SYMBOL_START, SYMBOL_END = "icudt", "_dat"
# Folders of data that only formats of numbers, dates and names read; their roots stay, on which ICU's own set-up depends.
FORMATS = {"curr", "lang", "region", "unit", "zone", "rbnf", "brkitr"}
ROOTS = {"root.res", "en.res", "en_US.res", "en_US_POSIX.res", "pool.res", "res_index.res", "supplementalData.res",
         "tzdbNames.res", "char.brk", "word.brk"}
# `de.res`, `zh_Hant_TW.res`: names and formats of a language; its collation is in the folder `coll`.
LOCALE = re.compile(r"[a-z]{2,3}(_\w+)?\.res")
UNUSED = (".cnv", ".spp", ".cfu", ".dict")


def is_needed(name):
    """Whether an item stays: `icudt76l/coll/de.res`, `icudt76l/nfc.nrm`."""
    folder, _, file = name.partition("/")[2].rpartition("/")
    if folder in FORMATS or not folder and LOCALE.fullmatch(file):
        return file in ROOTS
    return folder != "translit" and not file.endswith(UNUSED)


def items(data):
    """The header, and the name and the bytes of each item."""
    start = struct.unpack_from("<H", data)[0]
    count = struct.unpack_from("<I", data, start)[0]
    table = [struct.unpack_from("<II", data, start + 4 + 8 * index) for index in range(count)]
    ends = [offset for _, offset in table[1:]] + [len(data) - start]
    result = []
    for (name, begin), end in zip(table, ends):
        name_end = data.index(b"\0", start + name)
        result.append((data[start + name:name_end].decode(), data[start + begin:start + end]))
    return data[:start], result


def packed(header, kept):
    names, offset = b"", 4 + 8 * len(kept)
    name_offsets = []
    for name, _ in kept:
        name_offsets.append(offset + len(names))
        names += name.encode() + b"\0"
    names += b"\0" * (-(offset + len(names)) % 16)
    content, table, position = b"", struct.pack("<I", len(kept)), offset + len(names)
    chunks = []
    for (_, item), name_offset in zip(kept, name_offsets):
        item += b"\0" * (-len(item) % 16)
        table += struct.pack("<II", name_offset, position)
        chunks.append(item)
        position += len(item)
    content = b"".join(chunks)
    return header + table + names + content


def symbol_of(archive):
    """The member of the archive that has the data, and the data's symbol."""
    listing = subprocess.run(["nm", "-A", "--defined-only", archive], capture_output=True, text=True).stdout
    for line in listing.splitlines():
        name = line.split()[-1]
        if name.startswith(SYMBOL_START) and name.endswith(SYMBOL_END):
            return line.split(":")[1], name
    sys.exit(f"{archive} has no data of ICU")


def main(archive, output):
    member, symbol = symbol_of(archive)
    with tempfile.TemporaryDirectory() as folder:
        run = lambda *command: subprocess.run(command, cwd=folder, check=True)
        run("ar", "x", archive, member)
        run("objcopy", "-O", "binary", "-j", ".rodata", member, "data")
        with open(os.path.join(folder, "data"), "rb") as file:
            header, all_items = items(file.read())
        kept = [(name, item) for name, item in all_items if is_needed(name)]
        with open(os.path.join(folder, "kept"), "wb") as file:
            file.write(packed(header, kept))
        with open(os.path.join(folder, "data.s"), "w") as file:
            file.write(f'.section .rodata\n.balign 16\n.globl {symbol}\n.type {symbol}, @object\n{symbol}:\n'
                       f'.incbin "kept"\n.size {symbol}, .-{symbol}\n.section .note.GNU-stack,"",@progbits\n')
        run(os.environ.get("CC", "cc"), "-c", "data.s", "-o", "data.o")
        run("cp", "data.o", output)
    before, after = (sum(len(item) for _, item in group) for group in (all_items, kept))
    print(f"ICU's data: {before >> 10} KiB, {after >> 10} KiB of it kept")


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]))

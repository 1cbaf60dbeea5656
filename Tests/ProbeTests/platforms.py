# SPDX-License-Identifier: Apache-2.0
"""The probe of other platforms: musl, an older glibc, and arm64, which QEMU runs. --install builds what they need."""

import lzma
import os
import re
import shutil
import subprocess
import tarfile
import urllib.request

from harness import *

MUSL = os.path.join(BUILD, "musl")
ARM64 = os.path.join(BUILD, "arm64")
POOL = "http://deb.debian.org/debian/"


def install():
    """What the programs of this module need."""
    subprocess.run([os.path.join(ROOT, "Scripts", "probe-platforms.sh")], check=True)
    if not os.path.exists(os.path.join(MUSL, "libsqlite3.so.0")):
        _build_sqlite_for_musl()
    if not os.path.exists(os.path.join(ARM64, "usr", "bin", "sqlite3")):
        _unpack_arm64()


def _build_sqlite_for_musl():
    """SQLite as Debian's source package has it; its configure script makes the amalgamation by Tcl."""
    version = subprocess.run(["dpkg-query", "-W", "-f=${Version}", "libsqlite3-dev"], capture_output=True, text=True,
                             check=True).stdout.split("-")[0]
    archive, _ = urllib.request.urlretrieve(f"{POOL}pool/main/s/sqlite3/sqlite3_{version}.orig.tar.xz",
                                            os.path.join(scratch, "sqlite.tar.xz"))
    with tarfile.open(archive) as opened:
        opened.extractall(scratch)
    source = os.path.join(scratch, "sqlite3-" + version)
    subprocess.run("./configure >configure.log && make -s sqlite3.c >make.log", shell=True, cwd=source, check=True)
    os.makedirs(MUSL, exist_ok=True)
    for header in ("sqlite3.h", "sqlite3ext.h"):
        shutil.copy(os.path.join(source, header), MUSL)
    subprocess.run(["musl-gcc", "-O1", "-fPIC", "-shared", "-DSQLITE_ENABLE_FTS5", "-o", os.path.join(MUSL, "libsqlite3.so.0"),
                    "-Wl,-soname,libsqlite3.so.0", os.path.join(source, "sqlite3.c")], check=True)
    os.symlink("libsqlite3.so.0", os.path.join(MUSL, "libsqlite3.so"))


def _unpack_arm64():
    """Debian's packages for arm64, unpacked into a folder and not installed."""
    release = re.search(r"VERSION_CODENAME=(\w+)", open("/etc/os-release").read()).group(1)
    index = urllib.request.urlopen(f"{POOL}dists/{release}/main/binary-arm64/Packages.xz").read()
    packages = {}
    for text in lzma.decompress(index).decode().split("\n\n"):
        fields = dict(re.findall(r"^([\w-]+): (.*)$", text, re.M))
        packages[fields.get("Package")] = fields
    wanted, unpacked = ["sqlite3", "python3"], set()
    while wanted:
        name = wanted.pop()
        if name in unpacked or name not in packages:
            continue
        unpacked.add(name)
        needed = packages[name].get("Depends", "") + "," + packages[name].get("Pre-Depends", "")
        wanted += re.findall(r"(?:^|,)\s*([a-z0-9.+-]+)", needed)
        archive, _ = urllib.request.urlretrieve(POOL + packages[name]["Filename"], os.path.join(scratch, "package.deb"))
        subprocess.run(["dpkg", "-x", archive, ARM64 + ".new"], check=True)
    os.rename(ARM64 + ".new", ARM64)


def _probe_of(target):
    path = os.path.join(BUILD, target, "libstorescope-probe.so")
    installed(path)
    return path


def _compare_on_musl(name, *arguments):
    installed("musl-gcc")
    installed(os.path.join(MUSL, "libsqlite3.so.0"))
    program = os.path.join(scratch, "musl-" + name)
    subprocess.run(["musl-gcc", "-O1", "-g", "-I", MUSL, "-L", MUSL, "-Wl,-rpath," + MUSL, "-o", program,
                    os.path.join(PROGRAMS, name + ".c"), "-lsqlite3"], check=True)
    with preloading({"LD_PRELOAD": _probe_of("x86_64-linux-musl")}):
        return compare([program, *arguments])


def c_programs_on_musl():
    for name in ("simple", "functions", "profiles", "forks", "connections"):
        _compare_on_musl(name)


def threads_on_musl():
    _compare_on_musl("threads", "16")


def a_probe_for_an_older_glibc():
    installed("sqlite3")
    with preloading({"LD_PRELOAD": _probe_of("x86_64-linux-gnu.2.17")}):
        compare([compiled("simple")])
        compare(["python3", script("counted.py"), "sqlite3"], language="python")
        compare(["sqlite3", "-batch", ":memory:"], input=open(script("counted.sql")).read())


def programs_on_arm64():
    installed("qemu-aarch64")
    shell, python = (os.path.join(ARM64, "usr", "bin", name) for name in ("sqlite3", "python3"))
    installed(shell)
    emulator = {"QEMU_LD_PREFIX": ARM64, "PYTHONHOME": os.path.join(ARM64, "usr")}
    with preloading({"QEMU_SET_ENV": "LD_PRELOAD=" + _probe_of("aarch64-linux-gnu.2.17")}, emulator):
        compare(["qemu-aarch64", shell, "-batch", ":memory:"], input=open(script("counted.sql")).read())
        runs, lines = compare(["qemu-aarch64", python, script("counted.py"), "sqlite3"], language="python")
        expect(any(event["file"].endswith("counted.py") for event in events(lines, "caller")), "the line of Python")

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Checks the includes of the probe: a file with a header includes it first, and at most MAX_CIRCLE files need one another.
import pathlib, re, sys

MAX_CIRCLE = 5
folder = pathlib.Path(__file__).resolve().parent.parent / "Sources/CSQLiteProbe"
included = {path.name: re.findall(r'^#include "(.+)\.h"', path.read_text(), re.M) for path in folder.glob("*.[ch]")}
names = {name[:-2] for name in included}
needs = {name: {other for end in (".c", ".h") for other in included.get(name + end, []) if other in names} - {name}
         for name in names}


def reached(name):
    found, waiting = set(), [name]
    while waiting:
        new = needs[waiting.pop()] - found
        found |= new
        waiting += new
    return found


below = {name: reached(name) for name in names}
failures = [f"{name}.c does not include {name}.h first" for name in sorted(names)
            if {name + ".c", name + ".h"} <= included.keys() and included[name + ".c"][:1] != [name]]
circles = {frozenset([name, *(other for other in below[name] if name in below[other])]) for name in names}
failures += [f"{len(circle)} files of the probe need one another: {', '.join(sorted(circle))}"
             for circle in circles if len(circle) > MAX_CIRCLE]
sys.exit("\n".join(failures) or None)

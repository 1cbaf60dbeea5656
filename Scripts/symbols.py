#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists the public symbols of symbol graphs that have no documentation comment: symbols.py GRAPH..."""
import json
import sys

found = 0
for path in sys.argv[1:]:
    with open(path) as file:
        graph = json.load(file)
    inherited = {r["source"] for r in graph["relationships"] if r.get("sourceOrigin")}
    for symbol in graph["symbols"]:
        name = symbol["identifier"]["precise"]
        written = "location" in symbol and "::SYNTHESIZED::" not in name and name not in inherited
        if not written or "docComment" in symbol or symbol["kind"]["identifier"] == "swift.extension":
            continue
        found += 1
        place = symbol["location"]
        print(f"{place['uri'].removeprefix('file://')}:{place['position']['line'] + 1}: "
              f"{'.'.join(symbol['pathComponents'])} has no documentation comment")
sys.exit(1 if found else 0)

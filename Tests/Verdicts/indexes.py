#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes each index that summary, plans or advise print for a recorded program, and records the program again with it.

    Tests/Verdicts/indexes.py [PROGRAM...]

An index must compile, and a statement for which a warning of summary names it must take half of its VM steps or fewer.
Where plans or summary names an index of a table, and advise creates one there, one of these has the same columns first.
"""

import glob
import importlib
import json
import os
import re
import shutil
import sqlite3
import sys
import tempfile

import programs
from tool import MEMORY, PYTHON, report


def indexes(text):
    """The CREATE INDEX statements in a text, whatever its line breaks."""
    text, found = " ".join(text.split()), set()
    for match in re.finditer(r"CREATE INDEX ", text):
        depth, end = 0, None
        for position in range(match.end(), len(text)):
            depth += {"(": 1, ")": -1}.get(text[position], 0)
            if depth == 0 and text[position] == ")":
                end = position + 1
                break
        if end:
            found.add(text[match.start():end] + (re.match(r" WHERE [^;()]*?(?= \(| saves |;|$)", text[end:]) or [""])[0])
    return found


def by_table(created):
    """What is behind the name, by the table."""
    tables = {}
    for each in created:
        columns = each.split(" ON ", 1)[1]
        tables.setdefault(columns.split(" (")[0], set()).add(columns)
    return tables


def needs_change(fix):
    """Whether the index is for another statement, or for other values."""
    return "not measured" in fix or "leave the term out" in fix or (
        "if the pattern begins with text" in fix and "tried on a copy" not in fix)


def recorded(program, folder):
    trace = folder + ".trace"
    report("record", "--log", *program.options, "-o", trace, "--", PYTHON, os.path.abspath(programs.__file__),
           "--program", str(program), folder)
    return trace, json.loads(report("summary", trace, "--json").stdout)


def steps(summary):
    return {each["id"]: each["vmSteps"] / max(each["count"], 1) for each in summary["statements"]}


def check(program, folders):
    """Returns the number of indexes, and a line for each that is wrong."""
    folder = folders.copy(program)
    database = os.path.join(folder, "app.db")
    if not os.path.exists(database):
        return 0, []
    start = folder + ".start"
    shutil.copytree(folder, start)
    trace, summary = recorded(program, folder)
    texts = {command: report(command, trace, "--database", database).stdout for command in ("plans", "advise")}
    named = {finding["statement"]: indexes(finding["fix"]) for finding in summary["findings"]
             if finding["severity"] == "warning" and finding.get("statement") and not needs_change(finding["fix"])}
    created = indexes(texts["advise"].split("Tried and not advised")[0])
    everything = set().union(*named.values(), indexes(texts["plans"]), created)
    wrong = []
    shown = by_table(indexes(texts["plans"]).union(*named.values()))
    for table, group in by_table(created).items():
        if table in shown and not any(a.startswith(b.split(")")[0]) for a in group for b in shown[table]):
            wrong.append(f"advise has {'; '.join(sorted(group))}, not {'; '.join(sorted(shown[table]))}")
    before = steps(summary)
    for statement, group in named.items():
        if not group:
            continue
        shutil.rmtree(folder)
        shutil.rmtree(trace)
        shutil.copytree(start, folder)
        try:
            with sqlite3.connect(database) as connection:
                for sql in group:
                    connection.execute(sql)
        except sqlite3.Error as error:
            wrong.append(f"{sql}: {error}")
            continue
        trace, again = recorded(program, folder)
        after = steps(again).get(statement)
        sql = next(each["sql"] for each in summary["statements"] if each["id"] == statement)
        counts = re.match(r"(?i)\s*select\s+count\s*\(", sql) and before[statement] < 100
        if after is None or not counts and after > before[statement] / 2:
            wrong.append(f"{before[statement]:,.0f} -> {after} steps with {'; '.join(sorted(group))}: {sql[:200]}")
    for sql in everything:
        with sqlite3.connect(":memory:") as connection, sqlite3.connect(os.path.join(start, "app.db")) as source:
            source.backup(connection)
            try:
                connection.execute(sql)
            except sqlite3.Error as error:
                wrong.append(f"{sql}: {error}")
    return len(everything), wrong


def main(chosen):
    for path in sorted(glob.glob(os.path.join(programs.FOLDER, "programs", "*.py"))):
        importlib.import_module(os.path.splitext(os.path.basename(path))[0])
    scratch = tempfile.mkdtemp(prefix="indexes.", dir=MEMORY if os.access(MEMORY, os.W_OK) else None)
    count = failed = 0
    try:
        folders = programs.Folders(scratch)
        for program in programs.labels.PROGRAMS:
            if program.setup is None or chosen and str(program) not in chosen:
                continue
            number, wrong = check(program, folders)
            count, failed = count + number, failed + len(wrong)
            for line in wrong:
                print(f"{program}: {line}", flush=True)
            for path in glob.glob(os.path.join(scratch, str(program) + "*")):
                shutil.rmtree(path, ignore_errors=True)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    print(f"{count} indexes, {failed} wrong")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints Documentation/Evidence.md: well-known problems as texts, and the report of each.

    Scripts/evidence.py .build/debug > Documentation/Evidence.md
"""
import json
import os
import subprocess
import sys
import tempfile

BINARIES = os.path.abspath(sys.argv[1])
STOP = ("t0.Z_PK, t0.Z_OPT, t0.ZIDENTIFIER, t0.ZLATITUDE, t0.ZLONGITUDE, t0.ZNAME, "
        "t0.ZNORMALIZEDNAME")
BOX = ("(? <=  t0.ZLONGITUDE AND  t0.ZLONGITUDE <= ? AND ? <=  t0.ZLATITUDE AND  "
       "t0.ZLATITUDE <= ?)")


def fetch(sql, connection, total, rows):
    """The lines of Core Data's log for one fetch."""
    return (f"CoreData: sql: {sql}\n"
            f"CoreData: annotation: sql connection fetch time: {connection:.4f}s\n"
            f"CoreData: annotation: total fetch execution time: {total:.4f}s for {rows} rows.\n")


def wrapped(text, width=70):
    """Lines cut at a column, as in print."""
    return "".join(
        line[start:start + width].rstrip() + "\n"
        for line in text.splitlines() for start in range(0, len(line), width))


def session(step):
    """A shell of SQLite 3.7 that explains the fetch of the stops in a box."""
    return (f"sqlite> EXPLAIN QUERY PLAN SELECT 0, {STOP}\n"
            f"   ...> FROM ZSTOP t0\n   ...> WHERE {BOX}\n   ...>  LIMIT 200;\n{step}\n")


def faults(count):
    """A list of photos, and then a fault for the bytes of each."""
    text = fetch("SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZLABEL, t0.ZTIMESTAMP, t0.ZPICTURE FROM ZPHOTO t0 "
                 "ORDER BY t0.ZTIMESTAMP", 0.0041, 0.0060, count)
    for key in range(1, count + 1):
        text += fetch("SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZBLOB FROM ZPICTURE t0 WHERE  t0.Z_PK = ?",
                      0.0003, 0.0004, 1)
        text += ("CoreData: annotation: fault fulfilled from database for : "
                 f"0xd000000000{key:06x} <x-coredata://5A/Picture/p{key}>\n")
    return text


def batches(count):
    """The keys of all stop times, and then each batch of 50 at once."""
    text = fetch("SELECT 0, t0.Z_PK FROM ZSTOPTIME t0 ORDER BY t0.ZDEPARTURETIME", 0.0170, 0.0182,
                 50 * count)
    for _ in range(count):
        text += "CoreData: annotation: Bound intarray _Z_intarray0\n"
        text += "CoreData: annotation: Bound intarray values.\n"
        text += fetch("SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZARRIVALTIME, t0.ZDEPARTURETIME, t0.ZSTOP "
                      "FROM ZSTOPTIME t0 WHERE  t0.Z_PK IN (SELECT * FROM _Z_intarray0)  "
                      "ORDER BY t0.ZDEPARTURETIME LIMIT 50", 0.0006, 0.0008, 50)
    return text


def label(term, connection, total):
    """A search for photos by their label."""
    return fetch("SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZLABEL, t0.ZTIMESTAMP FROM ZPHOTO t0 "
                 f"WHERE {term}", connection, total, 12)


def records(order, connection, total, rows):
    """A list of records in an order."""
    return fetch("SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZINDEXVALUE, t0.ZVALUE FROM ZRECORD t0 "
                 f"ORDER BY {order}", connection, total, rows)


SUBQUERY = ("(SELECT COUNT(t1.Z_PK) FROM ZSTOPTIME t1 WHERE (t0.Z_PK = t1.ZSTOP AND "
            "((? <=  t1.ZDEPARTURETIME AND  t1.ZDEPARTURETIME <= ?))) ) <> ?")
MATCHES = " NSCoreDataMatches( t0.ZLABEL, ?, 1)"
# The title, the texts (two are compared), and the example whose gain is measured.
PIECES = [
    ("A box of coordinates", [fetch(f"SELECT 0, {STOP} FROM ZSTOP t0 WHERE {BOX}  LIMIT 100",
                                    0.0008, 0.0013, 15)], "geo"),
    ("An index that serves one of two ranges", [session(
        "0|0|0|SEARCH TABLE ZSTOP AS t0 USING INDEX ZSTOP_ZLONGITUDE (ZLONGITUDE>? AND "
        "ZLONGITUDE<?) (~6944 rows)")], None),
    ("An index on both columns", [session(
        "0|0|0|SEARCH TABLE ZSTOP AS t0 USING INDEX ZSTOP_ZLONGITUDE_ZLATITUDE (ZLONGITUDE>? AND "
        "ZLONGITUDE<?) (~6944 rows)")], None),
    ("A scan", [session("0|0|0|SCAN TABLE ZSTOP AS t0 (~12800 rows)")], None),
    ("A subquery for each row", [
        fetch(f"SELECT 0, {STOP} FROM ZSTOP t0 WHERE ({BOX} AND {SUBQUERY})  LIMIT 200",
              0.0112, 0.0123, 9)], "departures"),
    ("A search in a text", [
        fetch(f"SELECT 0, {STOP} FROM ZSTOP t0 WHERE  NSCoreDataStringSearch( t0.ZNAME, ?, 137, 0)",
              0.0071, 0.0076, 2)], "text"),
    ("All rows of a large entity", [
        fetch("SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZARRIVALTIME, t0.ZDEPARTURETIME, t0.ZSTOP "
              "FROM ZSTOPTIME t0", 9.8120, 41.3001, 2998765)], None),
    ("Bytes in a list", [
        fetch("SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZBLOB, t0.ZLABEL, t0.ZTIMESTAMP FROM ZPHOTO t0 "
              "ORDER BY t0.ZTIMESTAMP", 0.6120, 0.6405, 184)], "photos"),
    ("A fault for each row of a list", [faults(184)], None),
    ("A regular expression in place of a prefix", [
        label(MATCHES, 0.0371, 0.0385),
        label("( t0.ZNORMALIZEDLABEL >= ? AND  t0.ZNORMALIZEDLABEL < ?)", 0.0019, 0.0023)], None),
    ("Text before numbers", [
        label(f"({MATCHES} AND  t0.ZTIMESTAMP > ?)", 0.0302, 0.0314)], None),
    ("A join in each row", [
        fetch("SELECT DISTINCT 0, t0.Z_PK, t0.Z_OPT, t0.ZLABEL, t0.ZTIMESTAMP FROM ZPHOTO t0 "
              "LEFT OUTER JOIN Z_2TAGS t1 ON t0.Z_PK = t1.Z_2PHOTOS LEFT OUTER JOIN ZTAG t2 ON "
              "t1.Z_3TAGS = t2.Z_PK WHERE  NSCoreDataStringSearch( t2.ZNAME, ?, 129, 0)",
              0.0198, 0.0211, 17)], None),
    ("Batches that are read as a whole", [batches(256)], None),
    ("A relationship that is read for its count", [
        fetch("SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZARRIVALTIME, t0.ZDEPARTURETIME, t0.ZSTOP FROM "
              "ZSTOPTIME t0 WHERE  t0.ZSTOP = ?", 0.0105, 0.0171, 2344)
        + "CoreData: annotation: to-many relationship fault \"stopTimes\" for objectID 0xd0000001 "
        "<x-coredata://5A/Stop/p1> fulfilled from database.  Got 2344 rows\n"], None),
    ("A localized sort", [wrapped(records(
        "t0.ZVALUE  COLLATE NSCollateLocaleSensitiveNoCase ", 0.8731, 1.0311, 1500))], "records"),
    ("A sort key", [records("t0.ZINDEXVALUE", 0.2101, 0.3537, 1327)], None),
]


def run(tool, *arguments, **environment):
    """Runs a tool; returns what it printed."""
    return subprocess.run([f"{BINARIES}/{tool}", *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False,
                          env={**os.environ, "NO_COLOR": "1", "TZ": "UTC", **environment}).stdout


def fenced(text, limit=16):
    """A block of code, of which many lines are left out."""
    lines = [line.rstrip() for line in text.strip("\n").splitlines()]
    shown = lines[:limit] if len(lines) > limit + 1 else lines
    rest = [f"… and {len(lines) - len(shown):,} more lines"] if len(lines) > len(shown) else []
    return "```\n" + "\n".join(shown + rest) + "\n```\n"


def answer(folder, texts):
    """The findings of a text; of two, their comparison."""
    paths = []
    for name, text in zip(["before", "after"] if len(texts) > 1 else ["text"], texts):
        paths.append(os.path.join(folder, name))
        with open(paths[-1], "w", encoding="utf-8") as file:
            file.write(text)
    if len(texts) == 1:
        output = run("trace-report", "findings", paths[0])
        if "\nFindings" not in output and "\nNo findings" not in output:
            output = run("trace-report", paths[0], "--all")
        marks = [output.find(f"\n{word}") for word in ("Findings", "No findings", "Plans", "Plan ")]
        found = [mark for mark in marks if mark >= 0]
        return (output[min(found):] if found else output).replace(folder + "/", "")
    pairs = run("trace-report", "diff", "--all", *paths)
    return answer(folder, texts[:1]) + pairs[pairs.find("\nStatements, per run"):]


COMMANDS = {
    "geo": (["transit", "search", "--geo"], "s"),
    "departures": (["transit", "search", "--departures", "--at", "08:30"], "s"),
    "text": (["transit", "search", "--text", "u gorli"], "s"),
    "records": (["records", "list", "--all"], "r"),
}


def gain(folder, name):
    """The counts of an example before and after its solution, in stores that a seed makes again."""
    logs = []
    for version in ("before", "after"):
        logs.append(os.path.join(folder, f"{name}-{version}.log"))
        environment = {"STORE_SQL_DEBUG": "1", "STORE_SQL_DEBUG_FILE": logs[-1]}
        if name == "photos":
            run("photos", "list", "--version", "1" if version == "before" else "2", f"--{version}",
                "--folder", folder, **environment)
            continue
        command, store = COMMANDS[name]
        run(*command, f"--{version}", "--store", f"{folder}/{store}.sqlite", **environment)
    difference = json.loads(run("trace-report", "diff", *logs, "--json"))
    lines = ["| a search, a list | before | after |", "|---|---|---|"]
    for key, title in [("rows", "rows"), ("fullScanSteps", "full-scan steps"),
                       ("vmSteps", "VM steps")]:
        sums = [sum(pair[side][key] for pair in difference["statements"] if pair.get(side))
                for side in ("before", "after")]
        lines.append(f"| {title} | {sums[0]:,} | {sums[1]:,} |")
    return "\n".join(lines) + "\n"


def main():
    """Prints the page."""
    print("# Well-known problems and their findings\n")
    print("Sixteen texts as they are pasted into questions and reports, each with the output "
          "of\n`trace-report findings FILE` for the text alone. For five of them, the store of an example "
          "measures the gain: counts, which are\nthe same in every run. `make evidence` prints this "
          "page.\n")
    with tempfile.TemporaryDirectory() as folder:
        run("transit", "generate", "--stops", "1280", "--stop-times", "60000", "--seed", "1",
            "--store", f"{folder}/s.sqlite")
        run("records", "generate", "--seed", "1", "--store", f"{folder}/r.sqlite")
        run("photos", "generate", "--photos", "60", "--pixels", "32", "--folder", folder)
        for number, (title, texts, example) in enumerate(PIECES, 1):
            print(f"## {number}. {title}\n")
            for text in texts:
                print(fenced(text))
            print("Output:\n")
            print(fenced(answer(folder, texts), 60))
            if example:
                print(f"Measured with `{' '.join(COMMANDS.get(example, (['photos', 'list'],))[0])}`"
                      ":\n")
                print(gain(folder, example))


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of the documents, in a folder for each document with the files that they name.

    run.py BIN [DOCUMENT...]

BIN is the folder of the built programs. The info string of a block states how its commands are tested:

    ```sh                     each line is run here, after setup.sh; it must exit with 0, or as its comment states: "exit code 2"
    ```sh make test-steps     that target runs the commands
    ```sh example: REASON     not run; at most one command in ten

Lines `- trace-report …` of YAML are run as well. A command in any other block is an error.
"""
import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[1]
COMMAND = re.compile(
    r"(\w+=\S+ )*(sudo )?(trace-report|storescope|make|pytest|pipx?|transit|records|photos|swift (run|build|test)|python3|docker"
    r"|kubectl|ssh|curl|sqlite3|duckdb|lttng(-relayd)?|xcrun) [^─│—:]*$")
# The values that a reader replaces, or does not wait for.
REPLACED = [("kill -USR1", "sleep 2; kill -USR1"), ("4711", "$server"), ("--seconds 60", "--seconds 2"), ("/srv/", "../srv/"), ("--stop-times 3000000", "--stop-times 30000")]


def blocks(text):
    """(line, info string, lines) of each block, fenced or indented."""
    info, start, lines, previous = None, 0, [], ""
    for number, line in enumerate(text.splitlines() + [""], 1):
        fence = re.match(r" *```(.*)", line)
        if fence and info in (None, "indented"):
            info, start, lines = fence[1].strip(), number + 1, []
        elif fence or (info == "indented" and not line.startswith("    ")):
            yield start, info, lines
            info = None
        elif info is None and line.startswith("    ") and not previous:
            info, start, lines = "indented", number, [line.strip()]
        elif info is not None:
            lines.append(line.strip())
        previous = line


def commands(document):
    """(line, how, command) of each command of a document."""
    for start, info, lines in blocks((TOP / document).read_text()):
        for number, line in enumerate(lines, start):
            if info == "yaml" and (match := re.match(r"- (trace-report .*)", line)):
                yield number, "run", match[1]
            elif info.split(" ")[0] == "sh" and line:
                yield number, info.removeprefix("sh").strip() or "run", line
            elif info in ("", "indented", "text") and COMMAND.match(line):
                sys.exit(f"{document}:{number}: a command in a block that is not ```sh: {line}")


def script(document, listed):
    """A program of bash that runs the commands, one after the other."""
    lines = [f"document={document}", f". {shlex.quote(str(HERE / 'setup.sh'))}"]
    for number, command in listed:
        expected = re.search(r"#.*exit code (\d+)", command)
        for text, replacement in REPLACED:
            command = command.replace(text, replacement)
        lines += [
            f"printf '%s\\n' {shlex.quote(f'--- {document}:{number}: {command}')}", command,
            f"ended $? {expected[1] if expected else 0} || exit 1"]
    return "\n".join(lines + ["finish"])


def run(document, listed, environment):
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder, "work")
        work.mkdir()
        done = subprocess.run(
            ["bash", "-c", script(document, listed)], cwd=work, env={**environment, "HOME": folder},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    if done.returncode != 0:
        return f"{document}: failed; its last command is above\n{done.stdout[-4000:]}"
    return None


def main():
    bin, *chosen = sys.argv[1:]
    documents = chosen or subprocess.run(
        ["git", "ls-files", "*.md"], cwd=TOP, capture_output=True, text=True, check=True).stdout.split()
    environment = {**os.environ, "BIN": str(pathlib.Path(bin).resolve()), "TOP": str(TOP), "FILES": str(HERE / "files")}
    listed = {document: list(commands(document)) for document in documents}
    every = [how for each in listed.values() for _, how, _ in each]
    examples = sum(how.startswith("example: ") for how in every)
    targets = {how for how in every if how.startswith("make ")}
    failures = [f"unknown information: ```sh {how}" for how in every if how != "run" and not how.startswith(("example: ", "make "))]
    failures += [f"no target: {target}" for target in targets
                 if subprocess.run([*target.split(" "), "--dry-run"], cwd=TOP, capture_output=True).returncode != 0]
    if not chosen and examples * 10 > len(every):
        failures.append(f"{examples} of {len(every)} commands are examples: at most one in ten")
    run_here = {document: [(number, line) for number, how, line in each if how == "run"] for document, each in listed.items()}
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        results = pool.map(lambda item: run(*item, environment), [item for item in run_here.items() if item[1]])
        failures += [failure for failure in results if failure]
    for failure in failures:
        print(failure, file=sys.stderr)
    print(f"{len(every)} commands: {every.count('run')} run here, {len(every) - every.count('run') - examples} by other "
          f"targets, {examples} examples; {len(failures)} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

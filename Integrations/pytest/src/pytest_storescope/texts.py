# SPDX-License-Identifier: Apache-2.0
"""The lines that the plugin prints."""

MAX_SQL = 300


def escaped(text):
    """Data without the control characters that a terminal would obey."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def sql_line(sql):
    """A statement in one line."""
    line = escaped(" ".join(sql.split()))
    return line if len(line) <= MAX_SQL else line[:MAX_SQL] + "…"


def counted(count, word):
    """`1 test`, `2 tests`."""
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def place(caller):
    """The file and the line of a place in JSON."""
    return escaped(f"{caller['file']}:{caller.get('line')}") if (caller or {}).get("file") else "(no line is known)"


def finding_lines(finding, report, tests=()):
    """A finding: its line and rule, what happens, the statement and the fix."""
    lines = [f"{place(finding.caller)}: {finding.severity}: {finding.rule}", f"    {escaped(finding.message)}"]
    if report.sql.get(finding.statement):
        lines.append(f"    {sql_line(report.sql[finding.statement])}")
    lines.append(f"    Fix: {escaped(finding.fix)}")
    return lines + test_lines(tests)


def test_lines(tests):
    """Up to three names of tests."""
    if not tests:
        return []
    others = f" and {len(tests) - 3:,} more" if len(tests) > 3 else ""
    return [f"    In {', '.join(map(escaped, tests[:3]))}{others}"]


def scanning_lines(report):
    """The statements of a test, those that scan first, then by their runs."""
    forms = sorted(report.forms, key=lambda form: (-form["work"]["fullScanSteps"], -form["work"]["count"]))
    return [_form_line(form, report) for form in forms[:10]]


def _form_line(form, report):
    work = form["work"]
    steps = f", {counted(work['fullScanSteps'], 'scan step')}" if work["fullScanSteps"] else ""
    return f"    {work['count']:,} × {sql_line(report.sql.get(form['statement'], ''))}  {place(form.get('caller'))}{steps}"


def section(measurement):
    """The report section of a test that failed or exceeded its budget."""
    report = measurement.report
    if measurement.problem:
        return f"Not measured: {escaped(measurement.problem)}"
    if not report:
        return "No statement ran in the call of this test."
    counts = f"{counted(report.statements, 'statement')}, {counted(report.full_scans, 'full scan')}"
    lines = [f"{counts} in the call of this test"]
    lines += scanning_lines(report)
    for finding in measurement.findings:
        lines += finding_lines(finding, report)
    return "\n".join(lines)


def escaped_lines(text):
    """The lines of trace-report's output."""
    return [escaped(line) for line in text.splitlines() if line.strip()]


def regression_lines(regression):
    """A regression: its line, its counts, the statement and the tests."""
    changes = ", ".join(_change(change) for change in regression.get("changes") or [])
    lines = [f"{place(regression.get('caller'))}: regression: {regression.get('rule') or changes}"]
    if regression.get("rule") and changes:
        lines.append(f"    {changes}")
    if regression.get("sql"):
        lines.append(f"    {sql_line(regression['sql'])}")
    if regression.get("fix"):
        lines.append(f"    Fix: {escaped(regression['fix'])}")
    return lines + test_lines(regression.get("tests") or [])


def _change(change):
    before, after = (f"{change[key]:,}" if change.get(key) is not None else "none" for key in ("before", "after"))
    return f"{change['metric']} {before} → {after}"

# SPDX-License-Identifier: Apache-2.0
"""The two workflows of a pull request: the first runs its code, the second writes the comment."""

import json
import os

import pytest

from conftest import TOP
from steps import Steps, read

FIRST, SECOND = TOP / "Examples/github/storescope.yml", TOP / "Examples/github/storescope-comment.yml"

# GitHub's API in a file: the pull requests, and the comments that are written.
GH = """#!/usr/bin/env python3
import json, os, sys
arguments = sys.argv[1:]
state = json.load(open(os.environ["GH_STATE"]))
method = arguments[arguments.index("--method") + 1] if "--method" in arguments else "GET"
path = next(argument for argument in arguments if argument.startswith("repos/"))
if method == "GET" and path == "repos/o/r/pulls":
    head = next(argument[5:] for argument in arguments if argument.startswith("head="))
    print(json.dumps([pull for pull in state["pulls"] if pull["head"]["label"] == head]))
elif method == "GET":
    print(json.dumps(state["comments"]))
else:
    body = json.load(open(arguments[arguments.index("--input") + 1]))["body"]
    if method == "POST":
        number = int(path.split("/")[4])
        state["comments"].append(
            {"id": len(state["comments"]) + 1, "issue": number, "body": body, "user": {"login": "github-actions[bot]"}})
    else:
        [comment] = [each for each in state["comments"] if each["id"] == int(path.split("/")[-1])]
        comment["body"] = body
    json.dump(state, open(os.environ["GH_STATE"], "w"))
"""


class PullRequest:
    def __init__(self, folder):
        self._folder, self._runs = folder, 0
        self._state = folder / "state.json"
        self._bin = folder / "gh-bin"
        self._bin.mkdir()
        (self._bin / "gh").write_text(GH)
        (self._bin / "gh").chmod(0o755)
        self.write([{"number": 7, "head": {"label": "fork:branch", "sha": "abc"}}])

    def write(self, pulls, comments=()):
        self._state.write_text(json.dumps({"pulls": pulls, "comments": list(comments)}))

    @property
    def comments(self):
        return json.loads(self._state.read_text())["comments"]

    def comment(self, report, sha="abc"):
        """Runs the second workflow's steps with the report of the first."""
        self._runs += 1
        contexts = {
            "github.token": "t", "github.repository": "o/r", "github.event.workflow_run.id": 1,
            "github.event.workflow_run.head_repository.owner.login": "fork",
            "github.event.workflow_run.head_branch": "branch", "github.event.workflow_run.head_sha": sha}
        environment = {"PATH": f"{self._bin}:{os.environ['PATH']}", "GH_STATE": str(self._state)}
        job = Steps(read(SECOND)["jobs"]["comment"]["steps"], self._folder / f"comment{self._runs}", contexts, environment)
        folder = job.temporary / "storescope-report"
        folder.mkdir()
        for name, text in report.items():
            (folder / name).write_text(text)
        return job.run(self._folder)


@pytest.fixture
def pull_request(tmp_path):
    return PullRequest(tmp_path)


def test_the_comment_is_written_once_and_updated(repository, pull_request):
    repository.write_baseline()
    for command, verdict in (("python3 app.py 40 0", "regression"), ("python3 app.py 2 0", "passed")):
        job = repository.run_action(command, **{"upload-sarif": "false"})
        report = {file.name: file.read_text() for file in job.report.iterdir()}
        commented = pull_request.comment(report)
        assert commented.failed is None, commented.printed
        [comment] = pull_request.comments
        assert comment["issue"] == 7 and f"### StoreScope: {verdict}" in comment["body"]
        upload = dict(commented.used)["github/codeql-action/upload-sarif@v3"]
        assert upload["ref"] == "refs/pull/7/head" and upload["sha"] == "abc"


def test_sql_has_no_effect_in_the_comment(repository, pull_request):
    repository.write_baseline()
    job = repository.run_action("python3 app.py 40 0")
    pull_request.comment({file.name: file.read_text() for file in job.report.iterdir()})
    body = pull_request.comments[0]["body"]
    text = body.split("<pre>\n")[1]
    assert "&lt;img src=x&gt; @admin" in text
    assert "<" not in text.removesuffix("</pre>")


def test_a_report_that_the_pull_request_forged_is_data(pull_request):
    job = pull_request.comment({
        "status": "$(touch made)\n", "gate.txt": "</pre><!-- storescope --> `touch made` $(touch made) @admin\x00\xff",
        "number": "8"})
    assert job.failed is None, job.printed
    [comment] = pull_request.comments
    assert comment["issue"] == 7 and "### StoreScope: inconclusive" in comment["body"]
    assert comment["body"].count("</pre>") == 1 and comment["body"].count("<!--") == 1
    assert not list(pull_request._folder.rglob("made"))


def test_a_long_report_is_shortened(pull_request):
    pull_request.comment({"status": "2", "gate.txt": '"' * 1_000_000})
    assert len(pull_request.comments[0]["body"]) < 65_536


def test_a_run_of_an_older_commit_writes_no_comment(pull_request):
    job = pull_request.comment({"status": "0", "gate.txt": ""}, sha="old")
    assert job.failed is None and pull_request.comments == []
    assert [name for name, _ in job.used] == ["actions/download-artifact@v4"]


def test_a_comment_of_another_user_is_not_changed(pull_request):
    other = {"id": 1, "issue": 7, "body": "<!-- storescope --> mine", "user": {"login": "someone"}}
    pull_request.write([{"number": 7, "head": {"label": "fork:branch", "sha": "abc"}}], [other])
    pull_request.comment({"status": "0", "gate.txt": "gate: same"})
    assert pull_request.comments[0] == other and len(pull_request.comments) == 2


def test_the_job_that_runs_the_code_may_read_alone():
    first = read(FIRST)
    assert list(first["on"]) == ["pull_request"]
    assert first["permissions"] == {"contents": "read"}
    assert all("permissions" not in job for job in first["jobs"].values())
    checkout = first["jobs"]["gate"]["steps"][0]
    assert checkout["with"] == {"persist-credentials": False}


def test_the_job_that_writes_runs_nothing_of_the_pull_request():
    second = read(SECOND)
    assert list(second["on"]) == ["workflow_run"]
    assert second["on"]["workflow_run"]["workflows"] == [read(FIRST)["name"]]
    for step in second["jobs"]["comment"]["steps"]:
        assert not step.get("uses", "").startswith("actions/checkout")
        assert "${{" not in step.get("run", "")


@pytest.mark.parametrize("path", [FIRST, SECOND])
def test_no_workflow_runs_on_the_target(path):
    assert "pull_request_target" not in path.read_text()

# SPDX-License-Identifier: Apache-2.0
"""The steps of action.yml."""

import json
import os
import subprocess
import zipfile

import pytest

from conftest import TOP
from steps import Steps, read


def _uploads(job):
    return [name.split("@")[0] for name, _ in job.used]


def test_the_same_work_passes(repository):
    repository.write_baseline()
    job = repository.run_action("python3 app.py 2 0")
    assert job.failed is None, job.printed
    assert _uploads(job) == ["actions/upload-artifact", "github/codeql-action/upload-sarif"]
    assert "gate: " in job.summary.read_text()


def test_a_regression_fails_the_job_after_its_report(repository):
    repository.write_baseline()
    job = repository.run_action("python3 app.py 40 0")
    assert job.failed == 2
    assert "app.py:8" in job.printed and "app.py:8" in job.summary.read_text()
    sarif = dict(job.used)["github/codeql-action/upload-sarif@v3"]["sarif_file"]
    results = json.load(open(sarif))["runs"][0]["results"]
    assert results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "app.py"


def test_findings_are_uploaded_where_the_tests_fail(repository):
    repository.write_baseline()
    job = repository.run_action("python3 app.py 40 5")
    assert job.failed == 5
    assert _uploads(job) == ["actions/upload-artifact", "github/codeql-action/upload-sarif"]
    assert (job.report / "status").read_text() in ("2\n", "3\n")


def test_a_missing_baseline_fails_the_job_and_names_the_command(repository):
    job = repository.run_action("python3 app.py 2 0")
    assert job.failed == 3
    assert "no baseline" in job.printed
    assert _uploads(job) == ["actions/upload-artifact"]


def test_code_scanning_is_left_to_another_workflow(repository):
    repository.write_baseline()
    job = repository.run_action("python3 app.py 40 0", **{"upload-sarif": "false"})
    assert job.failed == 2
    assert _uploads(job) == ["actions/upload-artifact"]


def test_inputs_are_no_code(repository):
    """The command alone is one."""
    repository.write_baseline()
    hostile = "$(touch made);touch made`touch made`"
    for name in ("baseline", "database", "options"):
        repository.run_action("python3 app.py 2 0", **{name: hostile})
    assert not (repository.workspace / "made").exists()


def test_the_steps_pass_inputs_by_the_environment_alone():
    for step in read(TOP / "action.yml")["runs"]["steps"]:
        assert "${{" not in step.get("run", "")


def _install(tmp_path, environment, **inputs):
    [step] = [step for step in read(TOP / "action.yml")["runs"]["steps"] if step.get("id") == "install"]
    contexts = {"inputs.package": inputs.get("package", "")}
    after = {"shell": "bash", "run": "command -v trace-report; trace-report --version"}
    return Steps([step, after], tmp_path / "job", contexts, environment).run(tmp_path)


def _wheel(folder):
    """A package that has a command trace-report."""
    path = folder / "storescope-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        tool = zipfile.ZipInfo("storescope-1.0.data/scripts/trace-report")
        tool.external_attr = 0o100755 << 16
        wheel.writestr(tool, "#!/bin/sh\necho of the package\n")
        info = "storescope-1.0.dist-info"
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: storescope\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    return path


def test_a_package_is_installed_and_used_by_later_steps(tmp_path):
    job = _install(tmp_path, {"GITHUB_ACTION_PATH": str(TOP)}, package=str(_wheel(tmp_path)))
    assert job.failed is None, job.printed
    assert job.printed.splitlines()[-1] == "of the package"


def test_the_actions_own_source_is_installed_without_a_package(tmp_path):
    """With an installation that takes no minutes: the built tool in place of `swift build`."""
    action = tmp_path / "action"
    (action / "Scripts").mkdir(parents=True)
    (action / "Scripts/install-action.sh").symlink_to(TOP / "Scripts/install-action.sh")
    for name, text in {
            "setup.sh": "exit 0", "install.sh": f'mkdir -p "$PREFIX/bin"; cp "{os.environ["STORESCOPE_TOOL"]}" "$PREFIX/bin"'}.items():
        script = action / "Scripts" / name
        script.write_text(f"#!/bin/sh\n{text}\n")
        script.chmod(0o755)
    job = _install(tmp_path, {"GITHUB_ACTION_PATH": str(action), "PATH": "/usr/bin:/bin"})
    assert job.failed is None, job.printed
    assert job.printed.splitlines()[-2].endswith("storescope-bin/trace-report")


def test_a_package_that_cannot_be_installed_fails_the_job(tmp_path):
    job = _install(tmp_path, {"GITHUB_ACTION_PATH": str(TOP)}, package="missing.whl")
    assert job.failed not in (None, 0)

# SPDX-License-Identifier: Apache-2.0
"""The plugin changes no outcome of another test, and counts as `trace-report record -- pytest` does."""

import os
import shutil
import subprocess
import sys

import pytest

EVERYTHING = """
    import os, subprocess, sys, unittest, pytest, shop

    def test_passes(database): shop.authors_in_a_loop(database)
    def test_fails(database): assert not shop.authors_in_a_loop(database)
    def test_error(missing): pass
    @pytest.mark.skip
    def test_skipped(): pass
    def test_skips(database): pytest.skip("later")
    @pytest.mark.xfail
    def test_xfails(): assert False
    @pytest.mark.xfail
    def test_xpasses(): pass
    @pytest.mark.parametrize("name", ["a" * 300, "it's", "ü", "[x]"])
    def test_names(database, name): database.execute("select 1")
    def test_environment():
        names = [name for name in os.environ if name.startswith("STORE_")]
        child = subprocess.run(["env"], capture_output=True, text=True).stdout
        assert not names and "STORE_" not in child.replace("STORESCOPE_", "")
    class Old(unittest.TestCase):
        def setUp(self): self.value = 1
        def test_passes(self): self.assertEqual(self.value, 1)
        @unittest.expectedFailure
        def test_expected(self): self.fail()
"""


def _outcomes(result):
    return result.ret, result.parseoutcomes()


@pytest.mark.parametrize("options", [[], ["-n", "2"], ["-x"], ["--collect-only"], ["-p", "no:terminal"]])
def test_outcomes_are_those_without_the_plugin(shop, options):
    shop.tests(EVERYTHING)
    plain, observed = shop.run(*options), shop.observe(*options)
    if options == ["-p", "no:terminal"]:
        assert plain.ret == observed.ret
    else:
        assert _outcomes(plain) == _outcomes(observed)


def _preloaded(folder):
    """The same run, observed by LD_PRELOAD."""
    log = folder / "preloaded.log"
    environment = dict(
        os.environ, LD_PRELOAD=os.environ["STORESCOPE_PROBE"], STORE_SQL_DEBUG="1", STORE_PROBE_LTTNG="0",
        STORE_SQL_DEBUG_FILE=str(log))
    subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"], env=environment)
    return log


def test_each_test_has_the_counts_of_a_preloaded_probe(shop, tmp_path):
    shop.tests(EVERYTHING)
    shop.observe("--storescope-logs", "logs")
    counts = shop.report(*shop.pytester.path.glob("logs/*.log"))
    assert counts == shop.report(_preloaded(tmp_path))
    assert counts["test_shop.py::test_passes"]["count"] == 61


@pytest.mark.long
@pytest.mark.skipif(not shutil.which("lttng-sessiond"), reason="LTTng is not installed")
def test_each_test_has_the_counts_of_record(shop):
    shop.tests(EVERYTHING)
    shop.observe("--storescope-logs", "logs")
    subprocess.run([
        os.environ["STORESCOPE_TOOL"], "record", "-o", "trace", "--", sys.executable, "-m", "pytest", "-q",
        "-p", "no:cacheprovider"], capture_output=True)
    assert shop.report(*shop.pytester.path.glob("logs/*.log")) == shop.report("trace")


def test_the_plugin_leaves_a_process_alone_that_is_observed_already(shop):
    shop.tests(EVERYTHING)
    environment = dict(os.environ, LD_PRELOAD=os.environ["STORESCOPE_PROBE"], STORE_PROBE_LTTNG="0")
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "--storescope", "-p", "no:cacheprovider"], env=environment,
        capture_output=True, text=True)
    assert "this process is observed already, and --storescope records nothing and checks no budget" in run.stdout
    assert run.returncode == shop.run().ret


def test_connections_that_are_open_before_are_observed_from_then_on(shop):
    shop.pytester.makepyfile(early="""
        import sqlite3
        database = sqlite3.connect(":memory:", check_same_thread=False)
        database.execute("select 'early'")
    """)
    shop.tests("""
        import early, pytest

        @pytest.mark.storescope(max_statements=0)
        def test_open_connection():
            early.database.execute("select 'early'")
    """)
    result = shop.observe("-p", "early")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([
        "storescope: *sqlite3 was imported before, and its earlier statements are not counted",
        "StoreScope: 1 statement, and max_statements is 0"])


@pytest.mark.parametrize("option", ["--storescope-tool", "--storescope-probe"])
def test_a_missing_file_is_a_usage_error(shop, option):
    shop.tests("def test_nothing(): pass")
    result = shop.observe(option, "missing")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*is not at 'missing'; correct {option} *"])


def test_a_probe_that_does_not_observe_is_a_usage_error(shop, monkeypatch, tmp_path):
    shop.tests("def test_nothing(): pass")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    library = tmp_path / "other.so"
    library.write_text("no library")
    assert shop.observe("--storescope-probe", library).ret == pytest.ExitCode.USAGE_ERROR
    monkeypatch.setenv("STORE_PROBE", "0")
    result = shop.observe()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*does not observe this process: it wrote no log; unset STORE_PROBE*"])
    assert not list(tmp_path.glob("storescope-*"))


def test_the_logs_are_kept_where_an_option_names_a_folder(shop):
    shop.tests("def test_nothing(database): pass")
    shop.observe("--storescope-logs", "logs").stdout.fnmatch_lines(["Logs: logs"])
    [log] = shop.pytester.path.glob("logs/*.log")
    assert "log closed" in log.read_text()
    result = shop.observe("--storescope-logs", "logs")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*'logs' has logs of another run; empty it, or name another folder"])


@pytest.mark.parametrize("options", [[], ["-n", "2"]])
def test_outcomes_stay_where_a_test_removes_the_logs(shop, options):
    shop.tests("""
        import shutil, pytest

        def test_removes(database):
            shutil.rmtree("logs")

        @pytest.mark.parametrize("number", range(4))
        def test_reads(database, number):
            database.execute("select 1")
    """)
    result = shop.observe("--storescope-logs", "logs", *options)
    result.assert_outcomes(passed=5)
    result.stdout.fnmatch_lines(["inconclusive: the logs were removed while the tests ran"])


@pytest.mark.parametrize("options", [[], ["-n", "2"]])
def test_the_recording_has_ended_in_the_logs_that_are_kept(shop, options):
    shop.tests("def test_nothing(database): pass")
    shop.observe("--storescope-logs", "logs", *options)
    marks = list(shop.pytester.path.rglob(".recording"))
    assert len(marks) == 1 + len(options) and {mark.read_text() for mark in marks} == {"0"}


def test_logs_are_kept_where_trace_report_is_not_installed(shop, monkeypatch):
    monkeypatch.delenv("STORESCOPE_TOOL", raising=False)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    shop.tests("def test_nothing(database): pass")
    result = shop.observe()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result = shop.observe("--storescope-logs", "logs")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["inconclusive: *it is not installed here; read the logs where it is*"])
    [log] = shop.pytester.path.glob("logs/*.log")
    assert "log closed" in log.read_text()


def test_no_other_log_stays(shop, monkeypatch, tmp_path):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    shop.tests("def test_nothing(database): pass")
    shop.observe("-n", "2").assert_outcomes(passed=1)
    assert not list(tmp_path.glob("storescope-*"))

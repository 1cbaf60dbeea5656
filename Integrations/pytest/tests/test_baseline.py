# SPDX-License-Identifier: Apache-2.0
"""The comparison with a baseline fails the run and no test."""

import pytest

TESTS = """
    import shop

    def test_books(database):
        assert len(shop.authors_of(database)) == 60

    def test_count(database):
        assert database.execute("select count(*) from book").fetchone()[0] == 60
"""
BASELINE = ("--storescope-baseline", ".storescope/baseline.json")


@pytest.fixture
def compared(shop):
    """A run whose baseline reads the authors with a join."""
    _use(shop, "authors_with_a_join")
    shop.tests(TESTS)
    result = shop.observe(*BASELINE, "--storescope-update")
    assert result.ret == 0, result.stdout.str()
    assert shop.pytester.path.joinpath(".storescope/baseline.json").exists()
    return shop


def _use(shop, function):
    path = shop.pytester.path / "shop.py"
    text = path.read_text().split("\ndef authors_of")[0]
    path.write_text(text + f"\ndef authors_of(database):\n    return {function}(database)\n")


def test_the_same_run_passes(compared):
    result = compared.observe(*BASELINE)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["0 regressions against .storescope/baseline.json, 0 new findings"])


@pytest.mark.parametrize("options", [[], ["--storescope-fail-on", "new-findings"], ["-n", "2"]])
def test_a_new_loop_fails_the_run_and_names_the_test(compared, options):
    _use(compared, "authors_in_a_loop")
    result = compared.observe(*BASELINE, *options)
    result.assert_outcomes(passed=2)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["shop.py:9: regression: *", "    In test_shop.py::test_books"])


def test_a_new_loop_is_only_listed_where_nothing_fails(compared):
    _use(compared, "authors_in_a_loop")
    result = compared.observe(*BASELINE, "--storescope-fail-on", "nothing")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["shop.py:9: regression: *"])


def test_more_work_without_a_finding_is_no_new_finding(compared):
    path = compared.pytester.path / "shop.py"
    path.write_text(path.read_text() + "\ndef twice(database):\n    authors_of(database)\n    return authors_of(database)\n")
    tests = compared.pytester.path / "test_shop.py"
    tests.write_text(tests.read_text().replace("shop.authors_of", "shop.twice"))
    assert compared.observe(*BASELINE, "--storescope-fail-on", "new-findings").ret == 0
    assert compared.observe(*BASELINE).ret == 1


def test_a_rule_that_the_test_ignores_is_no_new_finding(compared):
    _use(compared, "authors_in_a_loop")
    path = compared.pytester.path / "test_shop.py"
    path.write_text("import pytest\n" + path.read_text().replace(
        "def test_books", "@pytest.mark.storescope(ignore=['AvoidQueryInLoop'])\ndef test_books"))
    result = compared.observe(*BASELINE, "--storescope-fail-on", "new-findings")
    assert result.ret == 0, result.stdout.str()


def test_a_new_test_and_lines_above_are_no_regression(compared):
    path = compared.pytester.path / "shop.py"
    path.write_text("import os\n\n\n" + path.read_text())
    compared.tests("""
        def test_new(database): assert len(database.execute("select * from book").fetchall()) == 60
    """, name="test_new")
    assert compared.observe(*BASELINE).ret == 0


def test_the_update_prints_what_changed_and_passes(compared):
    _use(compared, "authors_in_a_loop")
    result = compared.observe(*BASELINE, "--storescope-update")
    assert result.ret == 0
    assert compared.observe(*BASELINE).ret == 0


def test_a_missing_baseline_is_never_green(shop):
    _use(shop, "authors_with_a_join")
    shop.tests(TESTS)
    result = shop.observe("--storescope-baseline", "missing.json")
    result.assert_outcomes(passed=2)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["inconclusive: no baseline at 'missing.json'; write it with --storescope-update"])


def test_a_baseline_that_is_damaged_is_never_green(compared):
    compared.pytester.path.joinpath(".storescope/baseline.json").write_text("{}")
    result = compared.observe(*BASELINE)
    result.assert_outcomes(passed=2)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["inconclusive: *"])


@pytest.mark.parametrize("options", [["--storescope-update"], ["--storescope-fail-on", "new-findings"]])
def test_an_option_that_needs_a_baseline_is_refused_without_one(shop, options):
    shop.tests("def test_nothing(): pass")
    assert shop.observe(*options).ret == pytest.ExitCode.USAGE_ERROR

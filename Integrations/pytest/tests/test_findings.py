# SPDX-License-Identifier: Apache-2.0
"""Findings beside a failing test and at the end, and rules that a test ignores."""

LOOP = """
    import pytest, shop

    def test_loop(database):
        assert shop.authors_in_a_loop(database)
"""


def test_the_summary_has_each_warning_with_its_line_its_fix_and_its_tests(shop):
    shop.tests(LOOP)
    result = shop.observe()
    result.assert_outcomes(passed=1)
    assert result.ret == 0
    result.stdout.fnmatch_lines([
        "storescope: SQLite is observed since before the first conftest.py*",
        "*== StoreScope ==*",
        "shop.py:9: warning: AvoidQueryInLoop",
        "    60 runs for the 60 rows of another statement at shop.py:8.",
        "    select name from author where id = ?",
        "    Fix: join this table *",
        "    In test_shop.py::test_loop",
        "61 statements in 1 test, 1 warning, 0 notes, 0 suppressed",
    ])


def test_a_test_that_fails_by_itself_shows_its_findings(shop):
    shop.tests("""
        import shop, unittest, sqlite3

        def test_loop(database):
            assert not shop.authors_in_a_loop(database)

        def test_other(database):
            assert not database.execute("select 1").fetchall()

        def test_without_sql():
            assert False

        class Old(unittest.TestCase):
            def test_loop(self):
                database = sqlite3.connect(":memory:")
                shop.make(database)
                self.assertFalse(shop.authors_in_a_loop(database))
    """)
    result = shop.observe()
    result.assert_outcomes(failed=4)
    result.stdout.fnmatch_lines([
        "*_ test_loop _*", "*-- StoreScope --*", "shop.py:9: warning: AvoidQueryInLoop",
        "*_ test_other _*", "1 statement, 0 full scans in the call of this test",
        "*_ test_without_sql _*", "0 statements, 0 full scans in the call of this test",
        "*_ Old.test_loop _*", "shop.py:9: warning: AvoidQueryInLoop"])


def test_a_rule_that_every_test_ignores_is_suppressed_and_counted(shop):
    shop.tests("""
        import pytest, shop

        @pytest.mark.storescope(ignore=["AvoidQueryInLoop"])
        def test_loop(database):
            shop.authors_in_a_loop(database)
    """)
    result = shop.observe()
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*AvoidQueryInLoop*")
    result.stdout.fnmatch_lines(["61 statements in 1 test, 0 warnings, 0 notes, 1 suppressed"])


def test_a_test_that_fails_by_itself_ignores_its_rules(shop):
    shop.tests("""
        import pytest, shop

        @pytest.mark.storescope(max_statements=100, ignore=["AvoidQueryInLoop", "AvoidDeepOffset"])
        def test_loop(database):
            assert not shop.authors_in_a_loop(database)
    """)
    result = shop.observe()
    result.assert_outcomes(failed=1)
    result.stdout.no_fnmatch_line("*warning: AvoidQueryInLoop*")
    result.stdout.fnmatch_lines(["*, 1 suppressed", "test_shop.py::test_loop ignores AvoidDeepOffset, *"])


def test_a_rule_that_one_test_ignores_is_reported_for_the_other(shop):
    shop.tests("""
        import pytest, shop

        @pytest.mark.storescope(ignore=["AvoidQueryInLoop"])
        def test_loop(database):
            shop.authors_in_a_loop(database)

        def test_other(database):
            shop.authors_in_a_loop(database)
    """)
    shop.observe().stdout.fnmatch_lines(["shop.py:9: warning: AvoidQueryInLoop", "*, 1 warning, *, 0 suppressed"])


def test_a_rule_that_suppresses_nothing_is_reported(shop):
    shop.tests("""
        import pytest, shop

        @pytest.mark.storescope(ignore=["AvoidDeepOffset"])
        def test_loop(database):
            shop.authors_in_a_loop(database)
    """)
    shop.observe().stdout.fnmatch_lines([
        "test_shop.py::test_loop ignores AvoidDeepOffset, which suppresses nothing; its findings: AvoidQueryInLoop"])


def test_sql_cannot_control_the_terminal(shop):
    shop.tests("""
        def test_hostile(database):
            database.execute('create table "t\\x1b[31m\\x07" (a)')
            database.executemany('insert into "t\\x1b[31m\\x07" values (?)', [(i,) for i in range(600)])
            for i in range(20):
                database.execute('select * from "t\\x1b[31m\\x07" where a = ?', (i,)).fetchall()
            assert False
    """)
    result = shop.observe("--color=no", "--tb=no")
    assert "\x1b" not in result.stdout.str() and "\x07" not in result.stdout.str()
    result.stdout.fnmatch_lines(["*warning: AvoidFullTableScan"])


def test_a_run_without_sqlite_reports_that(shop):
    shop.tests("def test_nothing(): pass")
    result = shop.observe()
    result.assert_outcomes(passed=1)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*== StoreScope ==*", "*No statement*"])

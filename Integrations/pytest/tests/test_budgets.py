# SPDX-License-Identifier: Apache-2.0
"""A budget fails its own test and nothing else."""

BOTH = """
    import pytest, shop

    @pytest.mark.storescope(max_statements=12)
    def test_loop(database):
        shop.authors_in_a_loop(database)

    @pytest.mark.storescope(max_statements=1, full_scans=1)
    def test_join(database):
        shop.authors_with_a_join(database)

    def test_loop_without_a_budget(database):
        shop.authors_in_a_loop(database)
"""


def test_a_budget_that_is_exceeded_fails_its_test_alone(shop):
    shop.tests(BOTH)
    result = shop.observe()
    result.assert_outcomes(passed=2, failed=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines([
        "*test_loop*",
        "StoreScope: 61 statements, and max_statements is 12",
        "*-- StoreScope --*",
        "61 statements, 1 full scan in the call of this test",
        "shop.py:9: warning: AvoidQueryInLoop",
        "    60 runs for the 60 rows of another statement at shop.py:8.",
        "    Fix: join *",
    ])


def test_a_budget_is_not_checked_without_the_option(shop):
    shop.tests(BOTH)
    shop.run("--strict-markers").assert_outcomes(passed=3)


def test_a_full_scan_exceeds_its_budget(shop):
    shop.tests("""
        import pytest

        @pytest.mark.storescope(full_scans=0)
        def test_scan(database):
            database.execute("select * from book where title = 'title 7'").fetchall()

        @pytest.mark.storescope(full_scans=0)
        def test_search(database):
            database.execute("select * from book where id = 7").fetchall()
    """)
    result = shop.observe()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["StoreScope: 1 full scan, and full_scans is 0", "*title = ?*59 scan steps"])


def test_the_marker_of_the_function_counts_before_that_of_the_class(shop):
    shop.tests("""
        import pytest, shop

        @pytest.mark.storescope(max_statements=5)
        class TestBooks:
            @pytest.mark.storescope(max_statements=100)
            def test_function(self, database):
                shop.authors_in_a_loop(database)

            def test_class(self, database):
                shop.authors_in_a_loop(database)
    """)
    result = shop.observe()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["StoreScope: 61 statements, and max_statements is 5"])


def test_fixtures_schema_and_transactions_are_not_counted(shop):
    shop.tests("""
        import pytest

        @pytest.mark.storescope(max_statements=2)
        def test_insert(database):
            database.execute("create table other (id integer)")
            database.execute("insert into other values (1)")
            database.execute("pragma foreign_keys = on")
            database.rollback()
            database.execute("select 1")
    """)
    shop.observe().assert_outcomes(passed=1)


def test_a_marker_that_is_not_understood_fails_its_test(shop):
    shop.tests("""
        import pytest

        @pytest.mark.storescope(max_statement=2)
        def test_name(): pass

        @pytest.mark.storescope(max_statements="2")
        def test_value(): pass

        @pytest.mark.storescope(12)
        def test_position(): pass

        @pytest.mark.storescope(ignore="AvoidQueryInLoop")
        def test_rules(): pass

        def test_other(): pass
    """)
    result = shop.observe()
    result.assert_outcomes(passed=1, failed=4)
    result.stdout.fnmatch_lines([
        "StoreScope: max_statement is not a budget; write max_statements, full_scans or ignore",
        "StoreScope: max_statements='2' is not a number of statements",
        "StoreScope: the marker storescope takes keywords alone*",
        "StoreScope: ignore takes a list of rules*",
    ])


def test_a_test_that_is_expected_to_fail_may_exceed_its_budget(shop):
    shop.tests("""
        import pytest, shop

        @pytest.mark.xfail
        @pytest.mark.storescope(max_statements=12)
        def test_loop(database):
            shop.authors_in_a_loop(database)
    """)
    shop.observe().assert_outcomes(xfailed=1)


def test_a_budget_counts_what_a_child_process_does(shop):
    shop.tests("""
        import os, pytest

        @pytest.mark.storescope(max_statements=3)
        def test_child(database):
            child = os.fork()
            if child == 0:
                for number in range(5):
                    database.execute("select ?", (number,))
                os._exit(0)
            os.waitpid(child, 0)
    """)
    result = shop.observe()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["StoreScope: 5 statements, and max_statements is 3"])


def test_a_test_may_replace_what_measuring_needs(shop):
    shop.tests("""
        import subprocess, pytest, shop

        @pytest.mark.storescope(max_statements=12)
        def test_loop(database, monkeypatch, tmp_path):
            gone = tmp_path / "gone"
            gone.mkdir()
            monkeypatch.chdir(gone)
            gone.rmdir()
            monkeypatch.setenv("PATH", "")
            monkeypatch.setattr(subprocess, "Popen", None)
            shop.authors_in_a_loop(database)
    """)
    result = shop.observe()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["StoreScope: 61 statements, and max_statements is 12"])


def test_a_budget_without_the_log_is_not_kept(shop):
    shop.tests("""
        import glob, os, pytest, shop

        @pytest.mark.storescope(max_statements=100)
        def test_loop(database):
            for log in glob.glob("logs/*"):
                os.remove(log)
            shop.authors_in_a_loop(database)
    """)
    result = shop.observe("--storescope-logs", "logs")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["StoreScope: the budget is not checked: the log was removed*"])

# SPDX-License-Identifier: Apache-2.0
import os

import harmless
import pytest
from suites import NAMES


@pytest.mark.parametrize("program", NAMES)
@pytest.mark.parametrize("change", [
    pytest.param(change, marks=[pytest.mark.short] if change in harmless.SHORT else [], id=change.__name__)
    for change in harmless.CHANGES])
def test_a_harmless_change_is_green(suite, program, change):
    suite = suite(program)
    suite.older_version = os.environ.get("STORESCOPE_OLDER_ORMS", "")
    change(suite)
    verdict = suite.gate()
    assert verdict.code == 0, verdict.cause


@pytest.mark.parametrize("program", NAMES)
def test_workers_and_order_do_not_matter_for_many_tests(suite, program):
    suite = suite(program, count=3_000)
    harmless.two_workers(suite)
    harmless.shuffled(suite)
    verdict = suite.gate()
    assert verdict.code == 0, verdict.cause

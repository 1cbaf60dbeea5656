# SPDX-License-Identifier: Apache-2.0
import pytest
from planted import PLANTS
from suites import NAMES


def check(suite, plant, verdict):
    line = suite.line(plant.line)
    assert verdict.code == 2, verdict.cause
    assert verdict.is_red_at(suite.code, line, plant.test), f"line {line}: {verdict.cause}"


@pytest.mark.parametrize("plant", [
    pytest.param(plant, marks=[pytest.mark.short] if index % 5 == 0 else [], id=f"{index} {plant}")
    for index, plant in enumerate(PLANTS)])
def test_a_regression_is_red_at_its_line_and_test(suite, plant):
    suite = suite(plant.program)
    suite.replace(suite.code, plant.old, plant.new)
    check(suite, plant, suite.gate())


@pytest.mark.parametrize("program", NAMES)
def test_each_regression_is_red_among_many_tests(suite, program):
    suite = suite(program, count=3_000)
    healthy = suite.read(suite.code)
    for plant in [plant for plant in PLANTS if plant.program == program]:
        suite.write(suite.code, healthy)
        suite.replace(suite.code, plant.old, plant.new)
        check(suite, plant, suite.gate())

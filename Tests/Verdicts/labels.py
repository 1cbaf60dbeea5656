# SPDX-License-Identifier: Apache-2.0
"""The labels of the programs: the rules that must be warnings, or none."""

import os
import random
import sqlite3
from dataclasses import dataclass

PROGRAMS = []


@dataclass
class Program:
    """`warnings` has the alternatives of each expected warning; `may` has rules that are right as well."""

    group: str
    name: str
    run: object
    warnings: tuple
    near: tuple
    may: tuple
    setup: object
    options: tuple

    def __str__(self):
        return f"{self.group}.{self.name}"


def _added(function, warnings=(), near=(), may=(), setup=None, options=()):
    group = function.__module__.rsplit(".", 1)[-1]
    PROGRAMS.append(Program(group, function.__name__, function, tuple(warnings), tuple(near), tuple(may), setup,
                            tuple(options)))
    return function


def warns(*rules, **others):
    """Each of these rules is a warning, and no other one; "A|B": one of both. `# HERE` marks the line, if one is marked."""
    return lambda function: _added(function, warnings=[rule.split("|") for rule in rules], **others)


def near_miss(*rules, **others):
    """No warning, although the program looks like one that these rules report."""
    return lambda function: _added(function, near=rules, **others)


def connect(folder, name="app.db", **options):
    return sqlite3.connect(os.path.join(folder, name), **options)


SYLLABLES = "ka lo mi ren sto va bel tur an dri os pe qui sha zu".split()


def words(count, seed=1):
    """Words of two to four syllables, the same ones each time."""
    dice = random.Random(seed)
    return ["".join(dice.choices(SYLLABLES, k=dice.randint(2, 4))) for _ in range(count)]

# SPDX-License-Identifier: Apache-2.0
"""The marker of a test: @pytest.mark.storescope(max_statements=12, full_scans=0, ignore=["AvoidQueryInLoop"])."""

from dataclasses import dataclass, field

from .texts import counted

LIMITS = {"max_statements": "statements", "full_scans": "full_scans"}
WORDS = {"max_statements": "statement", "full_scans": "full scan"}


@dataclass
class Budget:
    limits: dict = field(default_factory=dict)
    ignore: list = field(default_factory=list)
    mistakes: list = field(default_factory=list)

    @classmethod
    def of(cls, item):
        """Returns the budget of a test, or None; the marker that is closest to the function counts."""
        markers = list(item.iter_markers("storescope"))
        if not markers:
            return None
        budget = cls()
        for marker in markers:
            budget._add(marker)
        return budget

    def _add(self, marker):
        if marker.args:
            self.mistakes.append("the marker storescope takes keywords alone, such as max_statements=12")
        for name, value in marker.kwargs.items():
            if name == "ignore":
                self._add_ignored(value)
            elif name not in LIMITS:
                self.mistakes.append(f"{name} is not a budget; write {', '.join(LIMITS)} or ignore")
            elif type(value) is not int or value < 0:
                self.mistakes.append(f"{name}={value!r} is not a number of {WORDS[name]}s")
            else:
                self.limits.setdefault(name, value)

    def _add_ignored(self, rules):
        if isinstance(rules, str) or not all(isinstance(rule, str) for rule in rules):
            self.mistakes.append("ignore takes a list of rules, such as [\"AvoidQueryInLoop\"]")
        else:
            self.ignore += [rule for rule in rules if rule not in self.ignore]

    def exceeded(self, report):
        """Returns a sentence for each limit that a test's report exceeds."""
        return [
            f"{counted(count, WORDS[name])}, and {name} is {limit:,}"
            for name, limit in self.limits.items()
            if (count := getattr(report, LIMITS[name]) if report else 0) > limit]

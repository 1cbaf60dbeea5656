# SPDX-License-Identifier: Apache-2.0
import app


def test_loans():
    assert len(app.loans(app.connect())) == 300


def test_search():
    assert app.search(app.connect(), "title 7") == [(7,)]

# SPDX-License-Identifier: Apache-2.0
import sqlite3

import pytest
import shop

COUNT = 0


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    db = sqlite3.connect(tmp_path_factory.mktemp("more") / "shop.db")
    shop.fill(db)
    yield db
    db.close()


@pytest.mark.parametrize("number", range(COUNT))
def test_more(shared, number):
    if number % 2:
        assert shop.book(shared, "isbn 7")[1] == "title 7"
        assert len(shop.newest(shared, 5)) == 5
    else:
        assert shop.page(shared, 1)["pages"] == 2
        assert shop.prices(shared, 1)["total"] == 312

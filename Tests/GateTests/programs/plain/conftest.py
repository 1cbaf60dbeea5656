# SPDX-License-Identifier: Apache-2.0
import sqlite3

import pytest
import shop

SETUP = ""


@pytest.fixture
def db(tmp_path):
    db = sqlite3.connect(tmp_path / "shop.db")
    shop.fill(db)
    db.executescript(SETUP)
    yield db
    db.close()

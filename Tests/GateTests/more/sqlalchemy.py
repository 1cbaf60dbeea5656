# SPDX-License-Identifier: Apache-2.0
import pytest
import shop
from sqlalchemy import create_engine
from sqlalchemy.orm import Session

COUNT = 0


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    engine = create_engine(f"sqlite:///{tmp_path_factory.mktemp('more')}/shop.db")
    shop.Base.metadata.create_all(engine)
    with Session(engine) as session:
        shop.fill(session)
    yield engine
    engine.dispose()


@pytest.fixture
def shared(engine):
    with Session(engine) as session:
        yield session


@pytest.mark.parametrize("number", range(COUNT))
def test_more(shared, number):
    if number % 2:
        assert shop.book(shared, "isbn 7").title == "title 7"
        assert len(shop.newest(shared, 5)) == 5
    else:
        assert shop.page(shared, 1)["pages"] == 2
        assert shop.prices(shared, 1)["total"] == 306

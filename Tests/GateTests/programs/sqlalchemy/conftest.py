# SPDX-License-Identifier: Apache-2.0
import pytest
import shop
from sqlalchemy import create_engine, text
from sqlalchemy.orm import Session

SETUP = ""


@pytest.fixture
def db(tmp_path):
    engine = create_engine(f"sqlite:///{tmp_path}/shop.db")
    shop.Base.metadata.create_all(engine)
    with Session(engine) as session:
        shop.fill(session)
    if SETUP:
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text(SETUP))
    with Session(engine) as session:
        yield session
    engine.dispose()

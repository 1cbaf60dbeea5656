# SPDX-License-Identifier: Apache-2.0
import pytest
from django.db import connection

SETUP = ""


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup, django_db_blocker):
    if SETUP:
        with django_db_blocker.unblock():
            connection.cursor().execute(SETUP)


@pytest.fixture
def books(db):
    from shop import shelf
    shelf.fill()


@pytest.fixture
def committed_books(transactional_db):
    from shop import shelf
    shelf.fill()

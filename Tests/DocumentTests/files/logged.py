# SPDX-License-Identifier: Apache-2.0
"""The library in SQLAlchemy, whose engine logs."""
from sqlalchemy import create_engine, text

with create_engine("sqlite:///app.db", echo=True).connect() as connection:
    for book in range(20):
        connection.execute(text("SELECT reader FROM loan WHERE book = :book"), {"book": book}).all()

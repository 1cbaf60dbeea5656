# SPDX-License-Identifier: Apache-2.0
"""Counts the statements of SQLite that each test runs."""

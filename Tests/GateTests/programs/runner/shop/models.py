# SPDX-License-Identifier: Apache-2.0
from django.db import models


class Author(models.Model):
    name = models.TextField()


class Book(models.Model):
    title = models.TextField()
    isbn = models.TextField(unique=True)
    author = models.ForeignKey(Author, models.CASCADE, related_name="books")
    price = models.IntegerField(default=3)

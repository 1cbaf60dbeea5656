# SPDX-License-Identifier: Apache-2.0
from django.db import models


class Author(models.Model):
    name = models.CharField(max_length=50)


class Book(models.Model):
    author = models.ForeignKey(Author, on_delete=models.CASCADE, related_name="books")
    title = models.CharField(max_length=50)
    isbn = models.CharField(max_length=20, unique=True)
    price = models.IntegerField()

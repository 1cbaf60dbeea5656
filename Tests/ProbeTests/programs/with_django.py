# SPDX-License-Identifier: Apache-2.0
"""A small Django project: two models, a view that runs one query for each row, the test client."""

import django
from django.conf import settings

settings.configure(
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], SECRET_KEY="x",
    DEFAULT_AUTO_FIELD="django.db.models.AutoField")
django.setup()

from django.db import connection, models
from django.http import HttpResponse
from django.test import Client
from django.urls import path

statements = 0


def traced(sql):
    global statements
    statements += 1


class Author(models.Model):
    name = models.TextField()

    class Meta:
        app_label = "shop"


class Book(models.Model):
    author = models.ForeignKey(Author, on_delete=models.CASCADE)
    title = models.TextField()

    class Meta:
        app_label = "shop"


def listing(request):
    names = [book.author.name for book in Book.objects.all()]  # one statement for each book
    return HttpResponse(",".join(names))


urlpatterns = [path("books", listing)]

connection.ensure_connection()
# One check of the options and two PRAGMAs ran before this trace.
statements += 3
connection.connection.set_trace_callback(traced)
with connection.schema_editor() as editor:
    editor.create_model(Author)
    editor.create_model(Book)
author = Author.objects.create(name="a")
for number in range(6):
    Book.objects.create(author=author, title=str(number))
print(Client().get("/books").content.decode())
connection.close()
print("counts", statements, "-")

# SPDX-License-Identifier: Apache-2.0
"""A program on Django that writes the log of `django.db.backends`: django_app.py FOLDER."""

import sys

import django
from django.conf import settings

folder = sys.argv[1]
settings.configure(
    DEBUG=True,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": folder + "/app.db"}},
    LOGGING={
        "version": 1,
        "handlers": {"file": {"class": "logging.FileHandler", "filename": folder + "/own.log"}},
        "loggers": {"django.db.backends": {"level": "DEBUG", "handlers": ["file"]}},
    },
)
django.setup()

from django.db import connection, models, transaction  # noqa: E402


class Author(models.Model):
    name = models.TextField()

    class Meta:
        app_label = "library"


class Book(models.Model):
    title = models.TextField()
    author = models.ForeignKey(Author, on_delete=models.CASCADE)

    class Meta:
        app_label = "library"


with connection.schema_editor() as editor:
    for model in (Author, Book):
        editor.create_model(model)
authors = [Author.objects.create(name=f"a{i} 'quoted'; -- no comment") for i in range(12)]
with transaction.atomic():
    for i in range(40):
        Book.objects.create(title=f"b{i}", author=authors[i % 12])
Book.objects.bulk_create([Book(title=f"c{i}", author=authors[0]) for i in range(30)])
names = [book.author.name for book in Book.objects.all()]
names += [book.author.name for book in Book.objects.select_related("author")[:5]]
names += [book.author.name for book in Book.objects.prefetch_related("author").filter(title__contains="1")]
Book.objects.filter(title="b1").update(title="z")
Book.objects.filter(title="b2").delete()
assert Book.objects.count() == 69

# SPDX-License-Identifier: Apache-2.0
"""Django's admin of a library: login, 75 requests of lists, searches, filters, forms, deletions and histories."""

import datetime
import os
import random
import sys
import types

import django
from django.conf import settings

FOLDER, STEP = sys.argv[1:3]
sys.modules["library"] = types.ModuleType("library")
sys.modules["library"].__path__ = [FOLDER]
settings.configure(
    DEBUG=False, SECRET_KEY="x", ALLOWED_HOSTS=["testserver"], ROOT_URLCONF="__main__", USE_TZ=True, STATIC_URL="/static/",
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField", PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.path.join(FOLDER, "library.sqlite3"),
                           "OPTIONS": {"transaction_mode": "IMMEDIATE", "timeout": 5,
                                       "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"}}},
    INSTALLED_APPS=["django.contrib." + name for name in ("admin", "auth", "contenttypes", "sessions", "messages")] + ["library"],
    MIDDLEWARE=["django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.csrf.CsrfViewMiddleware",
                "django.contrib.auth.middleware.AuthenticationMiddleware",
                "django.contrib.messages.middleware.MessageMiddleware"],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True,
                "OPTIONS": {"context_processors": ["django.template.context_processors.request",
                                                   "django.contrib.auth.context_processors.auth",
                                                   "django.contrib.messages.context_processors.messages"]}}])
django.setup()

from django.contrib import admin  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection, models, transaction  # noqa: E402
from django.db.models.functions import Collate  # noqa: E402
from django.test import Client  # noqa: E402
from django.urls import path  # noqa: E402


GENRES = ("novel", "poetry", "travel", "comic")


class Author(models.Model):
    name = models.CharField(max_length=100, db_index=True)

    class Meta:
        app_label = "library"
        ordering = ["name"]
        indexes = [models.Index(Collate("name", "nocase"), name="author_name_nocase")]

    def __str__(self):
        return self.name


class Book(models.Model):
    title = models.CharField(max_length=200, db_index=True)
    isbn = models.CharField(max_length=13, unique=True)
    author = models.ForeignKey(Author, models.PROTECT, related_name="books")
    genre = models.CharField(max_length=10, choices=[(genre, genre) for genre in GENRES])
    published = models.DateField(db_index=True)

    class Meta:
        app_label = "library"
        ordering = ["-published", "-id"]
        indexes = [models.Index(Collate("title", "nocase"), name="book_title_nocase"),
                   models.Index(fields=["genre", "-published", "-id"], name="book_genre_published")]

    def __str__(self):
        return self.title


class Loan(models.Model):
    book = models.ForeignKey(Book, models.CASCADE, related_name="loans")
    reader = models.CharField(max_length=60, db_index=True)
    due = models.DateField(db_index=True)

    class Meta:
        app_label = "library"


class LoanInline(admin.TabularInline):
    model = Loan
    extra = 1


@admin.register(Author)
class AuthorAdmin(admin.ModelAdmin):
    search_fields = ["name__startswith"]
    show_full_result_count = False


@admin.register(Book)
class BookAdmin(admin.ModelAdmin):
    list_display = ["title", "author", "genre", "published"]
    list_select_related = ["author"]
    list_filter = ["genre"]
    search_fields = ["title__startswith", "isbn__exact"]
    autocomplete_fields = ["author"]
    show_full_result_count = False
    inlines = [LoanInline]


@admin.register(Loan)
class LoanAdmin(admin.ModelAdmin):
    list_display = ["reader", "book", "due"]
    list_select_related = ["book"]
    raw_id_fields = ["book"]
    search_fields = ["reader__exact"]
    show_full_result_count = False


urlpatterns = [path("admin/", admin.site.urls)]


def make():
    from django.contrib.auth.models import User
    call_command("migrate", verbosity=0)
    with connection.schema_editor() as editor:
        for model in (Author, Book, Loan):
            editor.create_model(model)
    dice, day = random.Random(1), datetime.date(1990, 1, 1)
    with transaction.atomic():
        Author.objects.bulk_create([Author(name=f"Author {i:04}") for i in range(1500)], batch_size=500)
        Book.objects.bulk_create([
            Book(title=f"{dice.choice(['Sea', 'Road', 'Hill', 'Town'])} {i:05}", isbn=f"978{i:010}", author_id=dice.randint(1, 1500),
                 genre=dice.choice(GENRES), published=day + datetime.timedelta(dice.randint(0, 12000)))
            for i in range(20000)], batch_size=200)
        Loan.objects.bulk_create([
            Loan(book_id=dice.randint(1, 20000), reader=f"reader{dice.randint(1, 5000)}",
                 due=day + datetime.timedelta(dice.randint(11000, 12500))) for i in range(60000)], batch_size=300)
        User.objects.create_superuser("ada", "ada@example.org", "secret")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def loans(prefix="loans", total=0):
    return {f"{prefix}-TOTAL_FORMS": total, f"{prefix}-INITIAL_FORMS": 0, f"{prefix}-MIN_NUM_FORMS": 0, f"{prefix}-MAX_NUM_FORMS": 1000}


def run():
    client, requests = Client(), 0
    books = Book.objects.prefetch_related("loans").in_bulk(range(100, 108))

    def get(url, status=200, **data):
        nonlocal requests
        requests += 1
        response = client.get("/admin/" + url, data)
        assert response.status_code == status, (url, response.status_code)
        return response

    def post(url, status=302, **data):
        nonlocal requests
        requests += 1
        response = client.post("/admin/" + url, data)
        assert response.status_code == status, (url, response.status_code)

    get("login/")
    post("login/", username="ada", password="secret", next="/admin/")
    get("")
    for page in range(1, 6):
        get("library/book/", p=page)
        get("library/loan/", p=page)
    for genre in GENRES:
        get("library/book/", genre__exact=genre)
        get("library/book/", genre__exact=genre, p=3)
    for query in ("Sea", "Road", "9780000001234", '"hill 019"'):
        get("library/book/", q=query)
        get("library/loan/", q="reader" + str(len(query) * 100))
    for order in ("-1", "4", "-4"):
        get("library/book/", o=order)
    for key, book in books.items():
        get(f"library/book/{key}/change/")
        old = [{"id": loan.id, "reader": loan.reader, "due": loan.due} for loan in book.loans.all()]
        data = dict(loans(total=len(old)), title=book.title + "!", isbn=book.isbn, author=book.author_id, genre="novel",
                    published=book.published)
        data["loans-INITIAL_FORMS"] = len(old)
        for index, loan in enumerate(old):
            data.update({f"loans-{index}-id": loan["id"], f"loans-{index}-book": key, f"loans-{index}-reader": loan["reader"],
                         f"loans-{index}-due": loan["due"]})
        post(f"library/book/{key}/change/", **data)
        get(f"library/book/{key}/history/")
    for i in range(5):
        get("library/book/add/")
        post("library/book/add/", **loans(), title=f"New {i}", isbn=f"new{i}", author=5, genre="comic", published="2024-01-02")
        get("autocomplete/", term=f"Author 00{i}", app_label="library", model_name="book", field_name="author")
    for key in (300, 301):
        get(f"library/book/{key}/delete/")
        post(f"library/book/{key}/delete/", post="yes")
    post("library/loan/", action="delete_selected", _selected_action=[11, 12, 13], post="yes")
    get("auth/user/")
    post("logout/", status=200)
    print(requests, "requests")


{"make": make, "run": run}[STEP]()

# SPDX-License-Identifier: Apache-2.0
from django.db import transaction
from django.http import JsonResponse

from .models import Author, Book


def titles(request):
    books = Book.objects.select_related("author").order_by("id")[:40]
    return JsonResponse([f"{book.title} by {book.author.name}" for book in books], safe=False)


def book(request, isbn):
    return JsonResponse({"title": Book.objects.get(isbn=isbn).title})


def newest(request):
    return JsonResponse([book.title for book in Book.objects.order_by("-id")[:5]], safe=False)


def raise_prices(request):
    with transaction.atomic():
        for isbn in request.POST.getlist("isbn"):
            Book.objects.filter(isbn=isbn).update(price=4)
    return JsonResponse({})

# SPDX-License-Identifier: Apache-2.0
from django.urls import path

from . import views

urlpatterns = [path("titles", views.titles), path("newest", views.newest), path("raise", views.raise_prices),
               path("book/<isbn>", views.book)]

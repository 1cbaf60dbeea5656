# SPDX-License-Identifier: Apache-2.0
"""A blog of 8,000 posts and 40,000 comments in Django: lists, tags, archive, feed, comments, sign-in; 90 requests."""

import datetime
import os
import random
import sys
import types

import django
from django.conf import settings

FOLDER, STEP = sys.argv[1:3]
sys.modules["blog"] = types.ModuleType("blog")
sys.modules["blog"].__path__ = [FOLDER]
settings.configure(
    SECRET_KEY="x", ALLOWED_HOSTS=["testserver"], ROOT_URLCONF="__main__", USE_TZ=True,
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.path.join(FOLDER, "blog.sqlite3")}},
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "django.contrib.sessions", "blog"],
    PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
    MIDDLEWARE=["django.contrib.sessions.middleware.SessionMiddleware",
                "django.contrib.auth.middleware.AuthenticationMiddleware"])
django.setup()

from django.contrib.auth import authenticate, login  # noqa: E402
from django.contrib.auth.models import User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.core.paginator import Paginator  # noqa: E402
from django.db import connection, models, transaction  # noqa: E402
from django.db.models import Count, F, Prefetch  # noqa: E402
from django.http import HttpResponse, JsonResponse  # noqa: E402
from django.shortcuts import get_object_or_404  # noqa: E402
from django.test import Client  # noqa: E402
from django.urls import path  # noqa: E402
from django.utils import timezone  # noqa: E402


class Tag(models.Model):
    slug = models.SlugField(unique=True)

    class Meta:
        app_label = "blog"


class Post(models.Model):
    slug = models.SlugField(unique=True)
    title = models.CharField(max_length=200)
    body = models.TextField()
    author = models.ForeignKey(User, models.CASCADE)
    published = models.DateTimeField(db_index=True)
    views = models.IntegerField(default=0)
    tags = models.ManyToManyField(Tag, related_name="posts")

    class Meta:
        app_label = "blog"
        ordering = ["-published"]


class Comment(models.Model):
    post = models.ForeignKey(Post, models.CASCADE, related_name="comments", db_index=False)
    name = models.CharField(max_length=50)
    text = models.TextField()
    created = models.DateTimeField()

    class Meta:
        app_label = "blog"
        ordering = ["created"]
        indexes = [models.Index(fields=["post", "created"], name="comment_post_created")]


def listed(posts, page):
    page = Paginator(posts.select_related("author").prefetch_related("tags").defer("body"), 20).get_page(page)
    return JsonResponse([[post.title, post.author.username, [tag.slug for tag in post.tags.all()]] for post in page], safe=False)


def index(request):
    return listed(Post.objects.all(), request.GET.get("page"))


def tagged(request, slug):
    return listed(get_object_or_404(Tag, slug=slug).posts.all(), request.GET.get("page"))


def archive(request, year, month):
    first = timezone.make_aware(datetime.datetime(year, month, 1))
    return listed(Post.objects.filter(published__gte=first, published__lt=first + datetime.timedelta(31)), 1)


def post(request, slug):
    comments = Prefetch("comments", Comment.objects.order_by("created"))
    post = get_object_or_404(Post.objects.select_related("author").prefetch_related("tags", comments), slug=slug)
    Post.objects.filter(pk=post.pk).update(views=F("views") + 1)
    newer = Post.objects.filter(published__gt=post.published).order_by("published").only("slug").first()
    return JsonResponse({"title": post.title, "body": post.body, "tags": [tag.slug for tag in post.tags.all()],
                         "comments": [comment.text for comment in post.comments.all()], "newer": newer and newer.slug})


def comment(request, slug):
    post = get_object_or_404(Post.objects.only("pk"), slug=slug)
    with transaction.atomic():
        post.comments.create(name=request.POST["name"], text=request.POST["text"], created=timezone.now())
    return HttpResponse(status=201)


def cloud(request):
    tags = Tag.objects.annotate(count=Count("posts")).order_by("-count")[:30]
    return JsonResponse({tag.slug: tag.count for tag in tags})


def sign_in(request):
    login(request, authenticate(request, username=request.POST["name"], password=request.POST["password"]))
    return HttpResponse(status=204)


def mine(request):
    return JsonResponse(list(Post.objects.filter(author=request.user).values("title", "views")[:20]), safe=False)


urlpatterns = [path("", index), path("tag/<slug:slug>/", tagged), path("<int:year>/<int:month>/", archive), path("cloud/", cloud),
               path("login/", sign_in), path("mine/", mine), path("<slug:slug>/", post), path("<slug:slug>/comment/", comment)]


def make():
    call_command("migrate", verbosity=0)
    with connection.schema_editor() as editor:
        for model in (Tag, Post, Comment):
            editor.create_model(model)
    dice, first = random.Random(1), timezone.make_aware(datetime.datetime(2015, 1, 1))
    with transaction.atomic():
        users = [User.objects.create_user(f"user{i}", password="secret") for i in range(40)]
        Tag.objects.bulk_create(Tag(slug=f"tag-{i}") for i in range(120))
        Post.objects.bulk_create([
            Post(slug=f"post-{i}", title=f"Post {i}", body="Lorem ipsum " * dice.randint(20, 200), author=dice.choice(users),
                 published=first + datetime.timedelta(hours=11 * i)) for i in range(8000)], batch_size=100)
        link = Post.tags.through
        link.objects.bulk_create([link(post_id=i, tag_id=tag) for i in range(1, 8001) for tag in dice.sample(range(1, 121), 3)],
                                 batch_size=400)
        Comment.objects.bulk_create([
            Comment(post_id=dice.randint(1, 8000), name="someone", text="Well said. " * dice.randint(1, 9),
                    created=first + datetime.timedelta(hours=2 * i)) for i in range(40000)], batch_size=200)


def run():
    client, dice = Client(), random.Random(2)
    for page in range(1, 11):
        client.get("/", {"page": page})
    for i in range(30):
        slug = f"post-{dice.randint(0, 7999)}"
        assert client.get(f"/{slug}/").status_code == 200
        if i % 3 == 0:
            assert client.post(f"/{slug}/comment/", {"name": "reader", "text": "Thanks."}).status_code == 201
    for i in range(15):
        assert client.get(f"/tag/tag-{dice.randint(0, 119)}/", {"page": i % 3 + 1}).status_code == 200
    for month in range(1, 13):
        assert client.get(f"/2019/{month}/").status_code == 200
    client.get("/cloud/")
    client.post("/login/", {"name": "user7", "password": "secret"})
    for _ in range(5):
        assert client.get("/mine/").status_code == 200


{"make": make, "run": run}[STEP]()

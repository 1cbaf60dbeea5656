# SPDX-License-Identifier: Apache-2.0
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "shop.db", "TEST": {"NAME": "test.db"}}}
INSTALLED_APPS = ["django.contrib.contenttypes", "shop"]
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
SECRET_KEY = "of a test"
USE_TZ = True

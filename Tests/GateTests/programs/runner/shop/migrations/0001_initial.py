# SPDX-License-Identifier: Apache-2.0
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    operations = [
        migrations.CreateModel("Author", [
            ("id", models.AutoField(primary_key=True)),
            ("name", models.TextField()),
        ]),
        migrations.CreateModel("Book", [
            ("id", models.AutoField(primary_key=True)),
            ("title", models.TextField()),
            ("isbn", models.TextField(unique=True)),
            ("price", models.IntegerField(default=3)),
            ("author", models.ForeignKey("shop.Author", models.CASCADE, related_name="books")),
        ]),
    ]

# SPDX-License-Identifier: Apache-2.0
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    dependencies = []
    operations = [
        migrations.CreateModel("Author", [
            ("id", models.AutoField(primary_key=True)),
            ("name", models.CharField(max_length=50)),
        ]),
        migrations.CreateModel("Book", [
            ("id", models.AutoField(primary_key=True)),
            ("author", models.ForeignKey("shop.Author", models.CASCADE, related_name="books")),
            ("title", models.CharField(max_length=50)),
            ("isbn", models.CharField(max_length=20, unique=True)),
            ("price", models.IntegerField()),
        ]),
    ]

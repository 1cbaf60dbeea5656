# SPDX-License-Identifier: Apache-2.0
import os
import sys

from django.core.management import execute_from_command_line

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "conf")
execute_from_command_line(sys.argv)

# SPDX-License-Identifier: Apache-2.0
"""The tag of the wheel: its programs run with any Python, on the platform in WHEEL_PLATFORM."""

import os

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PlatformTag(BuildHookInterface):
    def initialize(self, version, build_data):
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-" + os.environ["WHEEL_PLATFORM"]

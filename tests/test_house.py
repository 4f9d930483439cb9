"""Limits on the source tree: what a verification loads, and how large the top of the tree is."""

import pytest
from tests import house

from shoal.release.certificate import TRUSTED_BASE


@pytest.mark.parametrize("asked", [{}, {"method": "cube", "recoding": "generalize"}], ids=["small", "proved"])
def test_verification_loads_fewer_than_45_modules_all_of_the_trusted_base(asked: dict[str, str]) -> None:
    found = house.verified(**asked)
    assert len(found) < 45
    assert {module.split(".")[1] for module in found if "." in module} <= set(TRUSTED_BASE)


def test_the_top_of_the_tree_stays_small() -> None:
    assert len(house.PACKAGES) <= 24
    assert len(house.MODULES) <= 6


def test_help_loads_the_command_line_and_the_settings_alone() -> None:
    parts = {module.split(".")[1] for module in house.loaded(house.HELP) if "." in module}
    assert parts <= {"__main__", "cli", "core", "request"}

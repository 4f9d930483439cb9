"""Crowds: whom a person could be, for all that an attacker knows of them and reads in a published table.

A published row is a candidate for a person if its cells say nothing that is false of them. This is read from cells
alone: nothing here knows how a release was made.
"""

from shoal.attacks.crowds.attacker_view import AttackerView, Cover, Covering, Places, cover_of, same
from shoal.attacks.crowds.crowd import Crowd, Spread, shared_values

__all__ = ["AttackerView", "Cover", "Covering", "Crowd", "Places", "Spread", "cover_of", "same", "shared_values"]

"""The desk: everything the web page does, without a page; it keeps what was decided and calls the library.

    Draft --change, undo--> Draft --start--> Run (a worker process) --> release, measures
      |                                        ^
      +--looking: preview, types, guesses      +-- found again after a restart, `lost` if the worker was killed

A desk is one private folder. Its files hold no cell of a table but in `uploads/`, which goes when the desk is closed,
and in the releases of its runs.
"""

from shoal.web.desk.desk import Desk
from shoal.web.desk.draft import Draft
from shoal.web.desk.history import History
from shoal.web.desk.runs import Run, Runs

__all__ = ["Desk", "Draft", "History", "Run", "Runs"]

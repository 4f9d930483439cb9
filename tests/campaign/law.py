"""The law, for one trial and every method: the release meets what was asked, or there is none.

Releases are decided from the published cells by `definitions`, which share no code with shoal. Methods that publish the
same partition publish the same cells, so each is decided once. In a share of the trials shoal's own audit decides as
well, of the release and of a random partition, and what is proved of cost and bound is compared between all methods.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from random import Random

import numpy as np
import polars as pl
from tests import oracle
from tests.campaign.definitions import Judge, Texts, covers
from tests.campaign.ledger import OUTCOMES
from tests.campaign.trials import HOME, Trial
from tests.oracle import Group

from shoal.checking.audit import audit
from shoal.core.errors import Infeasible, ShoalError, Unsupported
from shoal.methods.auto import choose, methods
from shoal.methods.base import Deadline, silent
from shoal.microdata.partition import Partition
from shoal.problem import Problem, Solution
from shoal.recoding.recode import Anatomized, Published, published_cells
from shoal.tables.star_marks import STAR, escape_stars

METHODS = ("auto", *methods())
DEAR = {"anneal": 40, "auto": 12, "cube": 10, "subset-dp": 6, "optimal": 6, "fragments": 5, "genetic": 5}
DEAR |= {"workload-mondrian": 4, "bottom-up": 2, "k-optimize": 4, "peel": 2, "r-gather": 2, "t-mondrian": 2}
"""Methods that take long: they get one trial in so many."""
AUDITED = 6
"""One trial in so many is also decided by shoal's own audit."""
EXACT_UP_TO = 9
"""Rows up to which methods are tried that look at every set of rows."""
PUBLISHED, INFEASIBLE, UNSUPPORTED, BROKEN = OUTCOMES


class Broken(AssertionError):
    """A law that does not hold; its text names it."""


@dataclass
class Seen:
    """What became of a trial: method by method, and why it was refused where it was."""

    outcomes: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)
    """Methods that broke a law, and which."""
    audits: int = 0
    releases: int = 0


class Choice:
    """Draws the methods that a trial is sent through: all but the dear ones, and some of these.

    What a method refused again and again, and never took, is sent to it one time in `SELDOM`.
    """

    SELDOM, OFTEN = 20, 2

    def __init__(self) -> None:
        self.refused: Counter[tuple[str, str, str]] = Counter()
        self.taken: set[tuple[str, str, str]] = set()
        self.explained: set[str] = set()
        """Cells whose refusal is in the ledger already."""
        self.broken: Counter[tuple[str, str]] = Counter()
        """How often each method broke each law."""

    def methods(self, trial: Trial, random: Random) -> list[str]:
        """Return the methods for a trial."""
        many = len(trial.rows) > EXACT_UP_TO
        return [
            name
            for name in METHODS
            if random.randrange(DEAR.get(name, 1)) == 0
            and not (many and (name == "auto" or "3^n" in methods()[name].running_time))
            and (not self._hopeless(name, trial) or random.randrange(self.SELDOM) == 0)
        ]

    def _hopeless(self, name: str, trial: Trial) -> bool:
        cells = [(name, trial.recoding, model.name) for model in trial.models]
        return any(self.refused[cell] > self.OFTEN and cell not in self.taken for cell in cells)

    def learn(self, trial: Trial, seen: Seen) -> None:
        """Take note of what methods took and refused."""
        for name, outcome in seen.outcomes.items():
            cells = [(name, trial.recoding, model.name) for model in trial.models]
            if outcome == PUBLISHED:
                self.taken.update(cells)
            elif outcome == UNSUPPORTED and len(cells) == 1:
                self.refused[cells[0]] += 1


ACROSS = "by all methods together: "
"""How a law begins that one method's release disproves of another's word."""


def examine(trial: Trial, names: Sequence[str], audited: bool, random: Random) -> Seen:
    """Send a trial through methods and say what became of it."""
    seen = Seen()
    try:
        problem = trial.problem
    except ShoalError as refusal:
        outcome = INFEASIBLE if isinstance(refusal, Infeasible) else UNSUPPORTED
        seen.outcomes = dict.fromkeys(names, outcome)
        seen.reasons = dict.fromkeys(names, str(refusal))
        return seen
    court = Court(trial, problem, audited)
    for name in names:
        try:
            outcome, reason = court.sent_through(name)
        except Exception as error:
            outcome, reason = BROKEN, ""
            seen.broken[name] = str(error) if isinstance(error, Broken) else f"{type(error).__name__}: {error}"
        seen.outcomes[name] = outcome
        if reason:
            seen.reasons[name] = reason
    for name, law in court.disagreements():
        seen.broken.setdefault(name, law)
    if audited:
        try:
            court.decide_a_random_partition(random)
        except Exception as error:
            seen.broken.setdefault("", f"{type(error).__name__}: {error}")
    seen.audits, seen.releases = court.audits, len(court.known)
    return seen


class Court:
    """Decides everything that methods make of one problem."""

    def __init__(self, trial: Trial, problem: Problem, audited: bool) -> None:
        self.trial, self.problem, self.audited = trial, problem, audited
        self.judge = Judge(trial.oracle, trial.homes)
        self.known: set[bytes] = set()
        self.solved: dict[str, Solution] = {}
        self.infeasible: list[str] = []
        self.audits = 0

    def sent_through(self, name: str) -> tuple[str, str]:
        """Run one method: what became of it, and the reason of a refusal."""
        try:
            solution = choose(self.problem, name, seed=0, deadline=Deadline(), progress=silent)
        except Infeasible as refusal:
            self.infeasible.append(name)
            self._refused_rightly()
            return INFEASIBLE, str(refusal)
        except Unsupported as refusal:
            if name != "auto" and not self.problem.uses_surrogates and not methods()[name]().accepts(self.problem):
                raise Broken("a method refuses only what it says it does not accept") from refusal
            return UNSUPPORTED, str(refusal)
        self._decide(solution)
        self.solved[name] = solution
        return PUBLISHED, ""

    def _refused_rightly(self) -> None:
        """Where joining classes can only help, all rows as one class do not meet what was called infeasible."""
        monotone = all(model.monotone for model in self.trial.models) and not self.trial.oracle.may_drop
        if not monotone or self.trial.population:
            return
        whole = tuple(range(len(self.trial.rows)))
        if not self.judge.failing([whole], [(STAR,) * len(self.trial.quasi)]):
            raise Broken("what all rows together meet is not called infeasible")

    def _decide(self, solution: Solution) -> None:
        partition = solution.partition
        starred = -1 if partition.starred is None else partition.starred
        key = partition.class_of_row.tobytes() + starred.to_bytes(4, "little", signed=True)
        if partition.dropped > self.trial.oracle.may_drop:
            raise Broken("no more rows are dropped than allowed")
        if key in self.known:
            return
        published = self.problem.publish(partition)
        _check(*self._failing(published))
        if self.audited:
            _check(*self._found_by_audit(published))
        self.known.add(key)

    def _failing(self, published: Published) -> tuple[list[str], str]:
        """The models that the published cells do not meet, by the definitions."""
        classes, cells, starred = self._read(published)
        return self.judge.failing(classes, cells, starred), "the published cells meet every model, by definition"

    def _read(self, published: Published) -> tuple[list[Group], list[Texts], Group]:
        """Read the classes from the cells, and check that cells cover what they hide."""
        kept = published.partition.kept.tolist()
        if not kept:
            raise Broken("a release has rows")
        if isinstance(published, Anatomized):
            return self._groups(published, kept), [], ()
        of_row = published.partition.class_of_row
        columns = [published_cells(cells, STAR).cast(pl.String).to_list() for cells in published.cells]
        of_group = [cells.of_group.tolist() for cells in published.cells]
        shown = list(zip(columns, of_group, strict=True))
        of_class = [tuple(texts[place[number]] for texts, place in shown) for number in range(of_row.max() + 1)]
        alike: dict[Texts, list[int]] = defaultdict(list)
        for row in kept:
            alike[of_class[of_row[row]]].append(row)
        if len(alike) != len(set(of_row[kept].tolist())):
            raise Broken("classes are the rows with equal cells")
        self._check_cells(alike)
        starred = tuple(alike.get((STAR,) * len(columns), ())) if self.trial.recoding == "full-domain" else ()
        return [tuple(rows) for rows in alike.values()], list(alike), starred

    def _check_cells(self, alike: dict[Texts, list[int]]) -> None:
        for texts, rows in alike.items():
            for text, column in zip(texts, self.trial.oracle.quasi, strict=True):
                values = [self.trial.rows[row][column.name] for row in rows]
                if column.recoded(self.trial.recoding) == "centroid":
                    if not oracle.shows(text, oracle.centroid(column, values)):
                        raise Broken("every centroid is that of its class")
                elif not all(covers(text, value, column, self.trial.recoding) for value in values):
                    raise Broken("every cell covers the value it hides")

    def _groups(self, published: Anatomized, kept: list[int]) -> list[Group]:
        """The groups of two tables, and whether their sensitive values are those of their rows."""
        tables, names = published.tables(), published.names
        alike: dict[int, list[int]] = defaultdict(list)
        for row, number in zip(kept, tables["table"][names.group].to_list(), strict=True):
            alike[number].append(row)
        shown = self.trial.frame.select(
            escape_stars(self.trial.frame[name]) if self.trial.frame[name].dtype == pl.String else pl.col(name)
            for name in self.trial.sensitive
        ).rows()
        counted: dict[tuple[object, ...], int] = defaultdict(int)
        for number, rows in alike.items():
            for row in rows:
                counted[number, *shown[row]] += 1
        if {row[:-1]: row[-1] for row in tables["sensitive"].rows()} != counted:
            raise Broken("the second table counts the values of each group")
        return [tuple(rows) for rows in alike.values()]

    def _found_by_audit(self, published: Published) -> tuple[list[str], str]:
        """The models that the published cells do not meet, by shoal's own audit."""
        self.audits += 1
        trial, tables = self.trial, published.tables()
        names = asdict(published.names) if isinstance(published, Anatomized) else {}
        homes = None
        if any(model.needs_households for model in trial.models):
            homes = pl.Series(HOME, [trial.homes[row] for row in published.partition.kept.tolist()])
        found = audit(
            tables["table"],
            quasi=trial.quasi,
            sensitive=trial.sensitive,
            require=trial.models,
            hierarchies=trial.trees,
            population=trial.people,
            sensitive_table=tables.get("sensitive"),
            household=homes,
            **names,
        )
        return [one.name for one in found.findings if not one.holds], "the audit confirms every model"

    def decide_a_random_partition(self, random: Random) -> None:
        """Guarantees that audit and definitions agree on a partition that nobody chose."""
        if self.problem.recoding_kind.alike_in_all:
            return
        labels = [random.randrange(3) for _ in self.trial.rows]
        partition = Partition.of(np.array(labels))
        published = self.problem.publish(partition)
        by_definition, by_audit = self._failing(published)[0], self._found_by_audit(published)[0]
        sure = [name for name in by_definition if name != "presence"]  # the audit admits what its bounds prove
        if set(sure) - set(by_audit) or (set(by_audit) - set(by_definition) - {"presence"}):
            raise Broken(f"the audit says of any partition what the definitions say: {by_audit} and {by_definition}")

    def disagreements(self) -> Iterator[tuple[str, str]]:
        """Yield methods whose word another method's release disproves."""
        if not self.solved:
            return
        least = min(solution.cost for solution in self.solved.values())
        for name in self.infeasible:
            yield name, ACROSS + "what one publishes is not called infeasible"
        for name, solution in self.solved.items():
            slack = 1e-9 * max(1.0, abs(least))
            if solution.lower_bound is not None and solution.lower_bound > least + slack:
                yield name, ACROSS + "no release costs less than a lower bound"
            if solution.status == "optimal" and solution.cost > least + slack:
                yield name, ACROSS + "no release costs less than one that is called optimal"


def _check(failing: list[str], law: str) -> None:
    if failing:
        raise Broken(f"{law}: {', '.join(failing)}")

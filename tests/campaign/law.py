"""The law, for one trial and some methods: the release meets what was asked, or there is none.

Releases are decided from the published cells by `definitions`, which share no code with shoal. Methods that publish the
same partition publish the same cells, so each is decided once. In a share of the trials shoal's own audit decides as
well, of the release and of a random partition, and what is proved of cost and bound is compared between all methods.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import accumulate
from random import Random

import numpy as np
import polars as pl
from tests import oracle
from tests.campaign.definitions import Judge, Texts, covers
from tests.campaign.encoding import HOME, difference
from tests.campaign.ledger import OUTCOMES, Tally
from tests.campaign.trials import MODELS, Drawn, Trial
from tests.oracle import Group

from shoal.checking.audit import audit
from shoal.core.errors import Infeasible, ShoalError, Unsupported
from shoal.methods.auto import choose, methods
from shoal.methods.base import Deadline, silent
from shoal.microdata.partition import Partition
from shoal.problem import Problem, Solution
from shoal.recoding.recode import Anatomized, Published, published_cells, recodings
from shoal.tables.star_marks import STAR, escape_stars, text_of

METHODS = ("auto", *methods())
DEAR = {"anneal": 25, "auto": 20, "subset-dp": 12, "cube": 10, "fragments": 6, "workload-mondrian": 4}
DEAR |= {"r-gather": 3, "genetic": 3, "peel": 3, "optimal": 3, "full-domain": 2, "sabre": 2, "incognito": 2}
"""How many times as long as the others methods take: so much more seldom they get a table."""
AUDITED = 100
"""One trial in so many is also decided by shoal's own audit, and its table is encoded by shoal's own way."""
EVERYBODY = 1000
"""One trial in so many goes through all methods; the others through one, now and then through two or three."""
MORE = (0,) * 16 + (1,) * 3 + (2,)
"""How many methods a trial goes through beside the first."""
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
    """Draws what is asked of a table, and of which methods: a method first, then what it does not always refuse.

    A pair of a recoding and a model that a method refused again and again, and never took, is drawn for it one time in
    `SELDOM`. Of some pairs the one with fewest releases is taken, so that all fill up.
    """

    SELDOM, OFTEN, SOME, MANY = 100, 5, 3, 15

    def __init__(self, known: Tally | None = None) -> None:
        known = known or Tally()
        self.pairs = [(recoding, model) for recoding in recodings() for model in MODELS]
        self.refused: Counter[str] = Counter()
        self.published: Counter[str] = Counter({cell: found[PUBLISHED] for cell, found in known.cells.items()})
        self.explained = set(known.reasons)
        """Cells whose refusal is in the ledger already."""
        self.broken: Counter[tuple[str, str]] = Counter()
        """How often each method broke each law."""
        for cell in known.reasons:
            self.refused[cell] = known.cells[cell][UNSUPPORTED]
        self.open = {name: [pair for pair in self.pairs if not self._hopeless(name, *pair)] for name in METHODS}
        self._shares = list(accumulate(self._share(name) for name in METHODS))

    def _share(self, name: str) -> float:
        """How often a method gets a table: less often if it takes long, or takes few pairs."""
        return min(max(len(self.open[name]), 2), self.MANY) / DEAR.get(name, 1)

    def draw(self, drawn: Drawn) -> tuple[Trial, list[str]] | None:
        """Return what is asked of a table, and the methods that it goes through; None where nothing was found."""
        random = drawn.random
        for _ in range(10):
            name = self._some_method(random)
            recoding, model = self._some_pair(name, random)
            more = [self._some_pair(name, random)[1] for _ in range(random.choice((0, 0, 0, 1, 1, 2)))]
            trial = drawn.asked(recoding, list(dict.fromkeys((model, *more))))
            if trial is not None and self._bearable(name, trial):
                return trial, self._methods(name, trial, random)
        return None

    def _methods(self, first: str, trial: Trial, random: Random) -> list[str]:
        if random.randrange(EVERYBODY) == 0:
            return [name for name in METHODS if self._bearable(name, trial)]
        others = [self._some_method(random) for _ in range(3 * random.choice(MORE))]
        taking = [name for name in others if self._bearable(name, trial) and self._takes(name, trial)]
        return list(dict.fromkeys((first, *taking)))[:3]

    def _some_method(self, random: Random) -> str:
        return random.choices(METHODS, cum_weights=self._shares)[0]

    def _some_pair(self, name: str, random: Random) -> tuple[str, str]:
        among = self.open[name] if random.randrange(self.SELDOM) and self.open[name] else self.pairs
        some = random.choices(among, k=self.SOME)
        return min(some, key=lambda pair: self.published[f"{name}|{pair[0]}|{pair[1]}"])

    def _takes(self, name: str, trial: Trial) -> bool:
        return not any(self._hopeless(name, trial.recoding, model.name) for model in trial.models)

    def _bearable(self, name: str, trial: Trial) -> bool:
        """Whether a method does not look at every set of too many rows."""
        return len(trial.rows) <= EXACT_UP_TO or not (name == "auto" or "3^n" in methods()[name].running_time)

    def _hopeless(self, name: str, recoding: str, model: str) -> bool:
        cell = f"{name}|{recoding}|{model}"
        return self.refused[cell] > self.OFTEN and not self.published[cell]

    def learn(self, trial: Trial, seen: Seen) -> None:
        """Take note of what methods took and refused."""
        for name, outcome in seen.outcomes.items():
            for model in trial.models:
                cell, pair = f"{name}|{trial.recoding}|{model.name}", (trial.recoding, model.name)
                if outcome == PUBLISHED:
                    self.published[cell] += 1
                    if self.published[cell] == 1 and pair not in self.open[name]:
                        self.open[name].append(pair)
                elif outcome == UNSUPPORTED and len(trial.models) == 1:
                    self.refused[cell] += 1
                    if self._hopeless(name, *pair) and pair in self.open[name]:
                        self.open[name].remove(pair)


ACROSS = "by all methods together: "
"""How a law begins that one method's release disproves of another's word."""


def examine(trial: Trial, names: Sequence[str], audited: bool, random: Random) -> Seen:
    """Send a trial through methods and say what became of it."""
    seen = Seen()
    assert trial.microdata.rows  # a table that cannot be encoded is a fault of the campaign
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
            court.check_encoding()
            court.decide_a_random_partition(random)
        except Exception as error:
            seen.broken.setdefault("", str(error) if isinstance(error, Broken) else f"{type(error).__name__}: {error}")
    seen.audits, seen.releases = court.audits, len(court.known)
    return seen


class Court:
    """Decides everything that methods make of one problem."""

    def __init__(self, trial: Trial, problem: Problem, audited: bool) -> None:
        self.trial, self.problem, self.audited = trial, problem, audited
        self.known: set[bytes] = set()
        self.solved: dict[str, Solution] = {}
        self.infeasible: list[str] = []
        self.audits = 0

    @cached_property
    def judge(self) -> Judge:
        """Who decides releases."""
        return Judge(self.trial.oracle, self.trial.homes)

    def sent_through(self, name: str) -> tuple[str, str]:
        """Run one method: what became of it, and the reason of a refusal."""
        try:
            solution = choose(self.problem, name, seed=0, deadline=Deadline(), progress=silent)
        except Infeasible as refusal:
            self.infeasible.append(name)
            self._refused_rightly()
            return INFEASIBLE, str(refusal)
        except Unsupported as refusal:
            sought = self.problem.uses_surrogates or self.problem.may_drop  # what merging or dropping did not reach
            if name != "auto" and not sought and not methods()[name]().accepts(self.problem):
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
        columns = [text_of(published_cells(cells, STAR)).to_list() for cells in published.cells]
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

    def check_encoding(self) -> None:
        """Guarantees that the table was encoded as shoal encodes a frame."""
        where = difference(self.trial.microdata, self.trial.encoded_by_shoal())
        if where:
            raise Broken(f"a table is encoded as shoal encodes a frame, {where}")

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

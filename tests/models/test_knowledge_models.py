"""(c,k)-safety and skyline privacy against every world and every fact; average t-closeness by its definition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, permutations, product
from math import prod

import numpy as np
import polars as pl
import pytest
from tests.oracle import Key, surest_by_facts, surest_by_implications, worlds
from tests.thorough import many

import shoal
from shoal.core.errors import Unsupported
from shoal.microdata.histogram import Classes, Values
from shoal.models import AverageTCloseness, CKSafety, Skyline
from shoal.models.background_knowledge import KnowledgeModel

Groups = Sequence[Sequence[str]]


def classes_of(groups: Groups) -> Classes:
    """A release with these values in its classes."""
    values = [value for group in groups for value in group]
    domain = sorted(set(values))
    codes = np.array([domain.index(value) for value in values])
    held = Values(codes, np.bincount(codes), pl.Series("illness", domain))
    return Classes(
        np.repeat(np.arange(len(groups)), [len(group) for group in groups]), len(groups), {("illness",): held}
    )


def releases(number: int, seed: int, most: int = 5) -> Iterator[list[list[str]]]:
    """Releases of up to so many people in one to three classes, over three or four values."""
    rng = np.random.default_rng(seed)
    for _ in range(number):
        rows = int(rng.integers(1, most + 1))
        values = rng.choice(list("abcd")[: int(rng.integers(1, 5))], rows).tolist()
        labels = rng.integers(0, 3, rows)
        yield [[v for v, label in zip(values, labels, strict=True) if label == one] for one in sorted(set(labels))]


def check_levels(number: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for groups in releases(number, seed):
        classes = classes_of(groups)
        k = int(rng.integers(0, 4))
        surest = surest_by_implications(groups, k)
        assert CKSafety(1, k, "illness").reached(classes) == pytest.approx(float(surest)), (groups, k)
        check_limit(lambda c, k=k: CKSafety(c, k, "illness"), classes, surest)
        facts = drawn(rng, 3)
        surest = surest_by_facts(groups, facts)
        assert skyline(facts, 1).reached(classes) == pytest.approx(float(surest)), (groups, facts)
        check_limit(lambda c, facts=facts: skyline(facts, c), classes, surest)


def drawn(rng: np.random.Generator, below: int) -> tuple[int, int, int]:
    """Numbers of facts of three kinds."""
    l, k, m = rng.integers(0, below, 3).tolist()  # noqa: E741 - the paper's name
    return l, k, m


def skyline(facts: tuple[int, int, int], c: int | Fraction) -> Skyline:
    """The model of an attacker who knows so many facts."""
    return Skyline(facts[0], facts[1], facts[2], c, "illness")


def check_limit(model: object, classes: Classes, surest: Fraction) -> None:
    """At the level that is reached the release is refused, a hair above it admitted."""
    assert callable(model)
    assert not model(surest).admits(classes).all()
    if surest < 1:
        assert model(surest + Fraction(1, 10**15)).admits(classes).all()


def test_the_surest_attacker_is_found() -> None:
    check_levels(many(40), seed=1)


@pytest.mark.slow
def test_the_surest_attacker_is_found_in_many_releases() -> None:
    check_levels(many(2000), seed=2)


def parts_of(number: int, places: int) -> Iterator[tuple[int, ...]]:
    """All ways to spread up to so many facts over places."""
    return (some for some in product(range(number + 1), repeat=places) if sum(some) <= number)


def chance(numerators: Iterable[int], denominators: Iterable[int]) -> Fraction:
    """The product of the fractions, none of them below 0; the first that is 0 ends it."""
    found = Fraction(1)
    for above, below in zip(numerators, denominators, strict=True):
        if found > 0:
            found = found * above / below if above > 0 else Fraction(0)
    return found


def all_false(counts: list[int], premises: int) -> Fraction:
    """The least chance that so many premises about a class are all false: of each person about the commonest values."""
    falling, people = sorted(counts, reverse=True), sum(counts)
    return min(
        chance(
            (people - place - sum(falling[:about]) for place, about in enumerate(parts)),
            range(people, people - len(parts), -1),
        )
        for about in range(premises + 1)
        for parts in product(range(1, premises + 1), repeat=about)
        if sum(parts) == premises and list(parts) == sorted(parts, reverse=True)
    )


def sure_by_implications(groups: Groups, k: int) -> list[Fraction]:
    """The formula of (c,k)-safety: how sure an attacker can be of somebody in each class."""
    counts = [list(Counter(group).values()) for group in groups]
    found = []
    for own, held in enumerate(counts):
        odds = [
            all_false(held, spread[own] + 1)
            / Fraction(max(held), sum(held))
            * prod(all_false(other, spread[place]) for place, other in enumerate(counts) if place != own)
            for spread in parts_of(k, len(counts))
        ]
        found.append(1 / (1 + min(odds)))
    return found


def sure_by_facts(groups: Groups, facts: tuple[int, int, int]) -> list[Fraction]:
    """The formula of skyline privacy: how sure an attacker can be of somebody in each class."""
    l, known, sharers = facts  # noqa: E741 - the paper's name
    counts = [Counter(group) for group in groups]
    found = []
    for own, held in enumerate(counts):
        sure = Fraction(0)
        for value, having in held.items():
            odds = []
            for spread, shared in product(parts_of(known, len(counts)), parts_of(sharers, len(counts))):
                others = sum(sorted((n for v, n in held.items() if v != value), reverse=True)[:l])
                left = held.total() - spread[own]
                odd = Fraction(max(held.total() - having - others - spread[own], 0), having)
                if odd:
                    odd *= unlike(left - 1, having, shared[own])
                for place, other in enumerate(counts):
                    if place != own and value in other:
                        rest = other.total() - min(spread[place], other.total() - other[value])
                        odd *= unlike(rest, other[value], shared[place])
                odds.append(odd)
            sure = max(sure, 1 / (1 + min(odds)))
        found.append(sure)
    return found


def unlike(people: int, having: int, sharers: int) -> Fraction:
    """The chance that so many of some people do not have a value that some of these have."""
    return chance((people - having - i for i in range(sharers)), (people - i for i in range(sharers)))


def larger_releases(number: int, seed: int) -> Iterator[list[list[str]]]:
    """Releases of two or three classes of 4 to 12 people, over three to seven values."""
    rng = np.random.default_rng(seed)
    for _ in range(number):
        sizes = rng.integers(4, 13, int(rng.integers(2, 4))).tolist()
        yield [rng.choice(list("abcdefg")[: int(rng.integers(3, 8))], size).tolist() for size in sizes]


def test_the_formulas_hold_in_larger_classes() -> None:
    """The formulas are those of the classes' documentation, which small releases are compared with every world for."""
    rng = np.random.default_rng(3)
    for groups in larger_releases(many(25), seed=3):
        classes, k = classes_of(groups), int(rng.integers(0, 4))
        check_formula(lambda c, k=k: CKSafety(c, k, "illness"), classes, sure_by_implications(groups, k))
        facts = drawn(rng, 3)
        check_formula(lambda c, facts=facts: skyline(facts, c), classes, sure_by_facts(groups, facts))


def check_formula(model: Callable[..., KnowledgeModel], classes: Classes, sure: list[Fraction]) -> None:
    assert model(1).level(classes).tolist() == pytest.approx([float(one) for one in sure])
    for level in sure:
        assert model(level).admits(classes).tolist() == [one < level for one in sure]


def surest_of_all(groups: Sequence[Sequence[Key]], k: int) -> Fraction:
    """How sure k implications make an attacker whatever they conclude, by trying all between any two atoms."""
    every = worlds(groups)
    atoms = sorted({(person, value) for world in every for person, value in enumerate(world)}, key=repr)
    surest = Fraction(0)
    for chosen in combinations(list(permutations(atoms, 2)), k):
        left = [w for w in every if all(w[a] != x or w[b] == y for (a, x), (b, y) in chosen)]
        for person, value in atoms if left else ():
            surest = max(surest, Fraction(sum(world[person] == value for world in left), len(left)))
    return surest


@pytest.mark.parametrize("k", [1, 2])
def test_implications_with_one_conclusion_say_most(k: int) -> None:
    for groups in ([["a", "b", "c"]], [["a", "a", "b"]], [["a", "b"], ["a", "b"]], [["a", "b"], ["c"]]):
        assert surest_of_all(groups, k) == surest_by_implications(groups, k)


def merged(groups: Groups, one: int, other: int) -> list[list[str]]:
    rest = [list(group) for place, group in enumerate(groups) if place not in (one, other)]
    return [[*groups[one], *groups[other]], *rest]


def check_merging(number: int, seed: int, most: int) -> None:
    rng = np.random.default_rng(seed)
    for groups in releases(number, seed, most):
        facts = drawn(rng, 4)
        models: list[KnowledgeModel] = [CKSafety(1, facts[0], "illness"), skyline(facts, 1)]
        for model, (one, other) in product(models, combinations(range(len(groups)), 2)):
            coarser = model.reached(classes_of(merged(groups, one, other)))
            assert coarser <= model.reached(classes_of(groups)) + 1e-9, (str(model), groups)
            alone = model.surrogate(None)
            each = [alone.reached(classes_of([group])) for group in (groups[one], groups[other])]
            assert alone.reached(classes_of([[*groups[one], *groups[other]]])) <= max(each) + 1e-9, (str(model), groups)


def test_merging_never_makes_an_attacker_surer() -> None:
    check_merging(many(20), seed=1, most=12)


@pytest.mark.slow
def test_merging_never_makes_an_attacker_surer_in_many_releases() -> None:
    check_merging(many(800), seed=2, most=24)


def test_who_knows_nothing_is_as_sure_as_the_largest_share() -> None:
    classes = classes_of(["aab", "abc"])
    assert CKSafety(1, 0, "illness").level(classes).tolist() == pytest.approx([2 / 3, 1 / 3])
    assert Skyline(0, 0, 0, 1, "illness").level(classes).tolist() == pytest.approx([2 / 3, 1 / 3])


def test_a_premise_about_another_class_may_be_the_best() -> None:
    classes = classes_of(["abcde", "aaaab"])
    together, alone = CKSafety(1, 1, "illness"), CKSafety(1, 1, "illness").surrogate(None)
    assert together.level(classes)[0] == pytest.approx(5 / 9)  # 1 / (1 + 4/5 * 1/5 / (1/5))
    assert alone.level(classes)[0] == pytest.approx(1 / 4)


def test_a_fact_about_a_class_with_one_value_makes_all_others_sure() -> None:
    """Who knows that somebody of the first class having a means that a target has b is sure of b."""
    classes = classes_of(["aa", "dd", "ee", "bcf"])
    assert CKSafety(1, 1, "illness").level(classes).tolist() == [1, 1, 1, 1]
    assert CKSafety(1, 1, "illness").surrogate(None).level(classes).tolist() == [1, 1, 1, 1 / 2]


def test_some_classes_cannot_be_decided_by_themselves() -> None:
    classes = classes_of(["ab", "ab"])
    part = Classes(
        np.array([0, 0]), 1, {name: values.at(np.array([0, 1])) for name, values in classes.attributes.items()}
    )
    for model in (CKSafety(1, 1, "illness"), AverageTCloseness(0, "illness")):
        assert model.admits(classes).tolist() in ([True, True], [False, False])
        with pytest.raises(Unsupported, match="all classes of a release together"):
            model.admits(part)


def test_the_average_distance_is_weighted_by_rows() -> None:
    classes = classes_of(["aaab", "bbbbbbaa"])  # the table: 5 a, 7 b
    distances = [3 / 4 - 5 / 12, 5 / 12 - 1 / 4]
    mean = (4 * distances[0] + 8 * distances[1]) / 12
    assert AverageTCloseness(1, "illness").reached(classes) == pytest.approx(mean)
    assert AverageTCloseness(Fraction(2, 9), "illness").admits(classes).all()
    assert AverageTCloseness(Fraction(2, 9) - Fraction(1, 10**15), "illness").admits(classes).tolist() == [False, True]


@pytest.mark.parametrize(
    ("groups", "mean"), [(["a", "ab"], "2/9"), (["a", "a", "c"], "4/9"), (["aaab", "bbbbbbaa"], "2/9")]
)
def test_an_average_at_the_limit_is_decided_in_fractions(groups: Groups, mean: str) -> None:
    classes = classes_of(groups)
    assert AverageTCloseness(Fraction(mean), "illness").admits(classes).all()
    assert not AverageTCloseness(Fraction(mean) - Fraction(1, 10**15), "illness").admits(classes).all()


def test_an_attribute_that_is_known_is_refused() -> None:
    for require in ("ck(illness|drug)=(1/2,1)", "skyline(illness|drug)=(0,0,0,1/2)", "average-t(illness|drug)=0.1"):
        with pytest.raises(Unsupported, match="is not defined where other attributes are known"):
            shoal.audit(
                {"town": ["x"], "illness": ["a"], "drug": ["b"]},
                quasi="town",
                sensitive=["illness", "drug"],
                require=require,
            )

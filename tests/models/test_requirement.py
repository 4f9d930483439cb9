from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal.models
from shoal.core.discovery import discover
from shoal.core.errors import ParameterError
from shoal.models import (
    Alpha,
    AverageTCloseness,
    BetaLikeness,
    CKSafety,
    DeltaDisclosure,
    DeltaPresence,
    DistinctLDiversity,
    EnhancedBetaLikeness,
    EntropyLDiversity,
    KAnonymity,
    KHouseholds,
    KMap,
    LDiversity,
    MInvariance,
    Model,
    Models,
    NTCloseness,
    Personal,
    RangeDiversity,
    RecursiveLDiversity,
    Skyline,
    TCloseness,
)
from shoal.models.average_risk import AverageRisk
from shoal.models.estimated_k_map import PoissonKMap, TruncatedPoissonKMap
from shoal.models.grassberger_l_diversity import GrassbergerLDiversity
from shoal.models.metric import Metric
from shoal.models.no_attack import NoAttack, NoAttackJournalist
from shoal.models.payout import Payout, PayoutJournalist
from shoal.models.population_uniqueness import (
    PitmanUniqueness,
    PopulationUniqueness,
    SlideNegativeBinomialUniqueness,
    ZayatzUniqueness,
)
from shoal.models.requirement import as_models, grammars, parse_requirement
from shoal.models.sample_uniqueness import SampleUniqueness

FORMS: list[tuple[str, Model]] = [
    ("k=5", KAnonymity(5)),
    ("l(a)=3", LDiversity(3, "a")),
    ("l(a)=1.5", LDiversity(Fraction(3, 2), "a")),
    ("l(a)=4/3", LDiversity(Fraction(4, 3), "a")),
    ("distinct-l(a)=3", DistinctLDiversity(3, "a")),
    ("entropy-l(a)=3", EntropyLDiversity(3, "a")),
    ("entropy-l(a)=2.5", EntropyLDiversity(Fraction(5, 2), "a")),
    ("recursive-l(a)=(2,3)", RecursiveLDiversity(2, 3, "a")),
    ("recursive-l(a)=(0.5,2)", RecursiveLDiversity(Fraction(1, 2), 2, "a")),
    ("t(a)=0.2", TCloseness(Fraction(1, 5), "a")),
    ("t(a)=1/3", TCloseness(Fraction(1, 3), "a")),
    ("t(a:equal)=0.2", TCloseness(0.2, "a", distance="equal")),
    ("t(a:ordered)=0.2", TCloseness(0.2, "a", distance="ordered")),
    ("t(a:numeric)=0.2", TCloseness(0.2, "a", distance="numeric")),
    ("t(a:hierarchy)=0.2", TCloseness(0.2, "a", distance="hierarchy")),
    ("t(a+b:sum)=0.2", TCloseness(0.2, ("a", "b"), distance="sum")),
    ("t(a+b|c:maximum:numeric:auto)=0.2", TCloseness(0.2, ("a", "b"), "c", "maximum:numeric:auto")),
    ("nt(a+b:sum:equal:ordered)=(9,0.2)", NTCloseness(9, 0.2, ("a", "b"), distance="sum:equal:ordered")),
    ("l(a+b)=2", LDiversity(2, ("a", "b"))),
    ("l(a+b+c)=2", LDiversity(2, ("a", "b", "c"))),
    ("l(a|b)=2", LDiversity(2, "a", "b")),
    ("t(a|b|c:ordered)=0.5", TCloseness(0.5, "a", ("b", "c"), "ordered")),
    ("distinct-l(a+b|c)=2", DistinctLDiversity(2, ("a", "b"), "c")),
    ('l("home town")=2', LDiversity(2, "home town")),
    ('t("a:b|c+d=(e),f":equal)=0.1', TCloseness(0.1, "a:b|c+d=(e),f", distance="equal")),
    (r'l("say \"hi\" \\ bye")=2', LDiversity(2, 'say "hi" \\ bye')),
    ("l(marital-status)=2", LDiversity(2, "marital-status")),
    ("alpha(a)=0.5", Alpha(0.5, "a")),
    ("beta(a)=2", BetaLikeness(2, "a")),
    ("enhanced-beta(a)=2", EnhancedBetaLikeness(2, "a")),
    ("delta(a)=1.5", DeltaDisclosure(1.5, "a")),
    ("e(a)=500", RangeDiversity(500, "a")),
    ("m(a)=3", MInvariance(3, "a")),
    ("nt(a)=(1000,0.2)", NTCloseness(1000, 0.2, "a")),
    ("average-t(a:equal)=0.2", AverageTCloseness(0.2, "a", distance="equal")),
    ("personal(a|b)=0.5", Personal(0.5, "a", "b")),
    ("ck(a)=(0.8,2)", CKSafety(0.8, 2, "a")),
    ("skyline(a)=(1,2,1,0.8)", Skyline(1, 2, 1, 0.8, "a")),
    ("nt(a:equal)=(1000,0.2)", NTCloseness(1000, 0.2, "a", distance="equal")),
    ("kmap=5", KMap(5)),
    ("kmap-poisson=(20,0.1,0.01)", PoissonKMap(20, "0.1", "0.01")),
    ("kmap-truncated=(20,1/30,0.01)", TruncatedPoissonKMap(20, "1/30", "0.01")),
    ("no-attack-journalist=(100,30)", NoAttackJournalist(100, 30)),
    ("population-uniques=(0.001,1/30)", PopulationUniqueness("0.001", "1/30")),
    ("zayatz-uniques=(0.001,0.01)", ZayatzUniqueness("0.001", "0.01")),
    ("pitman-uniques=(0.001,0.01)", PitmanUniqueness("0.001", "0.01")),
    ("snb-uniques=(0.001,0.01)", SlideNegativeBinomialUniqueness("0.001", "0.01")),
    ("grassberger-l(a)=2.5", GrassbergerLDiversity("2.5", "a")),
    ("k-households=3", KHouseholds(3)),
    ("presence=(0.1,0.5)", DeltaPresence(0.1, 0.5)),
    ("average-risk=0.05", AverageRisk(0.05)),
    ("sample-uniques=0.01", SampleUniqueness(0.01)),
    ("no-attack=(100,30)", NoAttack(100, 30)),
    ("payout=(300,4,1200,300)", Payout(300, 4, 1200, 300)),
    ("payout-journalist=(300,4,1200,300)", PayoutJournalist(300, 4, 1200, 300)),
]


@pytest.mark.parametrize(("text", "model"), FORMS)
def test_every_form_is_read_as_its_model_and_written_back(text: str, model: Model) -> None:
    assert list(parse_requirement(text)) == [model]
    assert str(model) == text


@pytest.mark.parametrize("kind", discover(shoal.models, Model))
def test_every_known_model_is_among_the_forms(kind: str) -> None:
    assert any(model.name == kind for _, model in FORMS)
    assert any(grammar.startswith(kind) for grammar in grammars())


@pytest.mark.parametrize("text", ["  k=5\n l(a)=3\tt(b:ordered)=0.2 ", "k=5,l(a)=3 , t(b:ordered)=0.2,"])
def test_models_are_separated_by_spaces_or_commas(text: str) -> None:
    found = parse_requirement(text)
    assert found == KAnonymity(5) & LDiversity(3, "a") & TCloseness(0.2, "b", distance="ordered")
    assert str(found) == "k=5 l(a)=3 t(b:ordered)=0.2"


def test_a_model_said_twice_is_one() -> None:
    assert str(parse_requirement("k=5 l(a)=2 k=5.0")) == "k=5 l(a)=2"


@pytest.mark.parametrize("text", ['l("a")=2', "l('a')=2", "l( a ) = 2", "l(a)=2.0", "l(a)=4/2", "l(a)=(2)", "l(a)=2e0"])
def test_there_is_more_than_one_way_to_write_a_model(text: str) -> None:
    assert str(parse_requirement(text)) == "l(a)=2"


@pytest.mark.parametrize("text", ["t(a)=0.1", "t(a)=1/10", "t(a)=1e-1", "t(a)=.1"])
def test_numbers_are_what_they_say_and_not_their_binary_neighbours(text: str) -> None:
    [model] = parse_requirement(text)
    assert model.limit == Fraction(1, 10)


def test_a_distance_may_be_a_file(tmp_path: Path) -> None:
    path = tmp_path / "my metric.csv"
    path.write_text("low,mid,high\n0,0.5,1\n0.5,0,0.5\n1,0.5,0\n")
    [model] = parse_requirement(f't(pain:"{path}")=0.2')
    assert isinstance(model, TCloseness)
    assert isinstance(model.distance, Metric)
    assert model.distance.between("low", "mid") == Fraction(1, 2)
    assert str(model) == 't(pain:"my metric.csv")=0.2'


def test_a_distance_may_be_a_known_metric() -> None:
    metric = Metric.of(["low", "high"], [[0, 1], [1, 0]], "pains.csv")
    assert list(parse_requirement("t(pain:pains.csv)=0.2", {"pains.csv": metric})) == [
        TCloseness(0.2, "pain", distance=metric)
    ]


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("K=5", "k=5"),
        ("k-anonymity=5, T-Closeness(a)=0.2", "k=5 t(a)=0.2"),
        ("Distinct_L_diversity(a)=3", "distinct-l(a)=3"),
        ("l-diversity(a)=3", "l(a)=3"),
    ],
)
def test_titles_and_capitals_are_understood(text: str, means: str) -> None:
    assert parse_requirement(text) == parse_requirement(means)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the requirement is empty"),
        ("   ", "the requirement is empty"),
        ("kk=5", r"unknown model 'kk'; did you mean 'k'\?"),
        ("distinkt-l(a)=5", r"unknown model 'distinkt-l'; did you mean 'distinct-l'\?"),
        ("Q=5", "unknown model 'q'"),
        ("k", "ends too early; expected '='"),
        ("k=", "ends too early"),
        ("l(a)=", "ends too early"),
        ("k=five", "k is 'five'; expected a whole number of at least 1"),
        ("k=0", "k is '0'; expected a whole number of at least 1"),
        ("k=-5", "k is '-5'"),
        ("k=1.5", "k is '1.5'; expected a whole number"),
        ("k=inf", "k is 'inf'"),
        ("k=nan", "k is 'nan'"),
        ("l(a)=0.5", "l is '0.5'; expected a number of at least 1"),
        ("distinct-l(a)=1.5", "l is '1.5'; expected a whole number"),
        ("entropy-l(a)=0", "l is '0'; expected a number of at least 1"),
        ("recursive-l(a)=(0,2)", "c is '0'; expected a number above 0"),
        ("recursive-l(a)=3", r"recursive-l was given 1 numbers; expected recursive-l\(ATTRIBUTE\)=\(C,L\)"),
        ("recursive-l(a)=(1,2,3)", "recursive-l was given 3 numbers"),
        ("recursive-l(a)=(1,2", r"ends too early; expected '\)'"),
        ("t(a)=1.5", "t is '1.5'; expected a number from 0 to 1"),
        ("t(a)=-0.1", "t is '-0.1'"),
        ("t(a)=20%", "t is '20%'"),
        ("t(a)=1/0", "t is '1/0'"),
        ("t(a:weird)=0.2", "there is no distance and no file called 'weird'"),
        ("t(a:)=0.2", "expected a distance"),
        ("l(a:equal)=2", "l takes nothing after a colon"),
        ("l=2", r"l needs an attribute; expected l\(ATTRIBUTE\)=L"),
        ("l()=2", "expected a column"),
        ("l(a+)=2", "expected a column"),
        ("l(a|)=2", "expected a column"),
        ("k(a)=2", "k takes no attribute; expected k=K"),
        ("k=5)", r"cannot be read at '\)'; expected a model's name"),
        ("k=5 garbage", "unknown model 'garbage'"),
        ("k=5 l", r"l needs an attribute"),
        ("k=5,,l(a)=2", "cannot be read at ',"),
        (",k=5", "cannot be read at ',"),
        ("k=5 & l(a)=2", "unknown model '&'"),
        ('l("a)=2', "cannot be read at '\"a"),
        ("l(a+a)=2", "expected each column named once"),
        ("l(a|a)=2", "expected each column named once"),
        ("t(a+b:ordered)=0.2", "jointly has no distance .ordered.; expected equal, sum or maximum"),
        ("l(home town)=2", r"cannot be read at ' ?town\)=2'; expected '\)'"),
    ],
)
def test_what_cannot_be_read_is_refused_in_words(text: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        parse_requirement(text)


def test_every_refusal_of_the_grammar_says_how_models_are_written() -> None:
    with pytest.raises(ParameterError, match=r"models are written .*k=K, .*l\(ATTRIBUTE\)=L"):
        parse_requirement("k=5)")


@pytest.mark.parametrize(
    "given",
    ["k=5 l(a)=2", KAnonymity(5) & LDiversity(2, "a"), [KAnonymity(5), LDiversity(2, "a"), KAnonymity(5)]],
    ids=["text", "joined", "list"],
)
def test_models_may_be_given_as_text_joined_or_listed(given: str | Models | list[Model]) -> None:
    assert as_models(given) == Models((KAnonymity(5), LDiversity(2, "a")))


def test_one_model_is_a_requirement() -> None:
    assert as_models(KAnonymity(5)) == Models((KAnonymity(5),))


@pytest.mark.parametrize("given", [[], [5], ["k=5"], 5, None], ids=str)
def test_what_is_no_model_is_refused(given: object) -> None:
    with pytest.raises(ParameterError, match="the requirement is not a model"):
        as_models(given)  # type: ignore[arg-type]


names = st.text(min_size=1, max_size=8)
shares = st.fractions(0, 1, max_denominator=10**6)
above_one = st.fractions(1, 1000, max_denominator=10**4)
many = st.integers(1, 10**9)


@st.composite
def models(draw: st.DrawFn) -> Model:
    attribute = draw(st.lists(names, min_size=1, max_size=3, unique=True).map(tuple))
    others = draw(
        st.just(()) | st.lists(names.filter(lambda name: name not in attribute), max_size=2, unique=True).map(tuple)
    )
    made: Model = draw(
        st.one_of(
            many.map(KAnonymity),
            st.builds(LDiversity, above_one, st.just(attribute), st.just(others)),
            st.builds(DistinctLDiversity, many, st.just(attribute), st.just(others)),
            st.builds(EntropyLDiversity, above_one, st.just(attribute), st.just(others)),
            st.builds(RecursiveLDiversity, above_one, many, st.just(attribute), st.just(others)),
            st.builds(
                TCloseness,
                shares,
                st.just(attribute),
                st.just(others),
                st.sampled_from(
                    ["auto", "equal", "ordered", "numeric", "hierarchy"] if len(attribute) == 1 else ["auto"]
                ),
            ),
        )
    )
    return made


@given(st.lists(models(), min_size=1, max_size=3))
def test_what_a_requirement_writes_it_reads_back(given_models: list[Model]) -> None:
    asked = Models(tuple(dict.fromkeys(given_models)))
    assert parse_requirement(str(asked)) == asked
    assert str(parse_requirement(str(asked))) == str(asked)


@given(st.text(alphabet="kltdis-()=0123.5,/|+:\"'\\ ab", max_size=20))
def test_any_text_is_read_or_refused_in_words(text: str) -> None:
    try:
        again = str(parse_requirement(text))
    except ParameterError:
        return
    assert str(parse_requirement(again)) == again


def test_two_metrics_of_one_name_are_refused() -> None:
    one = Metric.of(["a", "b"], [[0, 1], [1, 0]], "m.csv")
    other = Metric.of(["a", "b"], [[0, 0.5], [0.5, 0]], "m.csv")
    with pytest.raises(ParameterError, match=r"two metrics are called 'm\.csv'"):
        TCloseness(0.2, "s", distance=one) & TCloseness(0.2, "u", distance=other)

"""The requirement grammar: what `--require` and `require=` understand, from what the models declare.

    requirement = one or more of the following, separated by spaces or commas
    model       = NAME [ "(" attribute ")" ] "=" numbers
    attribute   = COLUMN { "+" COLUMN } { "|" COLUMN } { ":" OPTION }
    numbers     = NUMBER | "(" NUMBER { "," NUMBER } ")"

`a+b` reads a and b jointly; `a|b` counts b as known to the attacker; several options reach the model as one text, with
the colons between them. Column names with spaces or any of `()+|:=,` are written in quotes. The name of a model may be
its title, and letter case does not count: `K=5`, `k-anonymity=5`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import shoal.models
from shoal.core.discovery import discover, lookup
from shoal.core.errors import ParameterError
from shoal.models import Model, Models

if TYPE_CHECKING:
    from shoal.models.metric import Metric

_TOKEN = re.compile(r"""\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([()+|:=,])|([^\s()+|:=,"']+))""")


def parse_requirement(text: str, metrics: Mapping[str, Metric] | None = None) -> Models:
    """Read a requirement, with or without commas; a distance that is no known word is one of `metrics`, or a file.

    >>> print(parse_requirement('k=5 l(disease)=3 t(salary:ordered)=0.2 recursive-l("home town")=(2,3)'))
    k=5 l(disease)=3 t(salary:ordered)=0.2 recursive-l("home town")=(2,3)
    >>> parse_requirement("entropyl(disease)=3")
    Traceback (most recent call last):
    shoal.core.errors.ParameterError: unknown model 'entropyl'; did you mean 'entropy-l'?
    """
    tokens = _Tokens(text)
    models: list[Model] = []
    while not tokens.done:
        models.append(_model(tokens, metrics or {}))
        tokens.sign(",")
    if not models:
        raise ParameterError("the requirement is empty", expected=f"for example k=5; models: {', '.join(grammars())}")
    return Models(tuple(dict.fromkeys(models)))


def as_models(require: str | Model | Models | Iterable[Model]) -> Models:
    """Accept a requirement as text, as a model, or as several."""
    if isinstance(require, str):
        return parse_requirement(require)
    if isinstance(require, Models):
        return require
    models = (require,) if isinstance(require, Model) or not isinstance(require, Iterable) else tuple(require)
    if not models or not all(isinstance(model, Model) for model in models):
        raise ParameterError(
            "the requirement is not a model", expected='text such as "k=5" or a model such as KAnonymity(5)'
        )
    return Models(tuple(dict.fromkeys(models)))


def grammars() -> list[str]:
    """Return how each known model is written."""
    return [model.grammar() for model in discover(shoal.models, Model).values()]


class _Tokens:
    """The words and signs of a requirement, one after the other; a quoted word is never a sign."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text.strip(), 0

    @property
    def done(self) -> bool:
        return self.at >= len(self.text)

    def take(self) -> tuple[str, bool]:
        match = _TOKEN.match(self.text, self.at)
        if match is None:
            raise self.wrong("something complete")
        self.at = match.end()
        double, single, sign, word = match.groups()
        quoted = double if double is not None else single
        if quoted is not None:
            return re.sub(r"\\(.)", r"\1", quoted), False
        return (sign, True) if sign else (word, False)

    def word(self, expected: str) -> str:
        start = self.at
        token, is_sign = self.take()
        if is_sign:
            self.at = start
            raise self.wrong(expected)
        return token

    def sign(self, signs: str) -> str | None:
        start = self.at
        if not self.done:
            token, is_sign = self.take()
            if is_sign and token in signs:
                return token
        self.at = start
        return None

    def need(self, sign: str) -> None:
        if self.sign(sign) is None:
            raise self.wrong(repr(sign))

    def wrong(self, expected: str) -> ParameterError:
        return ParameterError(
            f"the requirement cannot be read at {self.text[self.at :][:20]!r}"
            if not self.done
            else "the requirement ends too early",
            expected=expected,
            hint="models are written " + ", ".join(grammars()),
        )


def _model(tokens: _Tokens, metrics: Mapping[str, Metric]) -> Model:
    kind = _kind(tokens.word("a model's name"))
    attributes: list[str] = []
    given: list[str] = []
    option: str | Metric | None = None
    if tokens.sign("("):
        attributes.append(tokens.word("a column"))
        while tokens.sign("+"):
            attributes.append(tokens.word("a column"))
        while tokens.sign("|"):
            given.append(tokens.word("a column"))
        words = []
        while tokens.sign(":"):
            words.append(tokens.word("a distance"))
        option = metrics.get(words[0], words[0]) if len(words) == 1 else ":".join(words) or None
        tokens.need(")")
    if bool(attributes) != kind.reads_attribute:
        raise ParameterError(
            f"{kind.name} {'needs an' if kind.reads_attribute else 'takes no'} attribute",
            expected=kind.grammar(),
        )
    tokens.need("=")
    return kind.parse(tuple(attributes), tuple(given), option, _numbers(tokens))


def _kind(word: str) -> type[Model]:
    """Return the model of a name, or of its title, in any letter case.

    >>> _kind("K").name, _kind("k-anonymity").name, _kind("Distinct-l-diversity").name, _kind("l_diversity").name
    ('k', 'k', 'distinct-l', 'l')
    >>> _kind("k5")
    Traceback (most recent call last):
    shoal.core.errors.ParameterError: unknown model 'k5'; did you mean k=5?
    """
    plain = word.lower().replace("_", "-")
    try:
        return lookup(shoal.models, Model, plain, "model")
    except ParameterError:
        found = discover(shoal.models, Model).values()
        titled = {re.sub(r" \(.*", "", kind.title).lower().replace(" ", "-"): kind for kind in found}
        if plain in titled:
            return titled[plain]
        if rows := re.fullmatch("k?([0-9]+)", plain):
            raise ParameterError(f"unknown model {word!r}", hint=f"did you mean k={rows[1]}?") from None
        raise


def _numbers(tokens: _Tokens) -> list[str]:
    if not tokens.sign("("):
        return [tokens.word("a number")]
    numbers = [tokens.word("a number")]
    while tokens.sign(","):
        numbers.append(tokens.word("a number"))
    tokens.need(")")
    return numbers

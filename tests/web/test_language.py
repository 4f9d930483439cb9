"""The page in German and French: no text is left out or left in English, and numbers are written as people do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.web.browser import Steward
from tests.web.page_texts import given, library_source, marked, parameters, trees, unmarked
from tests.web.server import Served, served
from tests.web.tab import Tab

import shoal.hierarchies
from shoal.attacks.run import chosen_attacks
from shoal.core.discovery import discover
from shoal.hierarchies import Builder
from shoal.models.presets import PRESETS
from shoal.tables.roles import MEANING
from shoal.web import check, theme
from shoal.web.app import STEPS
from shoal.web.desk import Desk, queries, worker
from shoal.web.desk.jobs import Job
from shoal.web.guard import REFUSED
from shoal.web.language import (
    FORMS,
    LANGUAGES,
    SPOKEN,
    amount,
    catalogue,
    known,
    level,
    listed,
    percent,
    preferred,
    t,
    whole,
)
from shoal.web.page import Step
from shoal.web.privacy import explained, plainly

if TYPE_CHECKING:
    from playwright.sync_api import Browser

OTHERS = [name for name in LANGUAGES if name != "en"]
ROWS = "".join(f"{20 + n % 20},{'ab'[n % 2]},{'flu' if n % 20 < 10 else 'gc'[n % 2]}\n" for n in range(80))


@pytest.fixture(params=OTHERS)
def language(request: pytest.FixtureRequest) -> Iterator[str]:
    """Read the page in a language."""
    before = SPOKEN.set(request.param)
    yield request.param
    SPOKEN.reset(before)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A desk with a table, decisions about it and a release that is measured."""
    folder = tmp_path_factory.mktemp("languages")
    (folder / "ills.csv").write_text(f"age,town,illness\n{ROWS}")
    one = Desk(folder / "desk", root=folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Job, "start", lambda job: worker.main(job.folder))
        one.open("ills.csv")
        one.change(roles={"age": "quasi", "town": "quasi", "illness": "sensitive"}, require=["k=3"])
        one.start()
        yield one
    one.close()


# --- the catalogue ---


@pytest.mark.parametrize("name", OTHERS)
def test_every_text_is_translated_and_nothing_else_is_but_texts_of_the_library(name: str) -> None:
    texts, said = set(marked()), set(catalogue(name))
    assert not sorted(texts - said)
    source = library_source()
    assert not [one for one in said - texts - set(_library()) if one not in source]


@pytest.mark.parametrize("name", OTHERS)
def test_a_translation_is_filled_in_like_its_text(name: str) -> None:
    for text, said in catalogue(name).items():
        assert parameters(said) == parameters(text), text
        assert said, text
        assert said == said.strip(), text
        if "n" in parameters(text):
            assert said.count(FORMS) == text.count(FORMS), text


def test_a_text_is_given_what_it_names() -> None:
    for name, tree in trees():
        for text, names, line in given(tree):
            assert names - {"n"} == parameters(text) - {"n"}, f"{name}:{line}: {text}"
            assert FORMS not in text or not names or "n" in names, f"{name}:{line}: {text}"


def test_no_text_is_shown_that_the_catalogue_does_not_know() -> None:
    told = set(catalogue("de"))
    assert not [one for one in unmarked() if one.split(": ", 1)[1] not in told]


def _library() -> Iterator[str]:
    """Return the texts of the library that the page shows in the reader's language."""
    for model in queries.models():
        yield from (model.title, plainly(model.meaning), *(plainly(field.meaning) for field in model.fields))
    for preset in PRESETS.values():
        yield from (preset.title, plainly(preset.meaning))
    yield from MEANING.values()
    yield from (one.title for one in (*queries.recodings(), *queries.costs()))
    yield from (kind.meaning for kind in discover(shoal.hierarchies, Builder).values())
    yield from (one.meaning for one in chosen_attacks(None))


@pytest.mark.parametrize("name", OTHERS)
def test_what_the_library_calls_its_parts_is_translated(name: str) -> None:
    same = {"t-closeness", "k-map"}
    assert not [one for one in _library() if one not in catalogue(name) and one not in same]


def test_what_a_requirement_asks_for_is_said_with_its_numbers(language: str) -> None:
    said = {"de": "jede Gruppe hat mindestens 5 Zeilen", "fr": "chaque groupe a au moins 5 lignes"}
    assert explained("k=5") == (said[language],)
    for model in queries.models():
        meaning = str(known(plainly(model.meaning)))
        names = [field.name for field in model.fields]
        assert all(re.search(rf"\b{name}\b", meaning) for name in names), meaning


# --- writing ---


def test_a_text_is_english_by_itself_and_the_readers_where_it_is_written(language: str) -> None:
    text = t("{n} row|{n} rows", n=1200)
    assert text == "1,200 rows"
    assert str(text) == f"{text}" == {"de": "1.200 Zeilen", "fr": "1\u202f200 lignes"}[language]
    assert f"{t('To {step}', step=t('Roles'))}" == {"de": "Zu Rollen", "fr": "Vers Rôles"}[language]
    assert str(t("These attacks hit no row: {nobody}.", nobody=[t("cost"), "x"])).endswith(f"{t('cost')}, x.")
    assert str(known("no such text")) == "no such text"
    assert listed([t("cost"), 3], "; ") == f"{t('cost')}; 3"


def test_numbers_have_the_signs_of_the_language(language: str) -> None:
    written = [f"{one}" for one in (whole(1234567), percent(0.1234), amount(1234.5), level((0.25, 2)))]
    assert (
        written
        == {
            "de": ["1.234.567", "12,3 %", "1.234,5", "(0,25, 2)"],
            "fr": ["1\u202f234\u202f567", "12,3 %", "1\u202f234,5", "(0,25, 2)"],
        }[language]
    )


@pytest.mark.parametrize(("many", "german", "french"), [(0, "0 Zeilen", "0 ligne"), (1, "1 Zeile", "1 ligne")])
def test_none_and_one_are_counted_as_the_language_does(many: int, german: str, french: str) -> None:
    said = []
    for name in OTHERS:
        before = SPOKEN.set(name)
        said.append(f"{t('{n} row|{n} rows', n=many)}")
        SPOKEN.reset(before)
    assert said == [german, french]


@pytest.mark.parametrize(
    ("cookies", "accepted", "spoken"),
    [
        ("", "", "en"),
        ("", "de-CH,de;q=0.9,en;q=0.8", "de"),
        ("", "en;q=0.2, fr-CA", "fr"),
        ("", "pt-BR,pt;q=0.9", "en"),
        ("", "de;q=0, fr;q=0.1", "fr"),
        ("", "de;q=odd,,;;", "en"),
        ("a=b; shoal-language=fr", "de", "fr"),
        ("shoal-language=xx", "de", "de"),
    ],
)
def test_the_language_is_the_one_that_was_chosen_or_that_the_browser_asks_for(
    cookies: str, accepted: str, spoken: str
) -> None:
    assert preferred(cookies, accepted) == spoken


# --- the page ---


def _words(tab: Tab) -> Iterator[str]:
    """Return every text of a page: what is read, and what is read out."""
    for one in tab.box.descendants():
        markup = str(one._props.get("innerHTML", ""))
        spoken = [unescape(said) for said in re.findall(r'(?:aria-label|title)="([^"]*)"', markup)]
        read = map(unescape, re.split(r"<[^>]*>", markup))
        told = (one._text or "", *(str(one._props.get(name, "")) for name in ("aria-label", "title", "data-large")))
        yield from (said.strip() for said in (*told, *spoken, *read) if said.strip())


def _patterns(name: str) -> list[re.Pattern[str]]:
    """Return what English texts look like on a page, where their translations look otherwise."""
    found = []
    for text, said in catalogue(name).items():
        for form in text.split(FORMS) if "n" in parameters(text) else [text]:
            fixed = re.sub(r"{[^}]*}", "", form)
            if said != text and (fixed == form or len(re.sub(r"[^A-Za-z]", "", fixed)) > 12):
                found.append(re.compile(re.sub(r"\\{[^}]*\\}", ".+", re.escape(form))))
    return found


@pytest.mark.parametrize("step", [*STEPS, check.STEP], ids=lambda step: step.name)
def test_nothing_on_a_page_is_left_in_english(step: Step, language: str, desk: Desk) -> None:
    picks = {"values": "yes", "original": "yes", "more": "age", "rows": "20", "distribution": "age"}
    words = list(_words(Tab(desk, step, **picks)))
    english = _patterns(language)
    left = {one for one in words if any(pattern.fullmatch(one) for pattern in english)}
    same = set(catalogue(language).values())
    assert not left - same
    assert any(one in same for one in words)


def test_the_frame_and_what_stands_outside_it_are_translated(language: str) -> None:
    assert f'lang="{language}"' in theme.nowhere()
    assert str(t("There is no such page")) in theme.nowhere()
    assert str(t("Opening the page …")) in theme.first()
    assert str(REFUSED) != REFUSED
    assert all(str(step.title) != step.title for step in STEPS)


# --- in a browser ---


@pytest.mark.web
@pytest.mark.parametrize(
    ("locale", "title", "size", "other"),
    [("de-AT", "Welche Tabelle möchten Sie veröffentlichen?", "1.000", "Français"),
     ("fr-FR", "Quelle table voulez-vous publier ?", "1\u202f000", "Deutsch")],
)  # fmt: skip
def test_the_browsers_language_is_spoken_and_another_can_be_chosen(
    browser: Browser, folder: Path, desk_served: Served, locale: str, title: str, size: str, other: str
) -> None:
    (folder / "many.csv").write_text("age,town\n" + "".join(f"{n % 90},{n % 7}\n" for n in range(1000)))
    steward = Steward.at(browser, desk_served, locale=locale)
    steward.drawn()
    page = steward.page
    assert page.locator("h1").inner_text() == title
    assert page.locator("html").get_attribute("lang") == locale[:2]
    page.locator("#path").fill("many.csv")
    page.keyboard.press("Enter")
    page.locator(".number strong").get_by_text(size, exact=True).wait_for()
    page.locator('[data-key="language"]').select_option(label=other)
    page.wait_for_function("lang => document.documentElement.lang !== lang", arg=locale[:2])
    steward.drawn()
    assert page.locator("h1").inner_text() != title
    page.locator('[data-key="language"]').select_option(label="English")
    page.locator("h1").get_by_text("Which table do you want to publish?").wait_for()
    steward.press("undo")
    page.get_by_text("Undone. Now: Data").wait_for()
    assert not steward.complaints


@pytest.fixture
def desk_served(folder: Path, tmp_path: Path) -> Iterator[Served]:
    with served(folder, tmp_path / "state") as found:
        yield found

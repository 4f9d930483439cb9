"""What goes wrong is said in place, in words, and nothing is lost: bad input, tabs, reloads, crashes."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.web.browser import RUN, Steward
from tests.web.server import Served, served

from shoal.studies.synth import write_census

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.web


def begun(browser: Browser, desk: Served, *, preset: str | None = "survey-3") -> Steward:
    """A steward who has chosen the census, its roles and a preset."""
    steward = Steward.at(browser, desk)
    steward.drawn()
    name_file(steward, "census.csv")
    steward.sees("different values")
    steward.go("roles")
    steward.sees("are unique")
    if preset:
        steward.go("privacy")
        steward.press(f"preset-{preset}")
        steward.page.locator(f'[data-key="preset-{preset}"][aria-pressed=true]').wait_for()
    return steward


def name_file(steward: Steward, name: str) -> None:
    field = steward.page.locator("#path")
    field.fill(name)
    field.press("Enter")


def column(steward: Steward, name: str) -> None:
    """Look at a column's hierarchy."""
    steward.press(f"column-{name}")
    steward.page.locator(f'[data-key="column-{name}"][aria-pressed=true]').wait_for()


def long_run(steward: Steward) -> Path:
    """Start a run that does not end by itself, and wait until it is on; return its folder."""
    steward.go("method")
    steward.page.locator('[data-key="method-optimal"]').check()
    steward.page.locator('.chosen [data-key="method-optimal"]').wait_for()
    steward.go("run")
    steward.press("start")
    steward.page.locator('[data-key="stop"]').wait_for()
    (folder,) = (steward.served.desk / "runs").glob("0*")
    return folder


def harmless(said: str) -> bool:
    """Whether words are for people: no trace, no name of a class."""
    return "Traceback" not in said and "Error" not in said and bool(said.strip())


def test_a_wrong_file_is_refused_in_words(browser: Browser, desk: Served) -> None:
    steward = Steward.at(browser, desk)
    steward.drawn()
    for name, expected in (("notes.parquet", "notes.parquet"), ("../secret.csv", "outside"), ("none.csv", "no file")):
        name_file(steward, name)
        steward.page.get_by_role("alert").filter(has_text=expected).wait_for()
        assert harmless(steward.alert())
    steward.go("data")
    steward.drop(desk.folder / "notes.parquet")
    steward.page.get_by_role("alert").filter(has_text="notes.parquet").wait_for()
    steward.go("data")
    steward.page.evaluate("document.querySelector('.drop').dataset.limit = 10")
    steward.drop(desk.folder / "census.csv")
    steward.page.get_by_role("alert").filter(has_text="too large").wait_for()
    assert steward.page.locator(".file").inner_text() == "no table yet"
    assert list((desk.desk / "uploads").glob("*")) == []


def test_without_a_column_that_may_be_known_there_is_no_run(browser: Browser, desk: Served) -> None:
    (desk.folder / "tiny.csv").write_text("age,sex\n30,f\n31,m\n30,f\n31,m\n")
    steward = Steward.at(browser, desk)
    steward.drawn()
    name_file(steward, "tiny.csv")
    steward.sees("different values")
    steward.go("roles")
    for column in ("age", "sex"):
        steward.role(column, "Publish as is")
    steward.sees("No column may be known")
    for step in ("hierarchies", "privacy"):
        steward.go(step)
        steward.sees("at least one column that may be known")
    steward.go("run")
    assert steward.page.locator('[data-key="start"]').is_disabled()
    steward.press("lacking-roles")
    steward.sees("Accept all proposals")


def test_a_hierarchy_that_does_not_fit_is_refused_and_the_old_one_stays(
    browser: Browser, desk: Served, tmp_path: Path
) -> None:
    steward = begun(browser, desk, preset=None)
    steward.go("hierarchies")
    field = steward.page.get_by_label("Widths of the ranges")
    field.fill("5, 7")
    field.press("Enter")
    steward.page.get_by_role("alert").filter(has_text="multiple").wait_for()
    field = steward.page.get_by_label("Widths of the ranges")
    field.fill("10, 20")
    field.press("Enter")
    steward.page.get_by_text("[10, 20)").first.wait_for()
    column(steward, "marital")
    steward.press("values")
    outline = steward.page.locator("#outline")
    outline.fill("married\n  Nobody knows this")
    steward.press("use-outline")
    steward.page.get_by_role("alert").wait_for()
    assert harmless(steward.alert())
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("a;b;*\n")
    steward.page.get_by_text("Import a file").click()
    steward.page.get_by_label("Drop a hierarchy here").set_input_files(wrong)
    steward.page.get_by_role("alert").filter(has_text="leaves").wait_for()
    kept = json.loads((desk.desk / "desk.json").read_text())["history"]
    assert set(kept["drafts"][kept["at"]]["hierarchies"]) == {"age"}


def test_groups_of_your_own_and_an_imported_file_are_taken(browser: Browser, desk: Served) -> None:
    steward = begun(browser, desk, preset=None)
    steward.go("hierarchies")
    column(steward, "gender")
    steward.press("values")
    values = steward.page.locator("#outline").input_value().split()
    steward.page.locator("#outline").fill("people\n  " + "\n  ".join(values))
    steward.press("use-outline")
    steward.page.locator(".levels").get_by_text("people", exact=True).wait_for()
    column(steward, "race")
    steward.page.get_by_text("Import a file").click()
    file = next((desk.folder / "census_hierarchies").glob("*race*"))
    steward.page.get_by_label("Drop a hierarchy here").set_input_files(file)
    steward.page.get_by_text("2 your own").wait_for()


def test_a_number_that_cannot_be_is_refused(browser: Browser, desk: Served) -> None:
    steward = begun(browser, desk)
    for value in ("0", "many"):
        field = steward.page.locator("#type-0-0")
        field.fill(value)
        field.press("Enter")
        steward.page.get_by_role("alert").filter(has_text=value).wait_for()
        assert harmless(steward.alert())
        steward.page.wait_for_function("document.getElementById('type-0-0').value === '3'")
    steward.go("run")
    field = steward.page.get_by_label("Time limit in seconds")
    field.fill("soon")
    field.press("Enter")
    steward.page.get_by_role("alert").filter(has_text="soon").wait_for()


def test_two_clicks_remove_one_requirement(browser: Browser, desk: Served) -> None:
    steward = begun(browser, desk, preset="survey-3")
    steward.page.locator("#model").select_option("l")
    steward.press("add")
    remove = steward.page.get_by_role("button", name="Remove")
    remove.nth(1).wait_for()
    remove.first.dblclick()
    steward.page.wait_for_function("document.querySelectorAll('[data-key^=remove-]').length === 1")
    steward.page.wait_for_timeout(1000)
    assert remove.count() == 1
    assert steward.page.locator("main").count() == 1


def test_a_method_that_no_longer_fits_says_why(browser: Browser, desk: Served) -> None:
    steward = begun(browser, desk)
    steward.go("method")
    steward.page.locator('[data-key="method-forest"]').check()
    steward.page.locator('.chosen [data-key="method-forest"]').wait_for()
    steward.go("privacy")
    steward.press("preset-t-closeness")
    steward.page.locator('[data-key="preset-t-closeness"][aria-pressed=true]').wait_for()
    steward.go("method")
    steward.page.get_by_role("alert").filter(has_text="forest cannot do this").wait_for()


def test_what_cannot_be_met_says_what_can_and_one_click_takes_it(browser: Browser, desk: Served) -> None:
    steward = begun(browser, desk)
    field = steward.page.locator("#type-0-0")
    field.fill("5000")
    field.press("Enter")
    steward.sees("Every crowd has at least 5000 rows")
    steward.go("run")
    steward.press("start")
    steward.page.get_by_role("alert").filter(has_text="k=5000").wait_for()
    assert harmless(steward.alert())
    steward.page.get_by_role("button", name="k=600").click()
    steward.page.locator(".steps").get_by_text("crowds of 600").wait_for()
    steward.press("start")
    steward.sees("Run 2")
    steward.wait_for_run()


def test_before_there_is_a_release_the_last_steps_say_so(browser: Browser, desk: Served) -> None:
    steward = Steward.at(browser, desk)
    for step in ("result", "release"):
        steward.go(step)
        steward.sees("There is no release of this table yet")
    for step in ("roles", "hierarchies", "privacy", "method", "run"):
        steward.go(step)
        assert steward.complaints == []


def test_what_is_decided_in_one_tab_is_seen_in_the_other_and_can_be_undone(browser: Browser, desk: Served) -> None:
    steward = begun(browser, desk)
    other = Steward(steward.page.context.new_page(), desk)
    other.go("privacy")
    steward.press("preset-survey-5")
    other.sees("Every crowd has at least 5 rows")
    other.press("undo")
    steward.sees("Every crowd has at least 3 rows")
    steward.press("redo")
    other.sees("Every crowd has at least 5 rows")


def test_what_is_typed_stays_when_it_is_refused_and_while_another_tab_decides(browser: Browser, desk: Served) -> None:
    steward = begun(browser, desk)
    other = Steward(steward.page.context.new_page(), desk)
    other.go("privacy")
    steward.go("hierarchies")
    column(steward, "marital")
    steward.press("values")
    outline = steward.page.locator("#outline")
    values = "\n  ".join(outline.input_value().split("\n"))
    outline.fill("Some\n  Nobody knows this")
    steward.press("use-outline")
    steward.page.get_by_role("alert").wait_for()
    steward.page.wait_for_timeout(1000)
    assert outline.input_value() == "Some\n  Nobody knows this"
    outline.fill(f"Others\n  {values}")
    steward.press("import")
    other.press("preset-survey-5")
    steward.page.locator(".steps").get_by_text("crowds of 5").wait_for()
    steward.page.wait_for_timeout(500)
    assert outline.input_value() == f"Others\n  {values}"
    assert steward.page.get_by_label("Drop a hierarchy here").is_visible()
    steward.press("use-outline")
    steward.page.locator(".levels").get_by_text("Others", exact=True).wait_for()
    column(steward, "age")
    field = steward.page.get_by_label("Widths of the ranges")
    field.fill("10, 20")
    other.press("preset-survey-3")
    steward.page.locator(".steps").get_by_text("crowds of 3").wait_for()
    steward.page.wait_for_timeout(500)
    assert field.input_value() == "10, 20"
    field.press("Enter")
    steward.page.get_by_text("[10, 20)").first.wait_for()
    assert steward.complaints == []


def test_a_reload_and_a_closed_tab_lose_nothing_and_stop_keeps_the_best(browser: Browser, desk: Served) -> None:
    steward = begun(browser, desk)
    long_run(steward)
    steward.page.reload()
    steward.page.locator('[data-key="stop"]').wait_for()
    context = steward.page.context
    steward.page.close()
    again = Steward(context.new_page(), desk)
    again.go("run")
    again.press("stop")
    again.wait_for_run()
    again.press("see")
    again.sees("What it cost")
    again.press("what-if")
    again.press("stop-what-if")
    again.page.locator('[data-key="what-if"], #at').wait_for()


def test_a_killed_worker_is_noticed_and_leaves_nothing_half_written(browser: Browser, desk: Served) -> None:
    steward = begun(browser, desk)
    folder = long_run(steward)
    worker = json.loads((folder / "worker.json").read_text())["process"]
    os.kill(worker, signal.SIGKILL)
    steward.page.get_by_role("alert").filter(has_text="run it again").wait_for()
    assert not (folder / "release").exists()
    assert desk.process.poll() is None, "the server goes on"
    steward.press("again")
    steward.sees("Run 2")
    steward.page.locator('[data-key="stop"]').wait_for()
    steward.press("stop")
    steward.wait_for_run()


def test_a_killed_server_finds_the_run_again(browser: Browser, folder: Path, tmp_path: Path) -> None:
    with served(folder, tmp_path / "state") as desk:
        steward = begun(browser, desk)
        long_run(steward)
        desk.process.kill()
        desk.process.wait()
    with served(folder, tmp_path / "state") as desk:
        steward = Steward.at(browser, desk)
        steward.go("run")
        steward.press("stop")
        steward.wait_for_run()
        steward.sees("k=3")


def test_two_runs_stand_side_by_side_and_other_sizes_can_be_tried(browser: Browser, desk: Served) -> None:
    steward = begun(browser, desk)
    steward.go("method")
    steward.page.locator('[data-key="recoding-range"]').check()
    steward.page.locator('.chosen [data-key="recoding-range"]').wait_for()
    steward.go("run")
    steward.press("start")
    steward.wait_for_run()
    steward.go("result")
    steward.sees("What attacks reveal")
    steward.press("what-if")
    steward.page.locator("#at").wait_for(timeout=RUN)
    steward.page.locator("#at").press("End")
    steward.sees("With k = 50")
    steward.go("result?at=abc")
    steward.sees("With k = 3")
    steward.page.locator("#at").press("End")
    steward.sees("With k = 50")
    steward.press("use-value")
    steward.go("run")
    steward.sees("k=50")
    steward.press("start")
    steward.sees("Run 2")
    steward.wait_for_run()
    steward.go("result")
    steward.sees("Runs side by side")
    steward.press("original")
    steward.page.get_by_role("region", name="Rows before and after").locator(".was").first.wait_for()
    steward.go("run")
    steward.page.get_by_role("button", name="Delete run 1").click()
    steward.page.get_by_role("button", name="Delete run 1").wait_for(state="detached")
    kinds = [json.loads(one.read_text())["kind"] for one in (desk.desk / "runs").glob("0*/job.json")]
    assert kinds == ["run"], "what was tried for run 1 went with it"


def test_names_and_cells_that_look_like_markup_stay_text(browser: Browser, desk: Served) -> None:
    rows = "".join(f"<img src=x onerror=document.title='hit'>{number % 2},{number % 3}\n" for number in range(12))
    (desk.folder / "odd.csv").write_text(f"<b onclick=alert(1)>a,{{{{ 1 + 1 }}}}\n{rows}")
    steward = Steward.at(browser, desk)
    steward.drawn()
    name_file(steward, "odd.csv")
    steward.sees("different values")
    steward.press("rows")
    steward.page.get_by_role("region", name="The first rows of the table").wait_for()
    for step in ("roles", "hierarchies", "privacy"):
        steward.go(step)
        assert "hit" not in steward.page.title()
        assert steward.page.locator("main b, main img").count() == 0
    steward.go("roles")
    steward.sees("<b onclick=alert(1)>a")
    steward.sees("{{ 1 + 1 }}")


def test_a_large_census_is_usable_while_a_run_is_on(
    browser: Browser, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    import time

    folder = tmp_path / "tables"
    folder.mkdir()
    write_census(folder / "census.csv", 1_000_000, seed=1)
    with served(folder, tmp_path / "state") as desk:
        steward = begun(browser, desk)
        steward.go("method")
        steward.page.locator('[data-key="recoding-range"]').check()
        steward.page.locator('.chosen [data-key="recoding-range"]').wait_for()
        steward.go("run")
        steward.press("start")
        steward.page.locator('[data-key="stop"]').wait_for()
        for step in ("data", "roles", "hierarchies", "privacy", "method", "run", "result", "release"):
            began = time.monotonic()
            steward.page.goto(f"{desk.home}/{step}")
            steward.page.wait_for_selector("main h1")
            shell = time.monotonic() - began
            steward.drawn()
            record_property(
                "seen",
                f"1M rows, a run on: /{step} answers in {shell:.2f} s, drawn in {time.monotonic() - began:.2f} s",
            )

"""A paper of one's own: a folder with files only is reproduced like a packaged one."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import command_here
import own_paper
import tcphoton as tp
from tcphoton import papers
from tcphoton.analysis import statistics
from tcphoton.papers import keep, ledger, reproduce

pytestmark = pytest.mark.slow

THREE_SEEDS = own_paper.SWEEPS.replace("seeds = 2", "seeds = 3")
"""As few as a verdict needs."""
CIRCUITS = Path(__file__).parents[2] / "papers" / "circuits"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return own_paper.write(tmp_path, sweeps=THREE_SEEDS)


def test_a_folder_is_reproduced_with_verdicts_a_figure_and_a_page(
    home: Path, tmp_path: Path
) -> None:
    said = command_here.call("reproduce", home, "--out", tmp_path / "out", code=0)
    assert "DIFFERS\nqueue.1 " in said.stdout
    assert "HOLDS\nqueue.2 " in said.stdout
    inside = tmp_path / "out" / "queue"
    assert {"fig1.svg", "fig1.png", "fig1.parquet", "ledger.md", "run.json"} <= {
        each.name for each in inside.iterdir()
    }
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "The mean delay is 5 ms." in page
    assert command_here.call("report", tmp_path / "out").returncode == 0


def test_a_folder_with_two_seeds_cannot_tell(tmp_path: Path) -> None:
    found = reproduce.reproduce([str(own_paper.write(tmp_path))], tmp_path / "out")
    assert [each["verdict"] for each in found] == ["cannot tell"] * 2
    assert [each["parts"][0]["note"] for each in found] == ["2 seeds"] * 2


def test_what_is_published_is_judged_by_theory(home: Path, tmp_path: Path) -> None:
    scenario = tp.Scenario.load(home / "scenario.toml").with_({"traffic.0.source.rate": "8 Mb/s"})
    table = tp.Sweep(scenario, {"topology.links.0.rate": ["10 Mb/s"]}, seeds=6).run()
    (first, _) = papers.load(str(home)).claims
    found = first.parts[0].rule(table)
    assert found.verdict == "holds"
    assert found.band == pytest.approx((0.85 * own_paper.DELAY, 1.15 * own_paper.DELAY))


def test_an_artefact_of_a_folder_has_its_name_behind_a_slash(home: Path) -> None:
    assert reproduce.select([f"{home}/fig1"], "quick") == {str(home): ["fig1"]}
    assert reproduce.select([str(home)], "full") == {str(home): ["fig1"]}
    with pytest.raises(LookupError, match="queue has no artefact 'fig2'"):
        reproduce.select([f"{home}/fig2"], "quick")


def test_a_folder_without_sweeps_is_no_paper(tmp_path: Path) -> None:
    said = command_here.call("reproduce", tmp_path, code=2)
    assert "or a folder with a sweeps.toml" in said.stderr


WRONG = {
    "no title": ("sweeps", 'title = "A queue"\n', "", "sweeps.toml:1: title: missing"),
    "unknown key": (
        "sweeps", "[artefacts.fig1]\n", "[artefacts.fig1]\ngrid = 1\n",
        'sweeps.toml:16: artefacts.fig1.grid: unknown key (did you mean "grids"?)',
    ),
    "an artefact outside the folder": (
        "sweeps", "[artefacts.fig1]", '[artefacts."../fig1"]',
        'sweeps.toml:15: artefacts.../fig1: no name of a file; found ../fig1; '
        "accepted letters, digits, -, _ and .",
    ),
    "a grid with a path": (
        "sweeps", "[grids.one]", '[grids."/tmp/one"]\nscenario = "scenario.toml"\n[grids.one]',
        "grids./tmp/one: no name of a file; found /tmp/one",
    ),
    "no such grid": (
        "sweeps", 'grids = ["one"]', 'grids = ["on"]',
        "sweeps.toml:17: artefacts.fig1.grids: no grid 'on' (did you mean 'one'?)",
    ),
    "no such file": (
        "sweeps", '"scenario.toml"', '"scene.toml"',
        "sweeps.toml:5: grids.one.scenario: no such file; found scene.toml",
    ),
    "unknown key of a rule": (
        "sweeps", "seeds = 2\n", 'seeds = 2\nuntil = { measure = "delay-mean", width = 0.1 }\n',
        "sweeps.toml:9: grids.one.quick.0.until.width: unknown key",
    ),
    "a rule that cannot be": (
        "sweeps", "seeds = 2\n",
        'seeds = 2\nuntil = { measure = "delay-mean", relative-half-width = 0.1, at-most = 1 }\n',
        "grids.one.quick.0.until.at-most: too small; found 1; accepted a whole number from 2",
    ),
    "a rule that ends before it starts": (
        "sweeps", "seeds = 2\n",
        'seeds = 2\nuntil = { measure = "delay-mean", at-least = 9, at-most = 8 }\n',
        "sweeps.toml:9: grids.one.quick.0.until: 2 <= at_least <= at_most <= 100, not 9 and 8",
    ),
    "no plot": (
        "sweeps", '[artefacts.fig1]\n',
        '[artefacts.fig2]\ntitle = "-"\ngrids = ["one"]\n[artefacts.fig1]\n',
        "sweeps.toml:15: artefacts.fig2.plot: missing; accepted a table",
    ),
    "no parts": (
        "claims", "[[claims]]",
        '[[claims]]\nclaim = "queue.0"\nstatement = "-"\npublished = "-"\n[[claims]]',
        "claims.toml:1: claims.0.parts: missing",
    ),
    "another way to combine": (
        "claims", 'claim = "queue.2"', 'claim = "queue.2"\ncombine = "most"',
        'claims.toml:19: claims.1.combine: unknown value; found "most"; accepted "all", "any"',
    ),
    "no such measure of a rule": (
        "sweeps", "seeds = 2\n",
        'seeds = 2\nuntil = { measure = "delay-meen", relative-half-width = 0.1 }\n',
        "delay-meen",
    ),
    "text for a number": (
        "claims", f"published = {own_paper.DELAY}", 'published = "5 ms"',
        "claims.toml:13: claims.0.parts.0.published: not a number; found 5 ms; accepted a number",
    ),
    "no such rule": (
        "claims", 'rule = "less"', 'rule = "lesser"',
        "claims.toml:26: claims.1.parts.0.rule: not one of them (did you mean 'less'?)",
    ),
    "no such artefact": (
        "claims", 'artefact = "fig1"\nrule = "about"', 'artefact = "fig"\nrule = "about"',
        "claims.toml:9: claims.0.parts.0.artefact: not one of them (did you mean 'fig1'?)",
    ),
    "another paper's": (
        "claims", 'claim = "queue.2"', 'claim = "obs.2"',
        "claims.toml:18: claims.1.claim: another paper's claim; found obs.2; accepted queue.1",
    ),
    "twice": (
        "claims", 'claim = "queue.2"', 'claim = "queue.1"',
        "claims.toml:18: claims.1.claim: a name that another claim has; found queue.1",
    ),
    "not TOML": ("claims", "[[claims]]", "[[claims", "claims.toml:1: "),
}  # fmt: skip


@pytest.mark.parametrize("way", WRONG)
def test_a_mistake_in_a_file_is_named_with_its_line(way: str, tmp_path: Path) -> None:
    file, before, after, message = WRONG[way]
    texts = {"sweeps": own_paper.SWEEPS, "claims": own_paper.CLAIMS}
    assert before in texts[file]
    home = own_paper.write(tmp_path, **{file: texts[file].replace(before, after, 1)})
    said = command_here.call("reproduce", home, "--out", tmp_path / "out", code=2)
    assert message in said.stderr, said.stderr
    assert "Traceback" not in said.stderr
    assert not (tmp_path / "out" / "ledger.json").exists()


def test_a_measure_that_does_not_exist_is_named(tmp_path: Path) -> None:
    text = own_paper.CLAIMS.replace('measure = "delay-mean"', 'measure = "delay-meen"', 1)
    home = own_paper.write(tmp_path, claims=text)
    (first, _) = papers.load(str(home)).claims
    found = first.parts[0].rule(pl.DataFrame({"delay-mean": [1.0], "seed": [1]}))
    assert found.verdict == "cannot tell"
    assert found.note == "no column 'delay-meen' (did you mean 'delay-mean'?)"


def test_the_rules_of_a_file_are_those_of_the_house(tmp_path: Path) -> None:
    here = 'at = { x = 2 }\nmeasure = "y"\nartefact = "fig1"\nsays = "-"'
    at = f"base = {{ x = 1 }}\n{here}"
    over = 'x = "x"\nmeasure = "y"\nartefact = "fig1"\nsays = "-"'
    of_all = 'measure = "y"\nartefact = "fig1"\nsays = "-"'
    of_two = f"base-stays = true\nbase = {{ x = 2 }}\n{of_all}"
    both = '{ name = "a", rule = "lies", low = 14 }, '
    both += '{ name = "b", rule = "more", base = { x = 1 } }'
    another = '{ name = "c", rule = "less", base = { x = 1 } }'
    rules = {
        "about": (f'rule = "about"\npublished = 12.5\n{here}', "holds"),
        "another number": (f'rule = "about"\npublished = 11.5\n{here}', "differs"),
        "within 31 %": (f'rule = "about"\npublished = 11.5\ntolerance = 0.31\n{here}', "holds"),
        "one run": (f'rule = "about"\npublished = 15.06\ntolerance = 0\n{here}', "holds"),
        "the mean of ten": (
            f'rule = "about"\npublished = 15.06\nruns = 10\ntolerance = 0\n{here}',
            "differs",
        ),
        "lies": (f'rule = "lies"\nlow = 14\nhigh = 16\n{here}', "holds"),
        "changes": (f'rule = "changes"\npublished = 50\n{at}', "holds"),
        "less of a change": (f'rule = "changes"\npublished = 20\n{at}', "in shape"),
        "another change": (f'rule = "changes"\npublished = -50\n{at}', "differs"),
        "more": (f'rule = "more"\n{at}', "holds"),
        "less": (f'rule = "less"\n{at}', "differs"),
        "hardly": (f'rule = "hardly"\n{at}', "differs"),
        "between": (f'rule = "between"\nlow = 40\nhigh = 60\n{at}', "holds"),
        "more by 60 %": (f'rule = "more"\nby = 60\n{at}', "differs"),
        "far more": (f'rule = "far-more"\nby = 20\n{at}', "holds"),
        "far more by a threshold": (f'rule = "far-more"\nby = 30\n{at}', "in shape"),
        "fewer": (f'rule = "fewer"\n{at}', "differs"),
        "within": (f'rule = "within"\npercent = 60\n{at}', "holds"),
        "a fall": (f'rule = "changes"\ndown = true\npublished = -50\n{at}', "holds"),
        "a bound of ours": (f'rule = "lies"\nlow = 10\nours = "low"\n{here}', "in shape"),
        "each": (f'rule = "lies"\nlow = 14\nat-each = "x"\n{of_all}', "differs"),
        "each from 2": (f'rule = "lies"\nlow = 14\nat-each = "x"\nfrom = 2\n{of_all}', "holds"),
        "each above 1": (f'rule = "lies"\nlow = 14\nat-each = "x"\nabove = 1\n{of_all}', "holds"),
        "each at 1": (f'rule = "more"\nat-each = "x"\nto = 1\n{of_two}', "differs"),
        "some of x": (f'rule = "rises"\nto = 1.5\n{over}', "not covered"),
        "all": (f'rule = "all-of"\nof = [{both}]\n{here}', "holds"),
        "not all": (f'rule = "all-of"\nof = [{both}, {another}]\n{here}', "differs"),
        "rises": (f'rule = "rises"\n{over}', "holds"),
        "falls": (f'rule = "falls"\n{over}', "differs"),
    }
    parts = "".join(
        f'[[claims.parts]]\nname = "{name}"\n{text}\n' for name, (text, _) in rules.items()
    )
    head = '[[claims]]\nclaim = "queue.1"\nstatement = "-"\npublished = "-"\n'
    home = own_paper.write(tmp_path, claims=head + parts)
    (claim,) = papers.load(str(home)).claims
    rows = [(x, seed, 10.0 * (1 + (x - 1) / 2) + 0.01 * seed) for x in (1, 2) for seed in (1, 2, 3)]
    table = pl.DataFrame(rows, schema=["x", "seed", "y"], orient="row")
    found = {part.name: part.rule(table).verdict for part in claim.parts}
    assert found == {name: verdict for name, (_, verdict) in rules.items()}


PUBLISHED = (
    "claim,what,value,unit,sentence\nqueue.1,short,10,s,\nqueue.1,long,15,s,\n,other,20,s,\n"
)
REPEATED = """
[names]
point = { x = 2 }
words = ["more", "less"]
often = 2.0
why = "the same {often} times"

[[claims]]
claim = "queue.1"
statement = "{why}"
published = "-"
changes = ["{why} again"]

[[claims.parts]]
each.rule = "{words}"
says = "-"
artefact = "fig1"
measure = "y"
where = { z = 0.5 }

[[claims.parts.parts]]
each.from = [{ from = 1, counts = true }, { from = 3, counts = false }]
name = "{rule} than at {from}"
rule = "{rule}"
at = ["{point}"]
base = { x = "{from}" }
counts = "{counts}"

[[claims.parts.parts]]
name = "{rule}: {published} s"
rule = "about"
at = "{point}"
published = "long"

[[claims.sensitivity]]
name = "change of {published} %"
says = "-"
artefact = "fig1"
rule = "changes"
measure = "y"
at = ["{point}", { z = 0.5 }]
base = { x = 1, z = 0.5 }
published = ["long", "short"]
"""


def test_parts_are_repeated_and_have_what_their_groups_have(tmp_path: Path) -> None:
    home = own_paper.write(tmp_path, claims=REPEATED)
    (home / "published.csv").write_text(PUBLISHED, "utf-8")
    (claim,) = papers.load(str(home)).claims
    assert (claim.statement, claim.changes) == ("the same 2 times", ("the same 2 times again",))
    rows = [
        (x, z, s, 5.0 * (x + 1) + z + s / 1e3) for x in (1, 2) for z in (0, 0.5) for s in range(3)
    ]
    table = pl.DataFrame(rows, schema=["x", "z", "seed", "y"], orient="row")
    found = [(part.name, part.counts, part.rule(table).verdict) for part in claim.parts]
    assert found == [
        ("more than at 1", True, "holds"),
        ("more than at 3", False, "not covered"),
        ("more: 15 s", True, "holds"),
        ("less than at 1", True, "differs"),
        ("less than at 3", False, "not covered"),
        ("less: 15 s", True, "holds"),
    ]
    (beside,) = claim.sensitivity
    assert beside.name == "change of 50 %"
    assert beside.rule(table).published == pytest.approx(50)


REPEATED_WRONG = {
    "a list in a text": ("{why} again", "{words} again", "'words' is no text or number"),
    "no such name": ("{why} again", "{way} again", "no name 'way' (did you mean 'why'?)"),
    "no such number": (
        '"long"\n\n', '"lang"\n\n', "published: no number 'lang' of queue.1 (did you mean 'long'?)"
    ),
    "three numbers": (
        '["long", "short"]', '["long", "short", "long"]', "published: not two numbers of which"
    ),
    "values of nothing": ('rule = "about"\n', 'rule = "about"\nfrom = 2\n', "values of what"),
    "no list": ('each.rule = "{words}"', 'each.rule = "more"', "each.rule: not a list; found more"),
    "a key of another rule": ('rule = "about"\n', 'rule = "about"\nby = 3\n', "by: unknown key"),
    "no threshold": (
        'rule = "about"\n', 'rule = "about"\nours = "low"\n', "ours: no number of the rule"
    ),
    "points that are none": ('at = ["{point}"]', "at = [2]", "at: not a list of tables; found [2]"),
}  # fmt: skip


@pytest.mark.parametrize("way", REPEATED_WRONG)
def test_a_mistake_in_what_is_repeated_is_told_once(way: str, tmp_path: Path) -> None:
    before, after, message = REPEATED_WRONG[way]
    assert before in REPEATED
    home = own_paper.write(tmp_path, claims=REPEATED.replace(before, after, 1))
    (home / "published.csv").write_text(PUBLISHED, "utf-8")
    with pytest.raises(tp.ScenarioError) as raised:
        papers.load(str(home))
    assert str(raised.value).count("claims.toml") == 1
    assert message in str(raised.value)


def test_no_code_of_a_folder_is_run(tmp_path: Path) -> None:
    text = own_paper.CLAIMS.replace('rule = "less"', 'rule = "mine"')
    home = own_paper.write(tmp_path, claims=text)
    (home / "rules.py").write_text("raise SystemExit('run')", "utf-8")
    with pytest.raises(tp.ScenarioError, match="not one of them"):
        papers.load(str(home))


def test_a_paper_without_claims_has_figures_all_the_same(tmp_path: Path) -> None:
    home = own_paper.write(tmp_path, claims="", readings="")
    assert reproduce.reproduce([str(home)], tmp_path / "out") == []
    run = json.loads((tmp_path / "out" / "queue" / "run.json").read_text("utf-8"))
    assert run["home"] == str(home.resolve())
    assert (tmp_path / "out" / "queue" / "fig1.png").exists()


def test_runs_of_two_scenarios_are_all_in_a_table(tmp_path: Path) -> None:
    slower = own_paper.SWEEPS.replace('grids = ["one"]', 'grids = ["one", "two"]').replace(
        "[artefacts.fig1]",
        '[grids.two]\nscenario = "slower.toml"\n\n[[grids.two.quick]]\nseeds = 2\n'
        'over."topology.links.0.rate" = ["10 Mb/s", "20 Mb/s"]\n\n[artefacts.fig1]',
    )
    home = own_paper.write(tmp_path, sweeps=slower, readings="")
    text = own_paper.SCENARIO.replace('delay = "1 ms"', 'delay = "9 ms"')
    (home / "slower.toml").write_text(text, "utf-8")
    (first, *_) = reproduce.reproduce([str(home)], tmp_path / "out")
    table = pl.read_parquet(tmp_path / "out" / "queue" / "fig1.parquet")
    assert sorted(table["grid"].to_list()) == ["one"] * 4 + ["two"] * 4
    # A claim has to say which of them it is about.
    assert (
        first["parts"][0]["note"] == "{'topology.links.0.rate': '10 Mb/s'} is more than one point"
    )


def test_a_point_takes_seeds_until_its_interval_is_narrow_enough(tmp_path: Path) -> None:
    rule = (
        "seeds = 3\n"
        "until = { measure = 'delay-mean', relative-half-width = 0.02, at-least = 3, at-most = 40 }"
    )
    home = own_paper.write(
        tmp_path, sweeps=own_paper.SWEEPS.replace("seeds = 2", rule), readings=""
    )
    reproduce.reproduce([str(home)], tmp_path / "out")
    place = tmp_path / "out" / "queue"
    table = pl.read_parquet(place / "fig1.parquet")
    found = {}
    for (rate,), rows in table.group_by("topology.links.0.rate"):
        interval = statistics.mean_interval(rows["delay-mean"].to_list())
        found[rate] = rows.height
        assert interval.high - interval.low <= 2 * 0.02 * interval.mean
    # An M/M/1 queue at a load of 0.6 varies more than one at 0.3.
    assert 3 <= found["20 Mb/s"] < found["10 Mb/s"] < 40
    # What has been run may be a few seeds more: with several workers some are run ahead.
    cost = pl.read_csv(place / "cost.csv")
    runs = dict(cost.select("topology.links.0.rate", "runs").iter_rows())
    assert len(runs) == 2
    assert all(found[rate] <= runs[rate] <= 40 for rate in found)


def test_files_that_runs_differ_in_are_in_the_folder(tmp_path: Path) -> None:
    sizes = 'packet = { kind = "exponential", mean = "1000 B" }'
    text = own_paper.SCENARIO.replace(sizes, 'packet = { kind = "table", file = "small.csv" }')
    sweeps = own_paper.SWEEPS.replace(
        "[grids.one]\n",
        '[variants.sizes.small]\n\n[variants.sizes.large]\n"traffic.0.source.packet.file" = '
        '"large.csv"\n\n[grids.one]\nvariants = "sizes"\n',
    )
    home = own_paper.write(tmp_path, scenario=text, sweeps=sweeps, claims="", readings="")
    for name, size in (("small", 500), ("large", 1000)):
        (home / f"{name}.csv").write_text(f"size,cdf\n{size},1\n", "utf-8")
    reproduce.reproduce([str(home)], tmp_path / "out")
    table = pl.read_parquet(tmp_path / "out" / "queue" / "fig1.parquet")
    delays = table.group_by("variant").agg(pl.col("delay-mean").min())
    small, large = (delays.filter(variant=each)["delay-mean"][0] for each in ("small", "large"))
    # At the larger rate a packet takes 0.2 ms or 0.4 ms, and a millisecond to arrive.
    assert 1.2e-3 < small < 1.4e-3 < large


def test_a_plot_over_words_is_a_mistake(tmp_path: Path) -> None:
    text = own_paper.SWEEPS.replace('x = "topology.links.0.rate"', 'x = "grid"')
    home = own_paper.write(tmp_path, sweeps=text)
    said = command_here.call("reproduce", home, "--out", tmp_path / "out", code=2)
    assert "artefacts.fig1.plot: 'one' is not a quantity" in said.stderr
    assert "Traceback" not in said.stderr


@pytest.mark.parametrize("scale", ["quick", "full"])
def test_the_ledger_of_circuits_can_be_run(scale: str) -> None:
    paper = papers.load(str(CIRCUITS))
    for runs in paper.runs(paper.artefacts, scale):
        assert runs.sweep.check() == [], runs.name


def test_the_kept_ledger_of_circuits_has_its_claims_and_is_on_its_page() -> None:
    paper = papers.load(str(CIRCUITS))
    entries = ledger.read(CIRCUITS / "results" / "ledger.json")
    assert [entry["claim"] for entry in entries] == [claim.claim for claim in paper.claims]
    for entry, claim in zip(entries, paper.claims, strict=True):
        assert [part["name"] for part in entry["parts"]] == [part.name for part in claim.parts]
    page = (CIRCUITS / "README.md").read_text("utf-8")
    assert page == keep.with_results(page, CIRCUITS, paper)
    assert (CIRCUITS / "results" / keep.PARTS).read_bytes() == ledger.parts(entries)
    for artefact in paper.artefacts:
        assert (CIRCUITS / "results" / f"{artefact}.svg").is_file()


def test_what_is_kept_of_a_folder_has_no_place_of_a_machine(home: Path, tmp_path: Path) -> None:
    reproduce.reproduce([str(home)], tmp_path / "out")
    (home / "README.md").write_text(f"{keep.BEGIN}\n{keep.END}\n", "utf-8")
    keep.keep(str(home), tmp_path / "out")
    run = json.loads((home / "results" / "run.json").read_text("utf-8"))
    assert "home" not in run
    assert run["command"] == f"tcphoton reproduce {home} --scale quick"
    assert "queue.1" in (home / "README.md").read_text("utf-8")

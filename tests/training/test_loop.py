"""A run learns, can be killed and gone on with, and leaves a bundle that scores."""

import gzip
import json
from pathlib import Path

import pytest
from tiny import tiny_model, tiny_tokenizer

from elision.model.scorer import load_scorer
from elision.training.bundles.export import export
from elision.training.config import TrainConfig, read_config
from elision.training.errors import BadBase, BadConfig
from elision.training.loop import rate, train


@pytest.fixture
def config(tmp_path: Path) -> TrainConfig:
    base = tmp_path / "cache" / "base-tiny-1"
    tiny_model().save_pretrained(base)
    tiny_tokenizer().save(str(base / "tokenizer.json"))
    labels = tmp_path / "labels.jsonl.gz"
    with gzip.open(labels, "wt") as stream:
        for number in range(40):
            lines = [("error in path" if n % 3 == number % 3 else "info line pass") for n in range(9)]
            judged = [{"start": 14 * n, "end": 14 * n + 13, "level": 3 * line.startswith("error")} for n, line in enumerate(lines)]
            text = "\n".join(line.ljust(13)[:13] for line in lines)
            row = {"id": str(number), "kind": "log", "unit": "line", "source": "s", "doc": f"d{number % 20}"}
            stream.write(json.dumps({**row, "task": "", "call": "", "before": "", "text": text, "lines": judged}) + "\n")
    return TrainConfig(
        name="t",
        labels=(str(labels),),
        out=str(tmp_path / "out"),
        base="tiny",
        vocabulary=1,
        cache=str(tmp_path / "cache"),
        window_pieces=96,
        passes=6,
        batch_pieces=800,
        learning_rate=3e-3,
        precision="float32",
        checkpoint_minutes=0,
    )


def test_a_run_learns_what_separates_the_lines_and_exports(config: TrainConfig, tmp_path: Path) -> None:
    best = train(config, log=lambda line: None)

    assert json.loads((best / "figures.json").read_text())["line_auc_ge2"] > 0.95
    bundle = export(Path(config.out), tmp_path / "bundle", Path(config.labels[0]))
    scores = load_scorer(bundle).score("info line pass\nerror in path")
    assert scores.values[-1] > scores.values[0]
    assert json.loads((bundle / "manifest.json").read_text())["metrics"]["line_auc_ge2"] > 0.9


def test_a_killed_run_goes_on_where_it_stood(config: TrainConfig) -> None:
    class Killed(Exception):
        pass

    def kill_late(line: str) -> None:
        if '"step": 20,' in line:
            raise Killed

    with pytest.raises(Killed):
        train(config, log=kill_late)
    lines: list[str] = []

    train(config, log=lines.append)

    assert any(line.startswith("resumed at step") for line in lines)


def test_the_rate_rises_stays_and_falls_to_nothing() -> None:
    config = TrainConfig(name="t", labels=(), out="", warmup=0.1, decay=0.5)

    assert [round(rate(p, config), 2) for p in (0, 0.05, 0.1, 0.5, 0.75, 1)] == [0, 0.5, 1, 1, 0.5, 0]


BOTH = 'name = "x"\nlabels = []\nout = "o"\nmean_with_init = true\n'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("nam = 1", "nam"),
        ("name =", "Invalid"),
        ('name = "x"', "labels"),
        (BOTH, "c.toml: mean_with_init needs init"),
        (f'{BOTH}init = "i"\nlayers = [0]', "c.toml: mean_with_init and layers exclude each other"),
    ],
)
def test_a_bad_configuration_says_what_is_wrong(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "c.toml").write_text(text)

    with pytest.raises(BadConfig, match=says):
        read_config(tmp_path / "c.toml")


def test_exporting_a_folder_without_weights_says_so(tmp_path: Path) -> None:
    with pytest.raises(BadBase, match="best"):
        export(tmp_path, tmp_path / "bundle")

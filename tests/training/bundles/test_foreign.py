"""A foreign token classifier becomes a bundle that scores as PyTorch does, or an error that says why not."""

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from foreign import tokenizer_of, write_checkpoint
from tokenizers import Regex, Tokenizer, normalizers, pre_tokenizers
from transformers import AutoModelForTokenClassification, BertConfig, BertForMaskedLM

from elision.model.bundle import MODEL, TOKENIZER, list_bundles, load_bundle
from elision.model.scorer import load_scorer
from elision.model.tokeniser import PieceTokeniser
from elision.serving.cli import run
from elision.training.bundles import foreign
from elision.training.bundles.foreign import TEXTS, import_checkpoint
from elision.training.bundles.provenance import manifest_fields
from elision.training.bundles.weights import huggingface_folder
from elision.training.errors import BadBase
from elision.training.torch_scorer import TorchScorer

# The largest step of a keep value that 8-bit weights and activations cost these random weights.
INT8_STEP = 0.05


pytestmark = pytest.mark.usefixtures("one_thread")


def imported(source: Path, out: Path, **options: str) -> Path:
    return import_checkpoint(str(source), out, log=lambda line: None, **options)


@pytest.mark.parametrize(("labels", "reads"), [(1, "lines"), (2, "plain")])
@pytest.mark.parametrize("family", ["bert", "roberta", "xlm-roberta"])
def test_an_imported_bundle_scores_as_pytorch_does(tmp_path: Path, family: str, labels: int, reads: str) -> None:
    source = write_checkpoint(tmp_path / "source", family, labels=labels)
    exact = imported(source, tmp_path / "exact", precision="float32", reads=reads)
    small = imported(source, tmp_path / "small", reads=reads)
    text = TEXTS[0] * 20 + TEXTS[2]  # several windows
    model = AutoModelForTokenClassification.from_pretrained(source)
    tokeniser = PieceTokeniser.load(exact / TOKENIZER)
    expected = TorchScorer(model, tokeniser, 512, reads=reads).score(text, "state.db").values

    assert load_bundle(exact).labels == labels and load_bundle(exact).window_pieces == 512
    assert np.abs(load_scorer(exact).score(text, "state.db").values - expected).max() <= 1e-4
    assert np.abs(load_scorer(small).score(text, "state.db").values - expected).max() <= INT8_STEP
    assert (small / MODEL).stat().st_size < 0.6 * (exact / MODEL).stat().st_size


def test_two_logits_are_read_as_a_softmax_over_the_pieces_of_a_bert_window(tmp_path: Path) -> None:
    source = write_checkpoint(tmp_path / "source", "bert")
    tokenizer = tokenizer_of("bert")
    line = "worker 7 started"
    pieces = tokenizer.encode(line, add_special_tokens=False).ids
    first, last = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")
    ids = torch.tensor([[first, last, last, *pieces, last]])
    with torch.no_grad():
        logits = AutoModelForTokenClassification.from_pretrained(source)(input_ids=ids).logits[0]
    expected = torch.softmax(logits, -1)[3:-1, 1].numpy()

    found = load_scorer(imported(source, tmp_path / "bundle", precision="float32", reads="lines")).score(line)

    assert np.abs(found.values - expected).max() <= 1e-4
    assert "".join(line[a:b] for a, b in zip(found.starts, found.stops, strict=True)) == "worker7started"


def plain_source(folder: Path, form: str) -> tuple[Path, Tokenizer]:
    """A checkpoint of two logits, with XLM-R's own normaliser in both forms in which it is written."""
    source = write_checkpoint(folder, "bert" if form == "bert" else "xlm-roberta")
    tokenizer = Tokenizer.from_file(str(source / TOKENIZER))
    if form != "bert":
        shipped = Tokenizer.from_file(str(load_bundle(list_bundles()[0]).file(TOKENIZER)))
        charsmap = shipped.normalizer[0]
        spaces, metaspace = Regex(" {2,}"), pre_tokenizers.Metaspace()
        if form == "saved by training":
            tokenizer.normalizer = normalizers.Sequence([charsmap, normalizers.Replace(spaces, " ")])
            tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), metaspace])
        else:
            steps = [charsmap, normalizers.Strip(left=False, right=True), normalizers.Replace(spaces, "▁")]
            tokenizer.normalizer = normalizers.Sequence(steps)
            tokenizer.pre_tokenizer = metaspace
        tokenizer.save(str(source / TOKENIZER))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return source, tokenizer


def torch_values(source: Path, pieces: list[int], ends: tuple[int, int]) -> np.ndarray:
    """PyTorch's keep value of each piece of a plain window."""
    model = AutoModelForTokenClassification.from_pretrained(source)
    with torch.no_grad():
        logits = model(input_ids=torch.tensor([[ends[0], *pieces, ends[1]]])).logits[0, 1:-1]
    return np.asarray(torch.softmax(logits, -1)[:, 1])


FORMS = ("bert", "saved by training", "converted")
ODD_LINES = TEXTS[3] + "\r\n\t\tif  x:\n\n\n  ﬁn é 測試\n" + TEXTS[2]  # indented, empty, to be normalised


@pytest.mark.parametrize("form", FORMS)
def test_plain_input_scores_a_text_of_many_lines_as_pytorch_scores_it_whole(tmp_path: Path, form: str) -> None:
    source, tokenizer = plain_source(tmp_path / "source", form)
    scorer = load_scorer(imported(source, tmp_path / "bundle", precision="float32"))
    ours = PieceTokeniser(tokenizer)
    whole = tokenizer.encode(ODD_LINES, add_special_tokens=False)
    (window,) = scorer.windows(ODD_LINES)
    expected = torch_values(source, whole.ids, (ours.bos, ours.eos))
    found = scorer.score(ODD_LINES)

    real = np.array(window.stops[:-1]) > np.array(window.starts[:-1])
    assert window.ids == [*whole.ids, ours.eos] and real.mean() > 0.9
    assert np.abs(found.values - expected[real]).max() <= 1e-4
    assert np.array_equal(found.values, scorer.score(ODD_LINES, "why does it fail").values)


@pytest.mark.parametrize("form", FORMS)
def test_plain_windows_of_a_long_text_hold_each_of_its_pieces_once(tmp_path: Path, form: str) -> None:
    source, tokenizer = plain_source(tmp_path / "source", form)
    scorer = load_scorer(imported(source, tmp_path / "bundle", precision="float32"))
    ours, text = PieceTokeniser(tokenizer), ODD_LINES * 20
    found = list(scorer.windows(text))
    pieces = [window.ids[:-1] for window in found]
    expected = [torch_values(source, some, (ours.bos, ours.eos)) for some in pieces]
    real = [np.array(window.stops[:-1]) > np.array(window.starts[:-1]) for window in found]

    assert sum(pieces, []) == tokenizer.encode(text, add_special_tokens=False).ids
    assert len(found) > 2 and all(len(some) <= 510 for some in pieces)
    assert all("\n" in text[one.stops[-1] : two.starts[0] + 1] for one, two in zip(found, found[1:], strict=False))
    values = np.concatenate([some[these] for some, these in zip(expected, real, strict=True)])
    assert np.abs(scorer.score(text).values - values).max() <= 1e-4


def test_what_a_bundle_reads_is_asked_for_or_said_by_the_checkpoint_or_plain(tmp_path: Path) -> None:
    source, told = write_checkpoint(tmp_path / "source", "bert"), list[str]()
    silent = load_bundle(import_checkpoint(str(source), tmp_path / "a", log=told.append))
    config = json.loads((source / "config.json").read_text())
    (source / "config.json").write_text(json.dumps({**config, "elision_input": "lines"}))
    said, asked = imported(source, tmp_path / "b"), imported(source, tmp_path / "c", reads="plain")

    assert silent.input == silent.manifest["input"] == "plain"
    assert "it reads plain text; queries change nothing" in told
    assert load_bundle(said).input == "lines" and load_bundle(asked).input == "plain"
    refused(source, tmp_path / "d", "input is 'pairs', known are lines, plain", reads="pairs")


@pytest.mark.parametrize("family", ["bert", "xlm-roberta"])
def test_pieces_added_at_run_time_disturb_nothing(tmp_path: Path, family: str) -> None:
    plain = write_checkpoint(tmp_path / "plain", family)
    added = write_checkpoint(tmp_path / "added", family, added=100)
    model = AutoModelForTokenClassification.from_pretrained(added)
    rows = AutoModelForTokenClassification.from_pretrained(plain).state_dict()
    words = next(name for name in rows if name.endswith("word_embeddings.weight"))
    grown = model.state_dict()[words]  # random rows behind those of the pieces
    grown[: len(rows[words]) - 3] = rows[words][:-3]
    model.load_state_dict({**rows, words: grown})
    model.save_pretrained(added)
    text = "error in [NEW0] and [NEW99]\n" + TEXTS[0]

    before, after = (load_scorer(imported(folder, tmp_path / f"{folder.name}-bundle")) for folder in (plain, added))

    assert np.array_equal(before.score(text).values, after.score(text).values)


def test_a_line_longer_than_the_saved_limit_is_read_to_its_end(tmp_path: Path) -> None:
    bundle = imported(write_checkpoint(tmp_path / "source", "bert"), tmp_path / "bundle")
    line = "cannot open " * 300

    assert load_scorer(bundle).score(line).stops[-1] == len(line.rstrip())


@pytest.mark.parametrize("family", ["bert", "xlm-roberta"])
@pytest.mark.parametrize("act", ["gelu_new", "relu"])
def test_sizes_that_are_no_whole_blocks_and_other_activations_are_computed(
    tmp_path: Path, family: str, act: str
) -> None:
    source = write_checkpoint(tmp_path / "source", family, hidden_size=52, intermediate_size=100, hidden_act=act)
    exact = imported(source, tmp_path / "exact", precision="float32")
    small = imported(source, tmp_path / "small")

    assert load_bundle(exact).manifest["against_float32"]["largest"] <= 1e-4
    assert load_bundle(small).manifest["against_float32"]["largest"] <= INT8_STEP


def test_the_manifest_says_where_it_comes_from_and_what_the_stored_form_costs(tmp_path: Path) -> None:
    source = write_checkpoint(tmp_path / "some model", "bert")
    (source / "README.md").write_text("---\nlicense: apache-2.0\ntags: [a]\n---\n# A model\n")
    told: list[str] = []
    bundle = load_bundle(import_checkpoint(str(source), tmp_path / "bundle", log=told.append))
    manifest = bundle.manifest

    assert bundle.name == "some-model"
    assert manifest["base"] == {"source": str(source), "model": "some model", "licence": "apache-2.0"}
    assert manifest["label_sources"] == [] and manifest["stored"] == "int8 embedding rows, int8 matrices"
    assert 0 < manifest["against_float32"]["mean"] <= manifest["against_float32"]["largest"] <= INT8_STEP
    assert "BertForTokenClassification, 2 logits, windows of 512 pieces" in told[0]


def test_a_card_without_a_licence_is_said_to_name_none(tmp_path: Path) -> None:
    source = write_checkpoint(tmp_path / "source", "bert")
    bundle = imported(source, tmp_path / "a", name="mine")
    (source / "README.md").write_text("# A model\n")
    other = imported(source, tmp_path / "b")

    assert load_bundle(bundle).manifest["base"]["licence"] == "not named" and load_bundle(bundle).name == "mine"
    assert load_bundle(other).manifest["base"]["licence"] == "not named"


def test_a_tokeniser_in_the_older_form_is_converted(tmp_path: Path) -> None:
    source = write_checkpoint(tmp_path / "source", "bert")
    pieces = sorted(tokenizer_of("bert").get_vocab().items(), key=lambda item: item[1])
    expected = load_scorer(imported(source, tmp_path / "expected")).score(TEXTS[0])
    (source / TOKENIZER).unlink()
    (source / "vocab.txt").write_text("".join(piece + "\n" for piece, _ in pieces), encoding="utf-8")
    settings = {"tokenizer_class": "BertTokenizer", "do_lower_case": True}
    (source / "tokenizer_config.json").write_text(json.dumps(settings))

    found = load_scorer(imported(source, tmp_path / "found")).score(TEXTS[0])

    assert np.array_equal(found.values, expected.values) and np.array_equal(found.starts, expected.starts)


def test_weights_too_large_for_one_message_lie_beside_the_graph(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write_checkpoint(tmp_path / "source", "xlm-roberta")
    expected = load_scorer(imported(source, tmp_path / "one", precision="float32")).score(TEXTS[0])
    monkeypatch.setattr(foreign, "_PROTOBUF", 1000)
    bundle = load_bundle(imported(source, tmp_path / "two", precision="float32"))

    assert sorted(bundle.manifest["files"]) == [MODEL, f"{MODEL}.data", TOKENIZER]
    assert np.array_equal(load_scorer(bundle.path).score(TEXTS[0]).values, expected.values)


def test_an_imported_bundle_can_be_trained_on(tmp_path: Path) -> None:
    bundle = imported(write_checkpoint(tmp_path / "source", "bert"), tmp_path / "bundle", precision="float32")
    model = AutoModelForTokenClassification.from_pretrained(huggingface_folder(bundle, tmp_path / "back"))
    tokeniser = PieceTokeniser.load(bundle / TOKENIZER)
    found = TorchScorer(model, tokeniser, 512, reads="plain").score(TEXTS[1], "roof").values
    exported = manifest_fields({"init": str(bundle), "name": "team", "window_pieces": 96})

    assert model.config.model_type == "bert"
    assert load_bundle(bundle).input == "plain" and "input" not in exported  # a run trains on lines
    assert np.abs(found - load_scorer(bundle).score(TEXTS[1], "roof").values).max() <= 1e-4


def refused(source: Path | str, out: Path, message: str, **options: str) -> None:
    with pytest.raises(BadBase, match=message) as caught:
        import_checkpoint(str(source), out, log=lambda line: None, **options)
    assert "\n" not in str(caught.value)
    assert not out.exists() or (out / "letter.txt").exists()


def test_what_cannot_become_a_bundle_is_named(tmp_path: Path) -> None:
    out = tmp_path / "bundle"
    BertForMaskedLM(BertConfig(vocab_size=50, hidden_size=32, num_hidden_layers=1, num_attention_heads=2)).save_pretrained(
        tmp_path / "masked"
    )
    (tmp_path / "empty").mkdir()

    refused(tmp_path / "masked", out, "a bert with BertForMaskedLM; expected XLMRobertaForTokenClassification")
    refused(write_checkpoint(tmp_path / "ner", "bert", labels=9), out, r"9 labels \(LABEL_0, .*expected 1 \(keep\)")
    refused(write_checkpoint(tmp_path / "act", "bert", hidden_act="silu"), out, "hidden_act is 'silu'")
    refused("./nowhere", out, "./nowhere: no such folder, and no hub id either")
    refused(tmp_path / "empty", out, "empty: no checkpoint that can be read")
    refused(write_checkpoint(tmp_path / "short", "bert", max_position_embeddings=40), out, "reads 40 pieces at once")
    refused(tmp_path / "ner", out, "precision is 'int2', known are float32, int8", precision="int2")


def test_a_checkpoint_that_lacks_something_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "bundle"
    source = write_checkpoint(tmp_path / "headless", "bert")
    model = AutoModelForTokenClassification.from_pretrained(source)
    state = {name: tensor for name, tensor in model.state_dict().items() if not name.startswith("classifier")}
    model.save_pretrained(source, state_dict=state)
    refused(source, out, "2 weights are missing, classifier.bias is one")

    source = write_checkpoint(tmp_path / "mute", "xlm-roberta")
    for path in source.glob("tokenizer*"):
        path.unlink()
    refused(source, out, "no fast tokeniser, and none can be made: none of tokenizer.json, sentencepiece")

    source = write_checkpoint(tmp_path / "narrow", "bert", vocab_size=100)
    refused(source, out, "the tokeniser has .* pieces, the embedding 100 rows")


def test_what_stands_in_the_way_is_left_there(tmp_path: Path) -> None:
    source, out = write_checkpoint(tmp_path / "source", "bert"), tmp_path / "mine"
    out.mkdir()
    (out / "letter.txt").write_text("dear")

    refused(source, out, "mine exists and is no bundle")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine", "source"]


@pytest.mark.parametrize("manifest", ['{"name": "my app", "version": "1.0"}', "version = 1", '["schema", "files"]'])
def test_a_manifest_of_something_else_makes_no_bundle(tmp_path: Path, manifest: str) -> None:
    source, out = write_checkpoint(tmp_path / "source", "bert"), tmp_path / "mine"
    out.mkdir()
    (out / "manifest.json").write_text(manifest)
    (out / "letter.txt").write_text("dear")

    refused(source, out, "mine exists and is no bundle")
    assert (out / "manifest.json").read_text() == manifest


def test_what_lies_beside_the_files_of_a_bundle_is_left(tmp_path: Path) -> None:
    source = write_checkpoint(tmp_path / "source", "bert")
    out = imported(source, imported(source, tmp_path / "bundle"))
    (out / "letter.txt").write_text("dear")

    refused(source, out, "bundle exists and is no bundle alone, it also holds letter.txt")
    assert (out / "letter.txt").read_text() == "dear"


def test_the_graph_is_valid_onnx(tmp_path: Path) -> None:
    source = write_checkpoint(tmp_path / "source", "bert", hidden_size=52)
    onnx.checker.check_model(str(imported(source, tmp_path / "bundle") / MODEL))


def test_the_commands_print_the_folders_that_they_made(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source = write_checkpoint(tmp_path / "source", "bert")
    capfd.readouterr()
    codes = [
        run(["models", "import", str(source), "--out", str(tmp_path / "bundle"), "--precision", "float32", "--input", "lines"]),
        run(["models", "huggingface", str(tmp_path / "bundle"), "--out", str(tmp_path / "back")]),
        run(["models", "import", str(tmp_path / "missing"), "--out", str(tmp_path / "other")]),
    ]
    out, err = capfd.readouterr()

    assert codes == [0, 0, 2]
    assert out == f"{tmp_path / 'bundle'}\n{tmp_path / 'back'}\n"
    assert err.splitlines()[-1] == f"elision: error: {tmp_path / 'missing'}: no such folder, and no hub id either"
    assert load_bundle(tmp_path / "bundle").manifest["stored"] == "float32"
    assert load_bundle(tmp_path / "bundle").input == "lines"
    assert (tmp_path / "back" / "model.safetensors").is_file()

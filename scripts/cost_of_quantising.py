"""What the shipped form costs against float32, figure by figure, on judged labels.

    .venv/bin/python scripts/cost_of_quantising.py --weights runs/first-light-2 [--labels FILE]

Ends with 1 if a figure loses more than 0.005.
"""

import argparse
from pathlib import Path

from rich.console import Console
from rich.table import Table

from elision.model.errors import ElisionError
from elision.training.bundles.export import cost_of_quantising

LABELS = Path(__file__).resolve().parents[2] / "shared" / "data" / "labels" / "dev.jsonl.gz"
ALLOWED = 0.005


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weights", type=Path, required=True, help="OUT of a training run")
    parser.add_argument("--labels", type=Path, default=LABELS)
    args = parser.parse_args()

    for what, path in (("weights", args.weights), ("labels", args.labels)):
        if not path.exists():
            parser.error(f"no {what} at {path}")
    try:
        figures = cost_of_quantising(args.weights, args.labels)
    except ElisionError as error:
        parser.error(str(error))
    table = Table("figure", "float32", "shipped", "loss")
    for name, (before, after) in figures.items():
        table.add_row(name, f"{before:.4f}", f"{after:.4f}", f"{before - after:+.4f}")
    Console().print(table)
    raise SystemExit(any(before - after > ALLOWED for before, after in figures.values()))


if __name__ == "__main__":
    main()

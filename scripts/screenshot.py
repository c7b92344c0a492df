"""Take pictures of a page at desktop and narrow width, light and dark.

    .venv/bin/python scripts/screenshot.py OUT/report.html shots/

Needs the package playwright, and a Chromium: on the path, or named by ELISION_BROWSER.
"""

import argparse
import os
import shutil
import sys
from pathlib import Path

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
WIDTHS = {"desktop": 1280, "narrow": 390}


def find_browser() -> str | None:
    """The Chromium to drive: the one that ELISION_BROWSER names, or one on the path."""
    named = os.environ.get("ELISION_BROWSER")
    return named or next((found for name in BROWSERS if (found := shutil.which(name))), None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("page", type=Path, help="HTML file")
    parser.add_argument("out", type=Path, help="folder for the pictures")
    args = parser.parse_args()
    if not args.page.is_file():
        parser.error(f"no page at {args.page}")
    browser = find_browser()
    if browser is None:
        parser.error(
            f"no browser: none of {', '.join(BROWSERS)} is on the path, and ELISION_BROWSER names none"
        )
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        parser.error("no playwright: pip install playwright")

    args.out.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        for place, width in WIDTHS.items():
            for scheme in ("light", "dark"):
                view = chromium.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
                view.goto(args.page.resolve().as_uri())
                target = args.out / f"{args.page.stem}-{place}-{scheme}.png"
                view.screenshot(path=target, full_page=True)
                print(target, file=sys.stdout)
        chromium.close()


if __name__ == "__main__":
    main()

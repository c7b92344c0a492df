#!/usr/bin/env bash
# Fetch a Chromium into .venv/browser with npm, once, and print where it is; for the tests of the report's page.
#
#     export ELISION_BROWSER=$(scripts/browser.sh)
#
# Where there is no npm, no network, or a Chromium that does not start here, it says so and ends with 1: the
# tests then skip.
set -euo pipefail
cd "$(dirname "$0")/.."

PACKAGE=@sparticuz/chromium@147.0.0
browser=$PWD/.venv/browser
found=$browser/path

fail() {
    echo "browser.sh: $1" >&2
    exit 1
}

if ! [ -s "$found" ] || ! [ -x "$(cat "$found")" ]; then
    command -v npm >/dev/null && command -v node >/dev/null || fail "there is no npm to fetch a browser with"
    mkdir -p "$browser/tmp"
    npm install --silent --no-audit --no-fund --prefix "$browser" "$PACKAGE" >&2 || fail "npm cannot install $PACKAGE"
    # It unpacks itself into the folder for temporary files.
    (cd "$browser" && TMPDIR=$browser/tmp node --input-type=module \
        -e 'import chromium from "@sparticuz/chromium"; console.log(await chromium.executablePath())') >"$found.new" \
        || fail "$PACKAGE cannot be unpacked"
    mv "$found.new" "$found"
fi
"$(cat "$found")" --version >/dev/null 2>&1 || fail "$(cat "$found") does not start"
cat "$found"

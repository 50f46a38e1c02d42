#!/bin/sh
# The browser tests drive a real Chromium: find it, or install Debian's where apt can.
set -eu

for name in "${VCAD_CHROMIUM:-}" chromium chromium-browser google-chrome; do
    [ -n "$name" ] && command -v "$name" >/dev/null 2>&1 && exit 0
done

missing() {
    echo "The browser tests need Chromium, and none was found on PATH." >&2
    echo "  Debian/Ubuntu: apt install chromium      macOS: brew install --cask chromium" >&2
    echo "  or name one:   make test VCAD_CHROMIUM=/path/to/chromium" >&2
    echo "  without it:    make lint python-tests notebook-tests" >&2
    exit 1
}

command -v apt-get >/dev/null 2>&1 || missing
if [ "$(id -u)" = 0 ]; then
    as_root=
elif command -v sudo >/dev/null 2>&1; then
    as_root=sudo
else
    missing
fi

echo "installing Chromium through apt"
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
$as_root apt-get install -y -qq chromium || missing

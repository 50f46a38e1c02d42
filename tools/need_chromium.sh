#!/bin/sh
# The browser tests drive a real Chromium: find it, or install Debian's where apt can.
set -eu

for name in "${VCAD_CHROMIUM:-}" chromium chromium-browser google-chrome; do
    [ -n "$name" ] && command -v "$name" >/dev/null 2>&1 && exit 0
done

sh "$(dirname "$0")/apt_install.sh" chromium && exit 0

echo "The browser tests need Chromium, and none was found on PATH." >&2
echo "  Debian/Ubuntu: apt install chromium      macOS: brew install --cask chromium" >&2
echo "  or name one:   make test VCAD_CHROMIUM=/path/to/chromium" >&2
echo "  without it:    make lint python-tests notebook-tests" >&2
exit 1

#!/bin/sh
# The browser tests drive a real Chromium: find it, or install Debian's where apt can.
set -eu

# One that starts: Ubuntu's package is a stub that asks for a snap.
have_chromium() {
    for name in "${VCAD_CHROMIUM:-}" chromium chromium-browser google-chrome; do
        [ -n "$name" ] && "$name" --version >/dev/null 2>&1 && return 0
    done
    return 1
}

have_chromium && exit 0
sh "$(dirname "$0")/apt_install.sh" chromium || true
have_chromium && exit 0

echo "The browser tests need Chromium, and none on PATH starts." >&2
echo "  Debian/Ubuntu: apt install chromium      macOS: brew install --cask chromium" >&2
echo "  or name one:   make test VCAD_CHROMIUM=/path/to/chromium" >&2
echo "  without it:    make lint python-tests notebook-tests" >&2
exit 1

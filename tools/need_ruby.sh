#!/bin/sh
# The SketchUp extension and its headless host are Ruby: find 3.1 or newer with what tests and lints it, or
# install Debian's where apt can.
set -eu

have_ruby() {
    ruby -e 'exit(RUBY_VERSION >= "3.1")' >/dev/null 2>&1 &&
        ruby -e 'require "minitest"; require "rexml/document"' >/dev/null 2>&1 &&
        rake --version >/dev/null 2>&1 && rubocop --version >/dev/null 2>&1
}

have_ruby && exit 0
sh "$(dirname "$0")/apt_install.sh" --no-install-recommends ruby ruby-minitest ruby-rexml rake rubocop || true
have_ruby && exit 0

echo "The tests of the SketchUp extension need Ruby 3.1 or newer with minitest, rake, rexml and rubocop." >&2
echo "  Debian/Ubuntu: apt install ruby ruby-minitest ruby-rexml rake rubocop" >&2
echo "  macOS: brew install ruby && gem install minitest rake rexml rubocop" >&2
echo "  without it:    make lint python-tests notebook-tests browser-tests (tests that need Ruby say so)" >&2
exit 1

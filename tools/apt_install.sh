#!/bin/sh
# Install Debian packages as root or through sudo; fails, saying nothing, where that cannot be.
set -eu

command -v apt-get >/dev/null 2>&1 || exit 1
if [ "$(id -u)" = 0 ]; then
    as_root=
else
    command -v sudo >/dev/null 2>&1 || exit 1
    as_root=sudo
fi

echo "installing $* through apt"
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
$as_root apt-get install -y -qq "$@"

#!/bin/sh
# Make the virtual environment $1 with the first Python on this machine that is new enough.
set -eu
target=$1

for name in "${PYTHON:-}" python3 python3.14 python3.13 python3.12 python3.11 python; do
    [ -n "$name" ] || continue
    if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        python=$name
        break
    fi
done

if [ -z "${python:-}" ]; then
    echo "vcad-workbench needs Python 3.11 or newer, and none was found on PATH." >&2
    echo "  Debian/Ubuntu: apt install python3 python3-venv      macOS: brew install python" >&2
    echo "  or name one:   make lab PYTHON=/path/to/python3.12" >&2
    exit 1
fi

# Debian splits the part that makes environments off its Python.
has_venv() { "$python" -c 'import ensurepip, venv' 2>/dev/null; }
if ! has_venv; then
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    sh "$(dirname "$0")/apt_install.sh" "python$version-venv" || true
fi
if ! has_venv; then
    echo "$python has no venv module, so no environment can be made." >&2
    echo "  Debian/Ubuntu: apt install python3-venv" >&2
    exit 1
fi

echo "making $target with $("$python" --version)"
"$python" -m venv "$target"

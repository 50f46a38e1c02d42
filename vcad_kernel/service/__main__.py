"""``python -m vcad_kernel.service``: what `vcad service` does, without loading the whole command."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Be the evaluation service; the exit status."""
    given = _parser().parse_args(arguments)
    from vcad_kernel.service.front.lifetime import ServiceOptions, run, token_from
    from vcad_kernel.settings import SettingError, Settings

    try:
        settings = Settings.load(
            {
                "VCAD_HOST": given.host,
                "VCAD_PORT": given.port,
                "VCAD_TEMP_DIR": given.temp_dir,
                "VCAD_AUTH_TOKEN": token_from() if given.token_stdin else None,
            }
        )
        options = ServiceOptions(given.workspace, given.watch_parent, given.allow_worker_plugin)
        return run(settings, options, given.log)
    except SettingError as wrong:
        print(f"Error: {wrong}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="vcad service", description="The evaluation service.")
    parser.add_argument("--host", help="address to listen on")
    parser.add_argument("--port", type=int, help="port to listen on; 0 takes a free one")
    parser.add_argument("--workspace", type=Path, help="folder that all files must lie in")
    parser.add_argument("--temp-dir", type=Path, help="folder of artifacts")
    parser.add_argument("--token-stdin", action="store_true", help="read the token from standard input")
    parser.add_argument("--watch-parent", action="store_true", help="end when standard input ends")
    parser.add_argument("--log", type=Path, help="file for the log, by default standard error")
    parser.add_argument("--allow-worker-plugin", action="store_true", help=argparse.SUPPRESS)
    return parser


if __name__ == "__main__":
    sys.exit(main())

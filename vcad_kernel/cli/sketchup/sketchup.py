"""``vcad sketchup``: the bridge's other side: run without SketchUp, or packaged to be installed in it."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["app"]

app = typer.Typer(help="SketchUp's side: run it without SketchUp, or package the extension.")


@app.callback(invoke_without_command=True)
def sketchup(
    context: typer.Context,
    headless: Annotated[
        bool, typer.Option("--headless", help="Run the extension in a SketchUp without a window.")
    ] = False,
    port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help="Port of the bridge; 0 takes a free one (SUPEX_PORT)."),
    ] = None,
    repl_port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port of the Ruby REPL; 0 takes a free one.")
    ] = 4433,
    workspace: Annotated[
        Path | None,
        typer.Option(
            exists=True, file_okay=False, help="Folder that files may lie in; by default each client's own."
        ),
    ] = None,
    token_stdin: Annotated[
        bool,
        typer.Option(
            "--token-stdin", help="Read the token (SUPEX_AUTH_TOKEN) from the first line of standard input."
        ),
    ] = False,
    allow_eval: Annotated[bool, typer.Option("--allow-eval", help="Let clients run Ruby.")] = False,
) -> None:
    """Run SketchUp's side of the bridge without SketchUp, until Ctrl-C: `vcad sketchup --headless`.

    It is the same extension that SketchUp runs, on models in memory. The model is lost at the end unless a
    client saves it. Needs Ruby 3.1 or later.
    """
    if context.invoked_subcommand is not None:
        if headless:
            raise typer.BadParameter("it stands alone; leave the subcommand away", param_hint="--headless")
        return
    if not headless:
        typer.echo(context.get_help())
        typer.echo("\nSketchUp itself is started by you; with --headless it is not needed.")
        raise typer.Exit(2)
    raise typer.Exit(_run_headless(port, repl_port, workspace, token_stdin, allow_eval))


@app.command()
def package(
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", dir_okay=False, help="File to write; by default NAME-VERSION.rbz here."
        ),
    ] = None,
) -> None:
    """Write the extension as a file that SketchUp installs: Extension Manager, Install Extension."""
    from vcad_kernel.cli.sketchup.extension_package import ExtensionPackage, PackageRefused
    from vcad_kernel.cli.sketchup.ruby_runtime import RuntimeMissing, extension_sources

    if output is not None and output.suffix.lower() not in (".rbz", ".zip"):
        raise typer.BadParameter("SketchUp installs only .rbz and .zip", param_hint="--output")
    try:
        made = ExtensionPackage.of(extension_sources())
        target = output or Path(made.file_name)
        made.write(target)
    except (RuntimeMissing, PackageRefused) as refused:
        typer.echo(f"Error: {refused}", err=True)
        raise typer.Exit(1) from None
    except OSError as failed:
        typer.echo(f"Error: cannot write {target}: {failed.strerror}", err=True)
        raise typer.Exit(1) from None
    typer.echo(f"{target}: {len(made.files)} files, version {made.version}")
    typer.echo("Install it in SketchUp: Extensions > Extension Manager > Install Extension.")


def _run_headless(
    port: int | None, repl_port: int, workspace: Path | None, token_stdin: bool, allow_eval: bool
) -> int:
    from vcad_kernel.cli.sketchup.headless_sketchup import HeadlessSketchUp, NotStarted
    from vcad_kernel.cli.sketchup.ruby_runtime import NoRuby, RuntimeMissing
    from vcad_kernel.settings import Settings

    settings = Settings.load()
    token = _token_from_input() if token_stdin else settings.supex_auth_token
    try:
        running = HeadlessSketchUp.start(
            port=settings.supex_port if port is None else port,
            repl_port=repl_port,
            workspace=workspace.resolve() if workspace else None,
            token=token,
            allow_eval=allow_eval,
        )
    except (NoRuby, RuntimeMissing, NotStarted) as refused:
        typer.echo(f"Error: {refused}", err=True)
        return 1
    with running:
        try:
            for line in _introduction(running.bridge_port, running.repl_port, token_needed=token is not None):
                typer.echo(line)
            status = running.wait()
        except KeyboardInterrupt:
            status = running.close()
    if status == 0:
        return 0
    typer.echo(f"Error: the headless SketchUp ended by itself, with status {status}", err=True)
    return 1


def _introduction(bridge_port: int, repl_port: int, *, token_needed: bool) -> list[str]:
    """Where it listens and what settings a notebook needs to find it."""
    needed = {} if bridge_port == 9876 else {"SUPEX_PORT": str(bridge_port)}
    if token_needed:
        needed["SUPEX_AUTH_TOKEN"] = "<the token>"
    listening = f"headless SketchUp listening on 127.0.0.1:{bridge_port}"
    lines = [f"{listening}, Ruby REPL on {repl_port}" if repl_port else listening]
    if needed:
        settings = " ".join(f"{name}={shlex.quote(value)}" for name, value in needed.items())
        lines.append(f"A notebook finds it with these variables set before its kernel starts: {settings}")
    else:
        lines.append("A notebook finds it by itself: try %loon_sketchup")
    return [*lines, "Ctrl-C ends it; a model that nobody saved is lost."]


def _token_from_input() -> str:
    from vcad_kernel.service.front.lifetime import token_from

    return token_from()

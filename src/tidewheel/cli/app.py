"""The command line. Each command is a few lines over the Python API; errors and exit codes are handled in `main`."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer

from tidewheel.cli import output
from tidewheel.cli.commands import drawing, epochs, reading, refreshing, reporting, starting, upkeep
from tidewheel.cli.options import STATE, of_a_project
from tidewheel.cli.streams import unbroken
from tidewheel.errors import InternalError, InterruptError, TidewheelError, UserError, told

app = typer.Typer(
    name="tidewheel",
    help="Keeps a graph of SQL views fresh on Apache Spark.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

COMPLETION = "_TIDEWHEEL_COMPLETE"
"""Set by the shell's completion, in the form that Typer gives it."""
USAGE_ERROR: Any = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")
"""What a wrong call raises: of click, or of the copy that newer versions of typer carry."""


def _version(wanted: bool) -> None:
    if wanted:
        from tidewheel import __version__  # noqa: PLC0415

        sys.stdout.write(f"tidewheel {__version__}\n")
        raise typer.Exit


@app.callback()
def options(
    project: Annotated[
        str, typer.Option("--project", "-p", envvar="TIDEWHEEL_PROJECT", help="The project's folder, or one inside it.")
    ] = ".",
    target: Annotated[
        str | None, typer.Option("--target", "-t", envvar="TIDEWHEEL_TARGET", help="A target of tidewheel.yml.")
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    """Options of every command."""
    del version
    STATE.project, STATE.target = project, target


COMMANDS = (
    starting.init,
    refreshing.check,
    refreshing.plan,
    refreshing.refresh,
    reporting.status,
    reporting.history,
    epochs.epochs,
    reporting.explain,
    drawing.graph,
    reading.show,
    reading.query,
    reading.ingest,
    upkeep.verify,
    upkeep.vacuum,
    upkeep.calibrate,
    upkeep.drop,
    starting.demo,
    starting.schema,
)
"""In the order of `--help`."""
WITHOUT_PROJECT = frozenset({starting.init, starting.demo, starting.schema})
for _command in COMMANDS:
    app.command()(_command if _command in WITHOUT_PROJECT else of_a_project(_command))


def main(arguments: list[str] | None = None) -> None:
    """Run a command; every way it can end has its exit code."""
    output.show_warnings_as_notes()
    signal.signal(signal.SIGTERM, _terminated)
    if COMPLETION in os.environ:
        app(prog_name=app.info.name)  # what the shell asks for is printed, and the process ends
    given = sys.argv[1:] if arguments is None else arguments
    with unbroken():
        code = _guarded(lambda: _run(list(given)), as_json="--json" in given)
    sys.exit(code)


def _run(arguments: list[str]) -> object:
    """Not by Typer's own `main`: it would make an exit code of an interrupt before we see it."""
    command: Any = typer.main.get_command(app)
    with command.make_context(app.info.name, arguments) as context:
        return command.invoke(context)


def _wrong_call(error: Any) -> UserError:
    """In our own form: a sentence, and a hint that names the command's own help."""
    said, _, meant = error.format_message().partition(" Did you mean ")
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else app.info.name
    hint = f"See `{command} --help`."
    message = said[:1].lower() + said[1:].rstrip(".")
    return UserError(message, code="bad-usage", hint=f"Did you mean {meant} {hint}" if meant else hint)


def _terminated(*_: object) -> None:
    raise KeyboardInterrupt


def _guarded(command: Callable[[], object], *, as_json: bool) -> int:
    try:
        result = command()
    except typer.Exit as stop:
        return stop.exit_code
    except USAGE_ERROR as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            error.show()
            return 0
        output.emit_error(_wrong_call(error), as_json=as_json)
        return 1
    except TidewheelError as error:
        output.emit_error(error, as_json=STATE.as_json)
        return error.exit_code
    except KeyboardInterrupt as stop:
        output.emit_error(told(stop), as_json=STATE.as_json)
        return InterruptError.exit_code
    except Exception:  # noqa: BLE001  whatever is left is our bug, and says so
        import traceback  # noqa: PLC0415

        traceback.print_exc()
        sys.stderr.write("this is a bug in tidewheel; please report it with the lines above\n")
        return InternalError.exit_code
    return result if isinstance(result, int) else 0

"""The command line. Each command is a few lines over the Python API; errors and exit codes are handled in `main`."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer

from tidewheel.cli import output
from tidewheel.cli.commands import reading, refreshing, reporting, starting, upkeep
from tidewheel.cli.options import STATE
from tidewheel.errors import INTERRUPT_EXIT_CODE, InternalError, TidewheelError, UserError

app = typer.Typer(
    name="tidewheel",
    help="Keeps a graph of SQL views fresh on Apache Spark.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

USAGE_ERROR: Any = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")
"""What a wrong call raises: of click, or of the copy that newer versions of typer carry."""


def _version(wanted: bool) -> None:
    if wanted:
        from tidewheel import __version__  # noqa: PLC0415

        sys.stdout.write(f"tidewheel {__version__}\n")
        raise typer.Exit


@app.callback()
def options(
    project: Annotated[str, typer.Option("--project", "-p", help="The project's folder.")] = ".",
    target: Annotated[str | None, typer.Option("--target", "-t", help="A target of tidewheel.yml.")] = None,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True)] = False,
) -> None:
    """Options of every command."""
    del version
    STATE.project, STATE.target = project, target


COMMANDS = (
    starting.init,
    refreshing.plan,
    refreshing.refresh,
    reporting.status,
    reporting.history,
    reporting.explain,
    reading.show,
    reading.query,
    reading.ingest,
    upkeep.verify,
    upkeep.vacuum,
    upkeep.calibrate,
    upkeep.drop,
    starting.demo,
)
"""In the order of `--help`."""
for _command in COMMANDS:
    app.command()(_command)


def main(arguments: list[str] | None = None) -> None:
    """Run a command; every way it can end has its exit code."""
    signal.signal(signal.SIGTERM, _terminated)
    sys.exit(_guarded(lambda: app(arguments, standalone_mode=False)))


def _terminated(*_: object) -> None:
    raise KeyboardInterrupt


def _guarded(command: Callable[[], object]) -> int:
    try:
        result = command()
    except typer.Exit as stop:
        return stop.exit_code
    except USAGE_ERROR as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            error.show()
            return 0
        as_json = STATE.as_json or "--json" in sys.argv
        wrong = UserError(error.format_message().rstrip("."), code="bad-usage", hint="See `tidewheel --help`.")
        output.emit_error(wrong, as_json=as_json)
        return 1
    except TidewheelError as error:
        output.emit_error(error, as_json=STATE.as_json)
        return error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        sys.stderr.write("interrupted: what was decided will be finished by the next command, the rest was undone\n")
        return INTERRUPT_EXIT_CODE
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except Exception:  # noqa: BLE001  whatever is left is our bug, and says so
        import traceback  # noqa: PLC0415

        traceback.print_exc()
        sys.stderr.write("this is a bug in tidewheel; please report it with the lines above\n")
        return InternalError.exit_code
    return result if isinstance(result, int) else 0

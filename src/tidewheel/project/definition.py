"""A project as its files define it: configuration, views, graph."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import yaml
from pydantic import ValidationError

from tidewheel.errors import Span, UserError, did_you_mean
from tidewheel.names import check_relation_name
from tidewheel.project.config import FILE, Config, ViewOptions, load_config, resolve_path
from tidewheel.project.graph import Graph, View, build_graph
from tidewheel.sql.query import check_outputs, is_query, parse_tokens, references
from tidewheel.sql.statements import Statement, split_statements
from tidewheel.sql.text import clock_of, find_moving, fingerprint, refuse_random


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    root: str
    config: Config
    graph: Graph

    @property
    def warehouse(self) -> str:
        return resolve_path(self.config.warehouse, self.root)


def find_root(path: str) -> str:
    """The nearest folder from here upward that holds a tidewheel.yml."""
    start = current = os.path.abspath(path)
    while not os.path.isfile(os.path.join(current, FILE)):
        parent = os.path.dirname(current)
        if parent == current:
            raise UserError(
                f"there is no {FILE} here",
                code="no-project",
                detail=f"Looked in {start} and the folders above it.",
                hint="Run `tidewheel init` to begin a project, or go to the folder of one.",
            )
        current = parent
    return current


def load_definition(root: str, target: str | None = None) -> Definition:
    """Read a project's files; nothing is written, no engine is started."""
    path = os.path.join(root, FILE)
    config = load_config(_read(path), FILE).for_target(target)
    return define(root, config, list(_views(root, config)))


def define(root: str, config: Config, views: list[View]) -> Definition:
    """A sound project of these views, or an error."""
    names = {v.name for v in views}
    for name in config.views:
        if name not in names:
            raise UserError(
                f'tidewheel.yml has options for view "{name}", which does not exist',
                code="unknown-view",
                hint=did_you_mean(name, sorted(names)) or "Remove the entry under `views:`.",
            )
    return Definition(root=root, config=config, graph=build_graph(views, config.sources))


Signature = tuple[tuple[str, int, int], ...]


def definition_signature(root: str) -> Signature:
    """Which files define the project, with size and time: equal signatures, equal definition."""
    return tuple(_stat(path) for path in (os.path.join(root, FILE), *_view_files(root)))


def _stat(path: str) -> tuple[str, int, int]:
    """Size and time; of a link to nothing neither, and it is refused when it is read."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return path, -1, -1
    return path, status.st_size, status.st_mtime_ns


def is_settled(signature: Signature) -> bool:
    """Whether a later change would show: two within one tick of the file system's clock leave the same time."""
    return time.time_ns() - max((modified for _, _, modified in signature), default=0) > 50_000_000


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8-sig") as file:  # some editors begin a file with a byte order mark
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(
            "a project file cannot be read",
            code="unreadable-file",
            detail=f"{path}: {error}.",
            hint="Project files are UTF-8 text.",
        ) from error


def _view_files(root: str) -> Iterator[str]:
    for folder, folders, files in os.walk(os.path.join(root, "views")):
        folders.sort()
        yield from (os.path.join(folder, f) for f in sorted(files) if f.endswith(".sql") and not f.startswith("."))


def _views(root: str, config: Config) -> Iterator[View]:
    for path in _view_files(root):
        yield from views_of_file(_read(path), os.path.relpath(path, root), config)


def views_of_file(text: str, file: str, config: Config) -> Iterator[View]:
    """The views that one file defines."""
    statements = split_statements(text, file)
    if not statements:
        raise UserError(
            "the view file holds no query",
            code="empty-view",
            detail=f"File: {file}.",
            hint="Write a SELECT into it, or delete it.",
        )
    stem = os.path.basename(file).removesuffix(".sql")
    if len(statements) > 1 and any(s.name is None for s in statements):
        extra = next(s for s in statements if s.name is None)
        raise UserError(
            "a bare SELECT stands alone in its file",
            code="unsupported-statement",
            span=Span.at(text, extra.start, 6, file),
            hint="Use CREATE MATERIALIZED VIEW name AS SELECT ... for several views in one file.",
        )
    for statement in statements:
        yield make_view(statement, statement.name or stem, text, file, config)


def make_view(statement: Statement, name: str, text: str, file: str, config: Config) -> View:
    check_relation_name(name, span=Span.at(text, statement.start, 1, file))
    tokens = statement.tokens
    parsed = parse_tokens(tokens, text, file)
    if len(parsed) != 1 or not is_query(parsed[0]):
        raise UserError(
            f'view "{name}" is not a query',
            code="unsupported-statement",
            span=Span.at(text, statement.start, len(statement.query.split()[0]), file),
            hint="A view is a SELECT (or WITH ... SELECT).",
        )
    check_outputs(parsed[0], text, file)
    options = _options(statement, name, text, file, config.views.get(name))
    deterministic = not find_moving(tokens)
    if options.refresh != "full" and not deterministic:
        refuse_random(text, tokens, file, name)
    layout = ",".join(options.cluster_by)
    settings = [f"{k}={v}" for k, v in sorted(config.settings.items())]
    return View(
        name=name,
        sql=statement.query,
        file=file,
        offset=statement.start,
        file_text=text,
        reads=tuple(references(parsed[0], text, file)),
        fingerprint=fingerprint(tokens, *settings, f"cluster_by={layout}"),
        clock=clock_of(tokens),
        deterministic=deterministic,
        options=options,
        comment=statement.comment,
    )


def _options(statement: Statement, name: str, text: str, file: str, configured: ViewOptions | None) -> ViewOptions:
    """A view's options: from tidewheel.yml, with those in its file laid over them."""
    chosen: dict[str, object] = configured.model_dump(exclude_unset=True) if configured else {}
    if statement.options is not None:
        span = Span.at(text, statement.options_start, len(statement.options), file)
        try:
            body = yaml.safe_load(statement.options)
        except yaml.YAMLError as error:
            raise UserError(
                "the configuration comment is not valid YAML",
                code="bad-yaml",
                span=span,
                hint="Write for example `-- tidewheel: {refresh: strict, tags: [finance]}`.",
            ) from error
        if not isinstance(body, Mapping):
            raise UserError(
                "the configuration comment is not a mapping",
                code="bad-yaml",
                span=span,
                hint="Write for example `-- tidewheel: {refresh: strict, tags: [finance]}`.",
            )
        _check_keys(body, span)
        chosen |= dict(body)
    try:
        return ViewOptions.model_validate(chosen)
    except ValidationError as error:
        first = error.errors()[0]
        where = Span.at(text, statement.options_start, 1, file) if statement.options is not None else None
        raise UserError(
            f'option "{first["loc"][0]}" of view "{name}": {first["msg"]}'.rstrip("."),
            code="bad-option",
            span=where,
            hint="docs/configuration.md lists the options.",
        ) from error


def _check_keys(body: Mapping[object, object], span: Span) -> None:
    known = sorted(ViewOptions.model_fields)
    for key in body:
        if key not in known:
            raise UserError(
                f'unknown option "{key}"',
                code="unknown-option",
                span=span,
                hint=did_you_mean(str(key), known),
            )

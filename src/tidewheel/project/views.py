"""View files: each view that they define, or what is wrong with it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

import yaml
from pydantic import ValidationError

from tidewheel.errors import Span, UserError, did_you_mean
from tidewheel.names import check_relation_name
from tidewheel.project.config import Config, ViewOptions
from tidewheel.project.graph import Broken, View
from tidewheel.sql.query import begins_query, check_outputs, is_query, parse_tokens, references
from tidewheel.sql.statements import BadStatement, ViewStatement, names_in, split_statements
from tidewheel.sql.text import clock_of, find_moving, fingerprint, refuse_random


def view_files(root: str) -> Iterator[str]:
    """The paths of a project's view files; hidden files and folders are those of editors and notebooks."""
    for folder, folders, files in os.walk(os.path.join(root, "views")):
        folders[:] = sorted(f for f in folders if not f.startswith("."))
        yield from (os.path.join(folder, f) for f in sorted(files) if f.endswith(".sql") and not f.startswith("."))


def read_text(path: str) -> str:
    """The text of a file of the project."""
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


def read_views(root: str, config: Config) -> Iterator[View | Broken]:
    """All views of a project's files."""
    for path in view_files(root):
        file = os.path.relpath(path, root)
        try:
            text = read_text(path)
        except UserError as error:
            yield _broken(_stem(file), file, error)
        else:
            yield from views_of_file(text, file, config)


def views_of_file(text: str, file: str, config: Config) -> Iterator[View | Broken]:
    """The views that one file defines; a statement that is wrong leaves the others as they are."""
    try:
        statements = split_statements(text, file)
    except UserError as error:  # where a statement ends cannot be told: all that the file seems to define is broken
        yield from (_broken(name, file, error) for name in dict.fromkeys(names_in(text)) or [_stem(file)])
        return
    if not statements:
        yield _broken(_stem(file), file, _no_query(text, file))
    for statement in statements:
        name = statement.name or _stem(file)
        try:
            if isinstance(statement, BadStatement):
                raise statement.error
            if statement.name is None and len(statements) > 1:
                raise _not_alone(statement, text, file)
            yield make_view(statement, name, text, file, config)
        except UserError as error:
            if statement.name is None and len(statements) > 1:  # none of these is the view that the file is named after
                name = Span.at(text, statement.start, 1, file).place
            yield _broken(name, file, error)


def _stem(file: str) -> str:
    return os.path.basename(file).removesuffix(".sql")


def _broken(name: str, file: str, error: UserError) -> Broken:
    error.relation = name
    return Broken(name=name, file=file, error=error)


def _no_query(text: str, file: str) -> UserError:
    return UserError(
        "the view file holds no query",
        code="empty-view",
        span=Span.at(text, 0, 1, file),
        hint="Write a SELECT into it, or delete it.",
    )


def _not_alone(statement: ViewStatement, text: str, file: str) -> UserError:
    return UserError(
        "a bare SELECT stands alone in its file",
        code="unsupported-statement",
        span=Span.at(text, statement.start, 6, file),
        hint="Use CREATE MATERIALIZED VIEW name AS SELECT ... for several views in one file.",
    )


def make_view(statement: ViewStatement, name: str, text: str, file: str, config: Config) -> View:
    check_relation_name(name, span=Span.at(text, statement.start, 1, file))
    tokens = statement.tokens
    parsed = parse_tokens(tokens, text, file) if begins_query(tokens) else []
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
        options_start=None if statement.options is None else statement.options_start,
        comment=statement.comment,
    )


def _options(statement: ViewStatement, name: str, text: str, file: str, configured: ViewOptions | None) -> ViewOptions:
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

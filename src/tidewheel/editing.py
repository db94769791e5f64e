"""Changes of a project's files: each is checked as a whole before anything is written."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import yaml

from tidewheel.errors import UserError
from tidewheel.names import check_relation_name
from tidewheel.plan.defined.check import check
from tidewheel.project.config import FILE, load_config
from tidewheel.project.definition import Definition, define
from tidewheel.project.lookup import a_mapping, a_text, project_root
from tidewheel.project.views import read_views, views_of_file
from tidewheel.store import disk
from tidewheel.store.warehouse import Warehouse


def write_project(
    path: str | os.PathLike[str],
    *,
    name: str | None,
    sources: Mapping[str, Mapping[str, Any]],
    views: Mapping[str, str],
    engine: str | None,
    options: Mapping[str, Any],
) -> str:
    """Write a new project's files; its folder."""
    declared = {
        source: a_mapping(entry, f"sources[{source}]", '"kind": "managed", ...')
        for source, entry in a_mapping(sources, "sources", '"orders": {...}').items()
    }
    queries = a_mapping(views, "views", '"daily": "SELECT ..."')
    for view, sql in queries.items():
        check_relation_name(a_text(view, "views", '{"daily": "SELECT ..."}'))
        a_text(sql, f"views[{view}]", '"SELECT * FROM orders"')
    root = project_root(path)
    file = os.path.join(root, FILE)
    if os.path.exists(file):
        raise UserError(
            "there is a project here already",
            code="project-exists",
            detail=f"Path: {file}.",
            hint="Use tw.open().",
        )
    body: dict[str, Any] = {"name": name or os.path.basename(root), **options}
    if engine:
        body["engine"] = engine
    body["sources"] = declared
    text = yaml.safe_dump(body, sort_keys=False, default_flow_style=None, width=110)
    config = load_config(text, FILE)
    _refuse_unsound(
        define(root, config, [v for n, sql in queries.items() for v in views_of_file(sql, f"views/{n}.sql", config)])
    )
    disk.make_dirs(os.path.join(root, "views"), "project.write")
    for view, sql in queries.items():
        disk.prepare(os.path.join(root, "views", f"{view}.sql"), sql, step="project.write")
    disk.prepare(file, text, step="project.write")  # last: a folder without it is no project yet
    return root


def add_view(before: Definition, name: str, sql: str) -> None:
    """Write a view's file; refused, with nothing written, if the project would not be sound with it."""
    check_relation_name(name)
    path = os.path.join(before.root, "views", f"{name}.sql")
    if os.path.exists(path):
        raise UserError(f'view "{name}" exists already', code="duplicate-view", hint="Edit its file, or drop it.")
    more = views_of_file(sql, os.path.join("views", f"{name}.sql"), before.config)
    _refuse_unsound(define(before.root, before.config, [*read_views(before.root, before.config), *more]), before)
    disk.make_dirs(os.path.dirname(path), "project.write")
    disk.prepare(path, sql, step="project.write")


def drop_view(definition: Definition, name: str) -> None:
    """Delete a view's file; its table stays as an orphan until `drop`."""
    graph = definition.graph
    view = graph.views.get(name) or graph.broken[name]
    readers = graph.readers(name)
    if readers:
        raise UserError(f'view "{name}" is read by {", ".join(readers)}', code="view-in-use", hint="Drop those first.")
    if name in definition.config.views:
        raise UserError(
            f'{FILE} has options for view "{name}"',
            code="view-in-use",
            hint="Remove its entry under `views:` first.",
        )
    files = {v.name: v.file for v in graph.views.values()} | {b.name: b.file for b in graph.broken.values()}
    if list(files.values()).count(view.file) > 1:
        raise UserError(f'view "{name}" shares {view.file} with others', code="view-in-use", hint="Edit the file.")
    disk.remove(os.path.join(definition.root, view.file), step="project.write")


def _refuse_unsound(definition: Definition, before: Definition | None = None) -> None:
    """Raise what is wrong with a project; not what was so before."""
    known: set[str] = set()
    if before is not None:
        known = {n for n, v in check(before, Warehouse(before.warehouse)).views.items() if v.error is not None}
    found = check(definition, Warehouse(definition.warehouse)).views
    errors = [view.error for name, view in found.items() if view.error is not None and name not in known]
    if errors:
        raise min(errors, key=lambda error: error.code == "broken-input")  # the cause, not what it leads to

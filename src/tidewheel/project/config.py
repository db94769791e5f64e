"""tidewheel.yml: what may stand in it, read with errors that point at the line."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

from tidewheel.ddl import parse_schema
from tidewheel.errors import Span, TidewheelError, UserError, did_you_mean
from tidewheel.names import check_relation_name
from tidewheel.project.entries import bad_yaml, find_entry, refuse_repeated
from tidewheel.project.paths import local_path
from tidewheel.project.values import Delimiter, Duration, Folder, FunctionName, SchemaText, Size, Zone
from tidewheel.types import Schema

FILE = "tidewheel.yml"
ANSWER_SETTINGS = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.decimalOperations.allowPrecisionLoss": "true",
}
"""Settings that change answers: fixed by the project, and part of every view's fingerprint."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class _Source(_Model):
    schema_text: SchemaText | None = Field(default=None, alias="schema")
    key: tuple[str, ...] = ()

    @field_validator("key")
    @classmethod
    def _is_declared(cls, key: tuple[str, ...], known: ValidationInfo) -> tuple[str, ...]:
        text: str = known.data.get("schema_text") or ""
        for column in key if text else ():
            if parse_schema(text).find(column) is None:
                raise ValueError(f'key column "{column}" is not in the schema')
        return key

    @property
    def declared(self) -> Schema | None:
        return parse_schema(self.schema_text) if self.schema_text else None


class ManagedSource(_Source):
    """A table that is written through `ingest`."""

    kind: Literal["managed"]
    schema_text: SchemaText = Field(alias="schema")


class DeltaSource(_Source):
    """Somebody else's Delta table."""

    kind: Literal["delta"]
    path: Folder
    on_schema_change: Literal["error", "rebuild"] = "error"


class FilesSource(_Source):
    """A folder into which somebody drops files."""

    kind: Literal["files"]
    path: Folder
    format: Literal["parquet", "csv", "json"] | None = None
    delimiter: Delimiter = ","
    on_file_change: Literal["error", "reload", "keep"] = "error"


PlacementMode = Literal["auto", "spark", "driver"]
Source = Annotated[ManagedSource | DeltaSource | FilesSource, Field(discriminator="kind")]
RefreshMode = Literal["auto", "incremental", "strict", "full"]


class ViewOptions(_Model):
    refresh: RefreshMode = "auto"
    tags: tuple[str, ...] = ()
    cluster_by: tuple[str, ...] = ()


class SparkOptions(_Model):
    master: str = "local[*]"
    remote: str | None = None
    conf: dict[str, str] = {}
    timeout: Duration = "30 seconds"
    class_archive: bool = True

    def checked(self, root: str) -> SparkOptions:
        """These options, if every variable in them is set."""
        for text in (self.master, self.remote or "", *self.conf.values()):
            check_variables(text, root)
        return self

    @field_validator("conf", mode="before")
    @classmethod
    def _as_text(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return {str(k): str(v).lower() if isinstance(v, bool) else str(v) for k, v in value.items()}

    @field_validator("conf")
    @classmethod
    def _case(cls, value: dict[str, str]) -> dict[str, str]:
        if value.get("spark.sql.caseSensitive", "false").lower() == "true":
            raise ValueError("spark.sql.caseSensitive must be false: names compare without case")
        return value


class Target(_Model):
    warehouse: Folder | None = None
    timezone: Zone | None = None
    placement: PlacementMode | None = None
    spark: SparkOptions | None = None
    memory: Size | None = None
    retention: Duration | None = None


class Config(_Model):
    name: str
    warehouse: Folder = "./warehouse"
    timezone: Zone = "UTC"
    engine: Literal["spark", "local"] = "spark"
    placement: PlacementMode = "auto"
    spark: SparkOptions = SparkOptions()
    memory: Size = "1.6GB"
    retention: Duration = "7 days"
    functions: tuple[FunctionName, ...] = ()
    sources: dict[str, Source] = {}
    views: dict[str, ViewOptions] = {}
    targets: dict[str, Target] = {}

    @property
    def declared_functions(self) -> frozenset[str]:
        """What Spark has here beside its own functions, in lower case."""
        return frozenset(name.lower() for name in self.functions)

    @property
    def settings(self) -> dict[str, str]:
        """What changes answers, and so is part of every view's fingerprint."""
        chosen = {key: self.spark.conf.get(key, value).lower() for key, value in ANSWER_SETTINGS.items()}
        return chosen | {"spark.sql.session.timeZone": self.timezone}

    def for_target(self, name: str | None) -> Config:
        """The configuration with a target's values laid over it."""
        if name is None:
            return self
        if name not in self.targets:
            raise UserError(
                f'target "{name}" does not exist',
                code="unknown-target",
                hint=did_you_mean(name, list(self.targets)) or "No targets are declared in tidewheel.yml.",
            )
        chosen = self.targets[name].model_dump(exclude_none=True, exclude_unset=True)
        base = self.model_dump(by_alias=True)
        if "spark" in chosen:
            conf = base["spark"]["conf"] | chosen["spark"].get("conf", {})
            chosen["spark"] = base["spark"] | chosen["spark"] | {"conf": conf}
        return Config.model_validate(base | chosen)


def load_config(text: str, file: str, environ: Mapping[str, str] | None = None) -> Config:
    """Read and check tidewheel.yml."""
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        body = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise bad_yaml(error, text, file) from error
    if not isinstance(body, dict):
        raise UserError(
            f"{FILE} is not a mapping",
            code="bad-yaml",
            span=Span.at(text, 0, 1, file),
            hint="Begin with `name: ...`.",
        )
    refuse_repeated(node, text, file)
    body = _with_environment(body, os.environ if environ is None else environ)
    try:
        config = Config.model_validate(body)
    except ValidationError as error:
        raise _invalid(error, node, text, file) from error
    seen: dict[str, str] = {}
    for name in config.sources:
        span = find_entry(node, ("sources", name), text, file)
        check_relation_name(name, span=span)
        if name.lower() in seen:
            raise UserError(
                f'sources "{seen[name.lower()]}" and "{name}" have the same name',
                code="name-clash",
                detail="Names compare without case.",
                span=span,
                hint="Rename one of them.",
            )
        seen[name.lower()] = name
    return config


_VARIABLE = re.compile(r"\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}")


def _with_environment(value: Any, environ: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {k: _with_environment(v, environ) for k, v in value.items()}
    if isinstance(value, list):
        return [_with_environment(v, environ) for v in value]
    if isinstance(value, str):
        return _VARIABLE.sub(lambda m: environ.get(m[1], m[0]), value)
    return value


def check_variables(text: str, root: str) -> None:
    """A variable that is not set is an error only where its value is used."""
    if missing := _VARIABLE.search(text):
        raise UserError(
            f'environment variable "{missing[1]}" is not set',
            code="missing-variable",
            detail=f"It is used in {FILE}: {text}.",
            span=_place_of(missing[0], root),
            hint=f"export {missing[1]}=...",
        )


def _place_of(words: str, root: str) -> Span | None:
    """Where a text stands in a project's tidewheel.yml; None if that is not written yet."""
    try:
        with open(os.path.join(root, FILE), encoding="utf-8-sig") as file:
            text = file.read()
    except FileNotFoundError:
        return None
    return Span.at(text, text.find(words), len(words), FILE)


def resolve_path(text: str, root: str) -> str:
    """A path from the configuration, relative to the project."""
    check_variables(text, root)
    return os.path.normpath(os.path.join(root, os.path.expanduser(local_path(text))))


def _invalid(error: ValidationError, node: Any, text: str, file: str) -> TidewheelError:
    found = error.errors()
    first = next(
        (e for e in found if e["type"] == "extra_forbidden"), found[0]
    )  # a misspelt option is also a missing one
    cause = getattr((first.get("ctx") or {}).get("error"), "error", None)
    path = tuple(p for p in first["loc"] if p not in {"managed", "delta", "files"})
    span = find_entry(node, path, text, file)
    where = ".".join(str(p) for p in path)
    if isinstance(cause, TidewheelError):
        return UserError(cause.message, code=cause.code, detail=cause.detail, hint=cause.hint, span=span)
    if first["type"] == "extra_forbidden":
        return UserError(
            f'unknown option "{path[-1]}"',
            code="unknown-option",
            span=span,
            hint=_meant(str(path[-1]), first["loc"]) or "docs/configuration.md lists the options.",
        )
    message = first["msg"].removeprefix("Value error, ")
    return UserError(
        f"{where or FILE}: {message[0].lower()}{message[1:]}",
        code="bad-option",
        span=span,
        hint="docs/configuration.md lists the options.",
    )


_KINDS: dict[str, type[BaseModel]] = {"managed": ManagedSource, "delta": DeltaSource, "files": FilesSource}


def _meant(option: str, path: tuple[Any, ...]) -> str | None:
    """A hint for an option that is unknown where it stands."""
    having = [f"`kind: {k}`" for k, model in _KINDS.items() if option in _options_of(model)]
    match path[:-1]:
        case ("sources", _, str(kind)) if having:
            return f"It is an option of sources of {' and '.join(having)}; this one is of `kind: {kind}`."
        case ("sources", _, str(kind)):
            return did_you_mean(option, _options_of(_KINDS[kind]))
        case ("views", _):
            return did_you_mean(option, _options_of(ViewOptions))
        case ("targets", _):
            return did_you_mean(option, _options_of(Target))
        case (*_, "spark"):
            return did_you_mean(option, _options_of(SparkOptions))
        case _:
            return did_you_mean(option, _options_of(Config))


def _options_of(model: type[BaseModel]) -> list[str]:
    return sorted(field.alias or name for name, field in model.model_fields.items())


def place_in(text: str, path: tuple[str, ...]) -> Span:
    """Where an entry of tidewheel.yml stands."""
    return find_entry(yaml.compose(text, Loader=yaml.SafeLoader), path, text, FILE)

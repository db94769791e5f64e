"""What `explain` prints of a view."""

from __future__ import annotations

from typing import Any

from tidewheel.cli.output import human_bytes
from tidewheel.run.past import Failure


def broken_text(body: dict[str, Any]) -> str:
    """Of a view that cannot be run: what is wrong, and what is there."""
    error = body["error"]
    place = "" if error["place"] is None else "{file}:{line}:{column}: ".format(**error["place"])
    lines = [
        f"view {body['view']} ({body['file']})",
        f"  wrong    {place}{error['message']} [{error['code']}]",
        *([f"  hint     {error['hint']}"] if error["hint"] else []),
        f"  reads    {', '.join(body['reads']) or 'nothing'}",
        f"  read by  {', '.join(body['read_by']) or 'no view'}",
        f"  table    {body['table']}",
    ]
    return "\n".join([*lines, *_past_lines(body)])


def explain_text(body: dict[str, Any]) -> str:
    lines = [
        f"view {body['view']} (level {body['level']}, {body['file']})",
        f"  reads    {', '.join(body['reads']) or 'nothing'}",
        f"  read by  {', '.join(body['read_by']) or 'no view'}",
        f"  table    {body['table']}",
        f"  options  {_options_text(body['options'])}",
    ]
    if body["clock"] != "none":
        lines.append(f"  clock    its answer changes by {'day' if body['clock'] == 'day' else 'epoch'}")
    lines += _past_lines(body)
    step = body["next"]
    why = step["full"] or step["reason"]
    lines.append(f"  next     {step['method']} ({step['reason']['text']})")
    if step["full"]:
        lines.append(f"  in full  for {why['text']}")
    if step["method"] == "full" and why["hint"]:
        lines.append(f"  hint     {why['hint']}")
    lines += [f"  note     {note}" for note in body["notes"]]
    if body["append_only"]:
        lines.append(f"  appends  new rows of {', '.join(body['append_only'])} only add rows here")
    lines += upkeep_lines(body["upkeep"])
    lines += ["", *("  " + line for line in body["sql"].strip().splitlines())]
    if body["plan"]:
        lines += ["", *("  " + line for line in body["plan"].splitlines() if not line.startswith("note "))]
    return "\n".join(lines)


def _past_lines(body: dict[str, Any]) -> list[str]:
    """How the view was last built, and how it failed since."""
    lines = []
    last = body["last"]
    if last:
        lines += [
            f"  columns  {last['schema']}",
            (
                f"  last     epoch {last['epoch']}: {last['method']} ({last['reason']['text']}), "
                f"{last['rows']:,} rows in {last['files']} files"
            ),
        ]
        if last["run"] is not None and last["run"]["read"] is not None:
            lines += _read_lines(last["run"])
        if last["stale"]:
            lines.append(f"  stale    as of epoch {last['as_of']}: {last['stale']['text']}")
    if body["failure"]:
        failure = Failure(**body["failure"])
        lines.append(f"  failed   {failure.text} [{failure.code}], run of {failure.started}")
    return lines


def _read_lines(run: dict[str, Any]) -> list[str]:
    read = [f"{r['relation']} {r['what']} {r['rows']:,} rows, {human_bytes(r['bytes'])}" for r in run["read"]]
    wrote = f"{run['rows_written']:,} rows, {human_bytes(run['bytes_written'])}"
    return [f"  read     {'; '.join(read) or 'nothing'}", f"  wrote    {wrote} in {run['seconds']:.1f} s"]


def _options_text(options: dict[str, Any]) -> str:
    lists = [f"{name}: {', '.join(options[name])}" for name in ("tags", "cluster_by") if options[name]]
    return ", ".join([f"refresh: {options['refresh']}", *lists])


def trace_text(body: dict[str, Any] | None) -> str:
    if body is None:
        return "there is nothing to search: the view is built in full each time, or was never built"
    lines = [f"{s['operator']}\n    kept by {s['method']}" for s in body["stored"]]
    lines += ["", f"{len(body['groups'])} forms of operators computed, of {body['goals']} looked at", ""]
    for group in body["groups"]:
        ways = ", ".join(f"{rule} {1000 * seconds:.1f} ms" for rule, seconds in group["ways"].items())
        lines += [f"{group['operator']}", f"    {group['form']}, by {group['rule']}{f' (of {ways})' if ways else ''}"]
    lines += ["", f"the search stopped early: {body['stopped']}"] if body["stopped"] else []
    lines += ["", f"{'rule':<24}{'asked':>8}{'gave':>8}{'chosen':>8}"]
    lines += [f"{n:<24}{use['asked']:>8}{use['gave']:>8}{use['chosen']:>8}" for n, use in body["rules"].items()]
    return "\n".join(lines)


def upkeep_lines(body: dict[str, Any] | None) -> list[str]:
    if body is None:
        return []
    if body["full"] is not None:
        hint = body["full"]["hint"]
        return [f"  upkeep   in full ({body['full']['text']})", *([f"  hint     {hint}"] if hint else [])]
    lines = []
    for stored in body["stored"]:
        what = "the view" if stored["name"] == "view" else f"state {stored['name']}"
        key = "a bag" if stored["key"] is None else f"key {', '.join(stored['key']) or 'none: one row'}"
        hidden = f", {len(stored['hidden'])} hidden columns" if stored["hidden"] else ""
        lines.append(f"  upkeep   {what} by {stored['method']} ({key}{hidden})")
        for offered, label in ((True, "or by"), (False, "not by")):
            ways = [f"{w['method']} ({w['why']})" for w in stored["other_ways"] if w["offered"] is offered]
            lines += [f"    {label:7}{', '.join(ways)}"] if ways and stored["name"] == "view" else []
        if stored["plan"]:
            lines += [f"             {line}" for line in stored["plan"].rstrip().splitlines()]
    return lines


def sql_text(body: dict[str, Any] | None, sql: str) -> str:
    """All that is run for a view: once to build it, and then for its changes."""
    if body is None or body["full"] is not None:
        return sql.strip()
    lines = []
    for stored in body["stored"]:
        lines += [f"-- {stored['name']}: in full", stored["full_sql"] + ";", ""]
        if stored["quick_sql"] is not None:
            lines += [f"-- {stored['name']}: its change; if a row has the weight 0, the next one is run instead"]
            lines += [stored["quick_sql"] + ";", ""]
        if stored["change_sql"] is not None:
            lines += [f"-- {stored['name']}: its change, by {stored['method']}", stored["change_sql"] + ";", ""]
    return "\n".join(lines).rstrip()

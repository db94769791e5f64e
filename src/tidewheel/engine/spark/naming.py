"""Names for DataFrames in a session.

`createOrReplaceTempView` runs as a SQL execution of its own, some 20 ms each. On a classic session the same entry can
be put into the session's catalog directly; where that way is closed (Spark Connect, another Spark) the public one
is taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def name_frame(session: SparkSession, frame: DataFrame, name: str) -> None:
    """Let SQL text read `frame` as `name`."""
    if not _put_into_catalog(session, frame, name):
        frame.createOrReplaceTempView(name)


def _put_into_catalog(session: SparkSession, frame: DataFrame, name: str) -> bool:
    java_session: Any = getattr(session, "_jsparkSession", None)
    java_frame: Any = getattr(frame, "_jdf", None)
    if java_session is None or java_frame is None:
        return False
    from py4j.protocol import Py4JError, Py4JJavaError  # noqa: PLC0415

    jvm: Any = session._jvm  # noqa: SLF001
    try:
        relation = _temporary_view(jvm, java_session, java_frame, name)
        java_session.sessionState().catalog().createTempView(name, relation, True)
    except Py4JJavaError:
        raise
    except (Py4JError, AttributeError, TypeError):
        return False
    return True


def _temporary_view(jvm: Any, java_session: Any, java_frame: Any, name: str) -> Any:
    plan = java_frame.queryExecution().analyzed()
    helper = getattr(getattr(jvm.org.apache.spark.sql.execution.command, "ViewHelper$"), "MODULE$")
    nothing = jvm.scala.Option.empty()
    no_functions = jvm.scala.jdk.CollectionConverters.ListHasAsScala(jvm.java.util.ArrayList()).asScala().toSeq()
    empty_map = getattr(getattr(jvm.scala.collection.immutable, "Map$"), "MODULE$").empty()
    no_previous = empty_map.withDefaultValue(nothing)
    identifier = jvm.org.apache.spark.sql.catalyst.TableIdentifier(name)
    return helper.createTemporaryViewRelation(
        identifier, java_session, False, no_previous, nothing, plan, plan, no_functions, nothing
    )

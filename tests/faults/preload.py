"""Everything that a job would otherwise import after the fork, each time anew."""

# ruff: noqa: F401
import deltalake
import duckdb
import pandas as pd
import pyarrow.csv
import pyarrow.dataset
import pyarrow.json
import pyarrow.parquet

import tidewheel.engine.local.engine
import tidewheel.ingest.ingest
import tidewheel.run.drop
import tidewheel.run.runner
import tidewheel.snapshot
import tidewheel.store.history
import tidewheel.store.vacuum
import tidewheel.verify.verify

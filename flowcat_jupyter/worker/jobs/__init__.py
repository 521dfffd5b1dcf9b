"""What workers can be asked to do, one module per family of jobs."""

JOBS: dict[str, str] = {
    "query": "flowcat_jupyter.worker.jobs.query:run_query",
    "explain": "flowcat_jupyter.worker.jobs.query:run_explain",
    "frame": "flowcat_jupyter.worker.jobs.frames:run_frame",
    "rows": "flowcat_jupyter.worker.jobs.rows:run_rows",
    "cell": "flowcat_jupyter.worker.jobs.rows:run_cell",
    "find": "flowcat_jupyter.worker.jobs.find:run_find",
    "chart": "flowcat_jupyter.worker.jobs.chart:run_chart",
    "export": "flowcat_jupyter.worker.jobs.export:run_export",
    "summary": "flowcat_jupyter.worker.jobs.summary:run_summary",
    "add_columns": "flowcat_jupyter.worker.jobs.define_table:run_add_columns",
    "define_table": "flowcat_jupyter.worker.jobs.define_table:run_define_table",
    "maintain": "flowcat_jupyter.worker.jobs.maintain:run_maintain",
    "replay": "flowcat_jupyter.worker.jobs.lakes:run_replay",
    "row_change": "flowcat_jupyter.worker.jobs.row_change:run_row_change",
    "sql_write": "flowcat_jupyter.worker.jobs.sql_write:run_sql_write",
    "diff": "flowcat_jupyter.worker.jobs.diff:run_diff",
    "values": "flowcat_jupyter.worker.jobs.values:run_values",
    "inspect": "flowcat_jupyter.worker.jobs.inspect:run_inspect",
    "history": "flowcat_jupyter.worker.jobs.inspect:run_history",
    "stream": "flowcat_jupyter.worker.jobs.inspect:run_stream",
    "preview_import": "flowcat_jupyter.worker.jobs.ingest:run_preview",
    "import": "flowcat_jupyter.worker.jobs.ingest:run_import",
}
"""The function, as ``module:attribute``, of every `Job.kind`."""

"""The formats that files have, each the one instance: formats keep no state."""

from __future__ import annotations

from flowcat_jupyter.formats.sink_columnar import ArrowWriter, AvroWriter
from flowcat_jupyter.formats.sink_files import WritableFiles
from flowcat_jupyter.formats.sink_texts import CsvWriter, JsonWriter, TextWriter
from flowcat_jupyter.formats.source_columnar import ColumnarReader, scan_arrow, scan_avro
from flowcat_jupyter.formats.source_csv import CsvReader
from flowcat_jupyter.formats.source_json import JsonReader
from flowcat_jupyter.formats.source_parquet import ParquetFiles
from flowcat_jupyter.formats.source_plain import BinaryReader, TextReader
from flowcat_jupyter.formats.source_table import FileFormat

PARQUET = ParquetFiles()
CSV = WritableFiles(CsvReader(), CsvWriter())
JSON = WritableFiles(JsonReader(), JsonWriter())
TEXT = WritableFiles(TextReader(), TextWriter())
ARROW = WritableFiles(ColumnarReader("arrow", scan_arrow), ArrowWriter())
AVRO = WritableFiles(ColumnarReader("avro", scan_avro), AvroWriter())
BINARY = FileFormat(BinaryReader())

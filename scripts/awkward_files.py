"""Write the awkward files that the import is tested with: `python scripts/awkward_files.py`.

Each stands for a kind of file that people really get. What they must be read as is the table in
`tests/unit/formats/files/test_awkward_files.py`.
"""

from __future__ import annotations

import bz2
import datetime as dt
import gzip
import io
import lzma
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import IO

import polars as pl
import xlsxwriter
import zstandard

FOLDER = Path(__file__).parent.parent / "tests" / "data" / "awkward"
PLAIN = "id,name\n1,José\n2,Zoë\n"
_WHEN = (1980, 1, 1, 0, 0, 0)


def text_files() -> dict[str, str]:
    """Files that are awkward as text; they are UTF-8."""
    return {
        "plain.csv": PLAIN,
        "crlf.csv": PLAIN.replace("\n", "\r\n"),
        "cr_only.csv": PLAIN.replace("\n", "\r"),
        "no_last_newline.csv": PLAIN.rstrip("\n"),
        "blank_lines.csv": "\n\nid,name\n1,a\n\n\n2,b\n\n",
        "ragged.csv": "a,b\n1,x\n1,2,3\n4\n5,y\n",
        "quotes.csv": 'a,b\n1,"x ""y"""\n2,5" pipe\n3,"a"b\n4,"line\nbreak"\n5,"open\n6,z\n',
        "quoted_numbers.csv": '"id","n"\n"1","2.5"\n"2",""\n',
        "late_type.csv": "x\n" + "7\n" * 150 + "1.5\n",
        "late_marker.csv": "x\n" + "7\n" * 150 + "N/A\n",
        "late_text.csv": "x\n" + "7\n" * 150 + "abc\n",
        "decimal_comma.csv": "a;b\n1;2,5\n2;0,25\n",
        "thousands.csv": 'n,m\n"1,234",1 234\n"5,678",5 678\n',
        "leading_zeros.csv": "zip,n\n02134,1\n10001,2\n",
        "huge_int.csv": "id\n9223372036854775808\n1\n",
        "beyond_38.csv": "id\n" + "9" * 39 + "\n",
        "long_fraction.csv": "x\n0.1234567890123456789\n1.5\n",
        "day_first.csv": "d\n31/12/2024\n01/02/2024\n",
        "ambiguous_days.csv": "d\n01/02/2024\n03/04/2024\n",
        "header_only.csv": "a,b\n",
        "empty.csv": "",
        "duplicate_names.csv": "a,A,,a\n1,2,3,4\n",
        "html_names.csv": "<img src=x onerror=alert(1)>,b\n<b>1</b>,2\n",
        "nul.csv": "a,b\nx\0y,1\n",
        "trailing_delimiter.csv": "a,b,\n1,2,\n3,4,\n",
        "footer.csv": "a,b\n1,2\n3,4\nTotal: 2 rows\n",
        "no_header.csv": "1,x\n2,y\n",
        "sep_line.csv": "sep=;\na;b\n1;2\n",
        "pipes.txt": "a|b\n1|x,y\n2|z\n",
        "tabs.csv": "a\tb\n1\tx\n2\t\n",
        "spaces.csv": "a, b\n 1 , x\n2, y\n",
        "nested.ndjson": '{"a":{"b":[1,2.5]},"c":null}\n{"d":["x"],"e":"2024-01-01"}\n',
        "late_key.ndjson": '{"a":1}\n' * 150 + '{"a":1,"b":2}\n',
        "mixed.ndjson": '{"a":1}\n{"a":"x"}\n{"a":{"k":1}}\n',
        "bad_lines.ndjson": '{"a":1}\nnot json\n\n{"a":2,"a":3}\n[1]\n{"a":4}\n',
        "huge.ndjson": '{"id":12345678901234567890}\n{"id":1}\n',
        "bad_elements.json": '[{"a":1},\n3,\nnull,\n{"a":2}]',
        "one_object.json": '{\n "a": 1,\n "b": [true]\n}\n',
        "cut.json": '[{"a":1},{"a":',
    }


def packed_files() -> dict[str, bytes]:
    """Files in other encodings and in archives."""
    plain = PLAIN.encode()
    return {
        "bom.csv": b"\xef\xbb\xbf" + plain,
        "utf16.csv": PLAIN.encode("utf-16"),
        "utf16_no_bom.csv": PLAIN.encode("utf-16-le"),
        "latin1.csv": PLAIN.encode("latin-1"),
        "cyrillic.csv": ("город,n\n" + "Москва и Санкт-Петербург,1\n" * 6).encode("cp1251"),
        "gzip_named.csv": gzip.compress(plain, mtime=0),
        "members.csv.gz": gzip.compress(b"id,name\n1,a\n", mtime=0)
        + gzip.compress(b"2,b\n", mtime=0),
        "plain.csv.zst": zstandard.ZstdCompressor().compress(plain),
        "plain.csv.bz2": bz2.compress(plain),
        "plain.csv.xz": lzma.compress(plain),
        "one.zip": zipped({"data.csv": plain, "__MACOSX/data.csv": b"junk"}),
        "two.zip": zipped({"b.csv": b"id,extra\n3,x\n", "a.csv": b"id,name\n1,a\n2.5,b\n"}),
        "cut.csv.gz": gzip.compress(plain * 20, mtime=0)[:-9],
        "image.csv": b"\x89PNG\r\n\x1a\n" + bytes(20),
        "table.parquet": binary(lambda out: frame().write_parquet(out)),
        "table.arrow": binary(lambda out: frame().write_ipc(out)),
        "table.arrows": binary(lambda out: frame().write_ipc_stream(out)),
        "table.avro": binary(
            lambda out: frame().select(pl.col("id").cast(pl.Int64), "when").write_avro(out)
        ),
        "table.parquet.gz": gzip.compress(binary(lambda out: frame().write_parquet(out)), mtime=0),
        "book.xlsx": workbook(),
    }


def frame() -> pl.DataFrame:
    """A table with types that text has not."""
    return pl.DataFrame(
        {
            "id": pl.Series([1, 2], dtype=pl.UInt32),
            "when": pl.Series([dt.date(2024, 1, 5), None]),
            "at": pl.Series([dt.time(10, 30), None]),
        }
    )


def binary(write: Callable[[IO[bytes]], object]) -> bytes:
    """What ``write`` writes."""
    out = io.BytesIO()
    write(out)
    return out.getvalue()


def zipped(members: dict[str, bytes]) -> bytes:
    """A zip archive of some files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name, _WHEN), content)
    return out.getvalue()


def workbook() -> bytes:
    """A sheet with a title above the names, dates, text that looks like numbers, formulas, an
    error and merged cells; an empty sheet; and a hidden one.
    """
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out, {"in_memory": True})
    book.set_properties({"created": dt.datetime(2024, 1, 1)})  # noqa: DTZ001
    book.add_worksheet("Empty")
    sheet = book.add_worksheet("Data")
    day = book.add_format({"num_format": "yyyy-mm-dd"})
    sheet.merge_range(0, 0, 0, 3, "Report 2024")
    sheet.write_row(2, 0, ["id", "day", "code", "total", "share"])
    for row, number in enumerate((1, 2), 3):
        sheet.write_number(row, 0, number)
        sheet.write_datetime(row, 1, dt.datetime(2024, 1, number), day)  # noqa: DTZ001
        sheet.write_string(row, 2, f"{number}00")
        sheet.write_formula(row, 3, f"=A{row + 1}*1.5", None, number * 1.5)
    sheet.write_formula(3, 4, "=1/0", None, "#DIV/0!")
    sheet.write_number(4, 4, 0.5)
    book.add_worksheet("Hidden").hide()
    book.close()
    return out.getvalue()


def main() -> int:
    """Write all of them."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    files = {name: text.encode() for name, text in text_files().items()} | packed_files()
    for name, content in files.items():
        (FOLDER / name).write_bytes(content)
    return 0


if __name__ == "__main__":
    sys.exit(main())

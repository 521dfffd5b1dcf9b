"""What the bytes of a file are: packing, encoding, and what cannot be read at all."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard

from flowcat_jupyter.formats import files_bytes, files_open
from flowcat_jupyter.formats.files import read_files
from flowcat_jupyter.formats.files_bytes import FileBytes
from flowcat_jupyter.formats.files_reading import Request
from flowcat_jupyter.shared.errors import Conflict, Invalid, NotFound

ReadText = Callable[..., Any]
CSV = b"id,name\n1,x\n2,y\n"
ROWS = [(1, "x"), (2, "y")]
AWKWARD = Path(__file__).parents[3] / "data/awkward"


def zipped(**members: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


class TestPacking:
    @pytest.mark.parametrize("name", ["data.csv", "data.gz", "data"])
    def test_gzip_is_known_by_its_bytes(self, name: str, read: ReadText) -> None:
        assert read(gzip.compress(CSV), name=name).rows == ROWS

    def test_all_members_of_a_gzip_are_read(self, read: ReadText) -> None:
        assert read(gzip.compress(CSV) + gzip.compress(b"3,z\n")).rows == [*ROWS, (3, "z")]

    def test_a_zip_with_one_file_is_that_file(self, read: ReadText) -> None:
        assert read(zipped(data=CSV), name="data.csv").rows == ROWS

    @pytest.mark.parametrize("pack", [gzip.compress, lambda content: zipped(data=content)])
    def test_an_archive_that_swells_beyond_measure_is_refused_early(
        self, pack: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch, read: ReadText
    ) -> None:
        monkeypatch.setattr(files_bytes, "UNPACKED_FREELY", 100_000)
        assert len(read(pack(b"a\n" + b"1\n" * 40_000)).rows) == 40_000
        with pytest.raises(Invalid, match="200 times its size"):
            read(pack(b"a\n" + b"1\n" * 4_000_000))

    def test_a_workbook_that_swells_beyond_measure_is_refused_before_it_is_read(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(files_bytes, "UNPACKED_FREELY", 100_000)
        path = Path(shutil.copy(AWKWARD / "book.xlsx", tmp_path))
        with read_files([path]) as reading:
            assert reading.rows
        with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as book:
            book.writestr("xl/media/image.bin", bytes(10 << 20))
        with pytest.raises(Invalid, match="200 times its size"), read_files([path]):
            pass

    def test_the_directory_of_a_large_archive_is_not_read_for_each_of_its_files(
        self, monkeypatch: pytest.MonkeyPatch, read: ReadText
    ) -> None:
        contents = {n: zipped(**{f"f{at}": CSV for at in range(n)}) for n in (101, 141)}
        opened = 0

        class Counted(zipfile.ZipFile):
            def __init__(self, *given: Any, **named: Any) -> None:
                nonlocal opened
                opened += 1
                super().__init__(*given, **named)

        monkeypatch.setattr(zipfile, "ZipFile", Counted)
        times = []
        for count, content in contents.items():
            opened = 0
            assert read(content).rows == ROWS * count
            times.append(opened)
        assert times[0] == times[1]

    def test_the_files_of_an_archive_count_as_any_others_do(
        self, monkeypatch: pytest.MonkeyPatch, read: ReadText
    ) -> None:
        monkeypatch.setattr(files_open, "MAX_FILES", 2)
        assert len(read(zipped(a=CSV, b=CSV)).rows) == 4
        with pytest.raises(Invalid, match="more than 2 files"):
            read(zipped(a=CSV, b=CSV, c=CSV))

    def test_what_macos_adds_to_a_zip_does_not_count(self, read: ReadText) -> None:
        assert read(zipped(data=CSV, **{"__MACOSX/data": b"junk", ".DS_Store": b"x"})).rows == ROWS

    def test_all_files_of_a_zip_are_one_table_unless_one_is_chosen(self, read: ReadText) -> None:
        content = zipped(b=b"id,name\n3,z\n", a=CSV)
        found = read(content)
        assert found.rows == [*ROWS, (3, "z")]
        assert found.reading.options["member"] == "*"
        assert found.reading.choices["member"] == ("*", "a", "b")
        assert read(content, member="b").rows == [(3, "z")]
        with pytest.raises(NotFound, match="no member c"):
            read(content, member="c")

    def test_a_zip_without_a_file_is_refused(self, read: ReadText) -> None:
        with pytest.raises(Invalid, match="holds no data file"):
            read(zipped())

    @pytest.mark.parametrize(
        "pack",
        [zstandard.ZstdCompressor().compress, bz2.compress, lzma.compress, gzip.compress],
    )
    def test_other_packings_are_known_by_their_bytes(
        self, pack: Callable[[bytes], bytes], read: ReadText
    ) -> None:
        assert read(pack(CSV) + pack(b"3,z\n")).rows == [*ROWS, (3, "z")]
        with pytest.raises(Invalid, match="damaged or was cut short"):
            read(pack(CSV * 50)[:-9])

    @pytest.mark.parametrize("cut", [15, -6])
    def test_a_gzip_cut_short_is_refused(self, cut: int, read: ReadText) -> None:
        with pytest.raises(Invalid, match="damaged or was cut short"):
            read(gzip.compress(CSV * 50)[:cut])

    def test_a_damaged_zip_is_refused(self, read: ReadText) -> None:
        with pytest.raises(Invalid, match="damaged or was cut short"):
            read(zipped(data=CSV * 100)[:-30])

    def test_a_document_is_refused_with_the_way_out(self, read: ReadText) -> None:
        with pytest.raises(Invalid, match="Office document") as caught:
            read(zipped(**{"word/document.xml": b"<x/>", "a": b""}))
        assert "CSV" in (caught.value.hint or "")

    def test_json_may_be_packed_too(self, read: ReadText) -> None:
        assert read(gzip.compress(b'{"a":1}\n{"a":2}\n')).rows == [(1,), (2,)]


class TestEncoding:
    @pytest.mark.parametrize(
        ("codec", "found"),
        [
            ("utf-8", "utf-8"),
            ("utf-8-sig", "utf-8"),
            ("utf-16", "utf-16"),
            ("utf-32", "utf-32"),
            ("latin-1", "cp1252"),
            ("cp1252", "cp1252"),
        ],
    )
    def test_the_encoding_is_found(self, codec: str, found: str, read: ReadText) -> None:
        result = read("id,name\n1,José\n2,Zoë\n".encode(codec))
        assert result.names == ["id", "name"]
        assert result.column("name") == ["José", "Zoë"]
        assert result.reading.options["encoding"] == found

    def test_big_endian_utf_16_is_known_by_its_mark(self, read: ReadText) -> None:
        assert read(b"\xfe\xff" + "id\n1\n".encode("utf-16-be")).rows == [(1,)]

    def test_a_likely_encoding_is_told(self, read: ReadText) -> None:
        assert "read as cp1252" in read("a\nJosé\n".encode("latin-1")).warnings

    def test_bytes_that_cp1252_lacks_mean_latin_1(self, read: ReadText) -> None:
        assert read(b"a\nx\x81y\n").rows == [("x\x81y",)]

    def test_the_whole_file_decides(self, read: ReadText) -> None:
        content = b"a\n" + b"x\n" * 1_000_000 + b"\xe9\n"
        found = read(content)
        assert found.rows[-1] == ("é",)
        assert len(found.rows) == 1_000_001

    def test_the_option_decides(self, read: ReadText) -> None:
        assert read(b"a\n\xa4\n", encoding="iso8859-15").rows == [("€",)]
        assert read("a\né\n".encode("utf-16-le"), encoding="utf-16-le").rows == [("é",)]

    def test_a_mark_does_not_reach_the_header_when_the_option_names_no_mark(
        self, read: ReadText
    ) -> None:
        content = b"\xff\xfe" + "id,n\n1,2\n".encode("utf-16-le")
        assert read(content, encoding="utf-16-le").names == ["id", "n"]

    def test_an_option_that_is_wrong_is_refused(self, read: ReadText) -> None:
        with pytest.raises(Invalid, match="is not utf-8 text"):
            read(b"a\n\xe9\n", encoding="utf-8")

    def test_a_mark_before_a_blank_line_does_not_reach_the_header(self, read: ReadText) -> None:
        assert read(b"\xef\xbb\xbf\nid,n\n1,2\n").names == ["id", "n"]

    def test_ndjson_may_begin_with_a_mark(self, read: ReadText) -> None:
        assert read(b'\xef\xbb\xbf{"id":1}\n{"id":2}\n').names == ["id"]


class TestRefusals:
    @pytest.mark.parametrize(
        ("content", "told"),
        [
            (b"", "is empty"),
            (b"\n\n\n", "nothing but blank lines"),
            (gzip.compress(b"", mtime=0), "is empty"),
            (b"%PDF-1.7 ...", "a PDF document"),
            (b"\x89PNG\r\n\x1a\n", "a PNG image"),
            (b"SQLite format 3\x00" + bytes(100), "a SQLite database"),
            (bytes(range(256)) * 20, "a binary file"),
            (b"\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00", "a binary file"),
        ],
    )
    def test_what_cannot_be_read_is_named(self, content: bytes, told: str, read: ReadText) -> None:
        with pytest.raises(Invalid, match=told):
            read(content)

    def test_a_missing_file_is_not_found(self, tmp_path: Path) -> None:
        with (
            pytest.raises(NotFound, match=r"no file none\.csv"),
            read_files([tmp_path / "none.csv"]),
        ):
            pass

    def test_an_empty_folder_has_no_file_to_read(self, tmp_path: Path) -> None:
        with pytest.raises(Invalid, match="no file to read"), read_files([tmp_path]):
            pass

    def test_a_format_nobody_knows_is_refused(self, read: ReadText) -> None:
        with pytest.raises(Invalid, match="'orc' cannot be imported"):
            read(CSV, format="orc")

    def test_a_format_that_the_file_has_not_is_refused(self, read: ReadText) -> None:
        with pytest.raises(Invalid, match="is not a parquet file"):
            read(CSV, format="parquet")

    def test_a_format_may_be_asked_for(self, read: ReadText) -> None:
        assert read('{"a"\n1\n', format="csv", quote="").names == ['{"a"']


class TestChanges:
    @pytest.mark.parametrize(
        "name", ["plain.csv", "nested.ndjson", "table.parquet", "table.arrow", "table.avro"]
    )
    def test_a_file_that_changes_between_the_readings_is_not_imported(
        self, name: str, tmp_path: Path
    ) -> None:
        path = Path(shutil.copy(AWKWARD / name, tmp_path))
        with read_files([path]) as reading:
            assert sum(frame.height for frame in reading.frames()) == reading.rows
            os.utime(path, (1, 1))
            with pytest.raises(Conflict, match=f"{name} changed while it was read"):
                list(reading.frames())

    def test_a_file_that_is_gone_has_changed(self, tmp_path: Path) -> None:
        path = Path(shutil.copy(AWKWARD / "plain.csv", tmp_path))
        packed = FileBytes(path, "plain", 0)
        stamp = packed.stamp()
        path.unlink()
        with pytest.raises(Conflict, match="changed"):
            packed.check_unchanged(stamp)

    def test_a_copy_that_was_unpacked_is_read_whatever_becomes_of_its_archive(
        self, tmp_path: Path
    ) -> None:
        path = Path(shutil.copy(AWKWARD / "table.parquet.gz", tmp_path))
        with read_files([path]) as reading:
            path.unlink()
            assert sum(frame.height for frame in reading.frames()) == reading.rows


class TestSamples:
    def test_a_large_file_is_only_sampled_for_a_proposal(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(files_bytes, "SAMPLE_BYTES", 8000)
        path = tmp_path / "big.csv"
        lines = [f"{i},{'x' if i == 49_999 else i}" for i in range(50_000)]
        path.write_text("\n".join(["a,b", *lines]))
        with read_files([path], request=Request(sample_above=100_000)) as reading:
            assert reading.sampled
            assert reading.rows < 2000
            assert {c.name: c.type for c in reading.columns} == {"a": "int", "b": "string"}
            assert not reading.rejected
            assert "sample" in reading.all_warnings()[0]

    def test_a_small_file_is_read_whole(self, tmp_path: Path) -> None:
        path = tmp_path / "small.csv"
        path.write_bytes(CSV)
        with read_files([path], request=Request(sample_above=100_000)) as reading:
            assert not reading.sampled

"""What the operating system refuses is said as such, and without its paths."""

from __future__ import annotations

import errno
from pathlib import Path

import polars as pl
import pytest
from polars.exceptions import PolarsError

from flowcat_jupyter.shared.faults import system_fault


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.ENOSPC, "No space left on device", "/home/ada/x"), "no space left"),
        (OSError("No space left on device (os error 28)"), "no space left"),
        (RuntimeError("cannot sink: Read-only file system (os error 30)"), "only be read"),
        (PermissionError(errno.EACCES, "Permission denied", "/home/ada/x"), "permission denied"),
        (OSError(errno.EMFILE, "Too many open files"), "Too many files"),
    ],
)
def test_a_refusal_of_the_system_is_named_without_paths(error: Exception, said: str) -> None:
    fault = system_fault(error)
    assert fault is not None
    assert said in fault.message
    assert fault.hint
    assert "/home" not in f"{fault.message} {fault.hint}"


@pytest.mark.parametrize("harm", ["cut", "empty", "junk", "inside"])
def test_a_damaged_data_file_is_named_as_such(harm: str, tmp_path: Path) -> None:
    file = tmp_path / "part.parquet"
    pl.DataFrame({"a": range(10_000)}).write_parquet(file)
    whole = file.read_bytes()
    file.write_bytes(
        {
            "cut": whole[: len(whole) // 2],
            "empty": b"",
            "junk": b"PAR1" + b"junk" * 9,
            "inside": whole[:50] + bytes(len(whole) - 500) + whole[-450:],
        }[harm]
    )
    with pytest.raises(PolarsError) as caught:
        pl.scan_parquet(file, schema={"a": pl.Int64}).collect()
    fault = system_fault(caught.value)
    assert fault is not None, str(caught.value)
    assert "damaged" in fault.message


@pytest.mark.parametrize(
    "error",
    [ValueError("x"), OSError("odd"), FileNotFoundError(errno.ENOENT, "none"), KeyError(28)],
)
def test_what_says_nothing_of_the_machine_is_left_alone(error: Exception) -> None:
    assert system_fault(error) is None

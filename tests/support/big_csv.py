"""A large file with a bit of everything: quoted texts, dates, decimals, NULLs, bad lines."""

from __future__ import annotations

from pathlib import Path

import polars as pl

BLOCK = 200_000
REJECTED_OF_A_BLOCK = 3
_BROKEN = '1,00001,2020-01-01,2020-01-01T00:00:00,1.00,1.0,1,true,a,"b, c",,one field too many\n'


def write_big_csv(path: Path, megabytes: int) -> tuple[int, int]:
    """Write about so many MB; how many good lines and how many bad ones there are."""
    good, bad = 0, 0
    with path.open("wb") as file:
        while file.tell() < megabytes * 1_000_000:
            _block(good).write_csv(file, include_header=good == 0)
            good += BLOCK
            if good > BLOCK:
                # Not at the start, where readers look for how lines are written.
                file.write(_BROKEN.encode() * REJECTED_OF_A_BLOCK)
                bad += REJECTED_OF_A_BLOCK
    return good, bad


def _block(start: int) -> pl.DataFrame:
    n = pl.col("id")
    mixed = (n * 2_654_435_761) % 4_294_967_291
    texts = pl.format('{} said "{}", and left', mixed % 7919, mixed % 104_729)
    day = pl.date(2015, 1, 1) + pl.duration(days=mixed % 4000)
    moment = pl.datetime(2015, 1, 1) + pl.duration(seconds=mixed % 300_000_000)
    return pl.DataFrame({"id": range(start, start + BLOCK)}).with_columns(
        code=pl.format("{}", mixed % 99_999).str.zfill(5),
        day=day,
        moment=moment,
        amount=(mixed % 10_000_000 / 100).cast(pl.Decimal(12, 2)),
        measure=(mixed % 1_000_003) / 997,
        count=pl.when(mixed % 11 > 0).then(mixed % 1000),
        flag=mixed % 3 == 0,
        city=pl.when(mixed % 13 > 0).then(pl.format("city of {}", mixed % 500)),
        remark=texts,
        late=pl.when(mixed % 5 == 0).then(day),
    )

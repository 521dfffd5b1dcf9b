"""The functions that run, and nothing else: names, argument types, result types, spellings.

``arguments`` is a letter per argument: ``s`` string, ``i`` int, ``l`` bigint, ``d`` double,
``b`` boolean, ``t`` date, ``z`` timestamp, ``n`` any number as it is, ``x`` anything, ``e``
anything of one common type, ``a`` an array, ``m`` a map, ``y`` text or binary, ``c`` a literal.
``?`` makes what follows optional and ``*`` repeats the last letter. ``result`` is a Spark type,
``=`` (the common type of the ``e`` arguments), ``0`` (the first argument's type), ``item`` (the
element type of the first argument) or ``rule`` where `spelling` names a rewrite that decides. A
spelling with braces is a template of the engine's text, in which ``@`` is where OVER goes; one
without is a rewrite's name in ``lowering``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from flowcat_jupyter.sql import functions_duckdb, functions_more

SCALAR = "scalar"
AGGREGATE = "aggregate"
WINDOW = "window"
GENERATOR = "generator"


@dataclass(frozen=True, slots=True)
class Function:
    """One function; ``raises`` says that it may fail on values of the right types."""

    name: str
    arguments: str
    result: str
    spelling: str
    kind: str = SCALAR
    raises: bool = False

    @property
    def counts(self) -> tuple[int, int | None]:
        """The least and the largest number of arguments; None for no limit."""
        required, _, optional = self.arguments.partition("?")
        least = len(required.replace("*", ""))
        if "*" in self.arguments:
            return least, None
        return least, least + len(optional)


_TABLE = """
__typed_divide | nn     | rule    | typed_divide
abs            | n      | rule    | abs
acos           | d      | double  | ACOS({0})
add_months     | ti     | date    | add_months
array          | e*     | rule    | array
array_contains | ax     | boolean | array_contains
array_join     | as     | string  | array_join
asin           | d      | double  | ASIN({0})
atan           | d      | double  | ATAN({0})
atan2          | dd     | double  | atan2
bround         | n?c    | rule    | bround
btrim          | s      | string  | RTRIM(LTRIM({0}, ' '), ' ')
cardinality    | a      | int     | CAST(ARRAY_LENGTH({0}) AS INTEGER)
cbrt           | d      | double  | CBRT({0})
ceil           | n      | rule    | ceil
ceiling        | n      | rule    | ceil
char_length    | s      | int     | CAST(LENGTH({0}) AS INTEGER)
character_length | s    | int     | CAST(LENGTH({0}) AS INTEGER)
coalesce       | e*     | =       | coalesce
concat         | s*     | string  | concat
concat_ws      | s?s*   | string  | concat_ws
contains       | ss     | boolean | contains
cos            | d      | double  | COS({0})
current_date   |        | date    | current_date
current_timestamp |     | timestamp | current_timestamp
current_timezone |      | string  | current_timezone
current_user   |        | string  | current_user
curdate        |        | date    | current_date
date           | x      | date    | cast
date_add       | ti     | date    | date_add
date_diff      | x?xx   | rule    | datediff
date_format    | zc     | string  | date_format
date_part      | cx     | rule    | date_part
date_sub       | ti     | date    | date_sub
date_trunc     | cz     | timestamp | date_trunc
dateadd        | ti     | date    | date_add
datediff       | x?xx   | rule    | datediff
datepart       | cx     | rule    | date_part
day            | x      | int     | part:day
dayofmonth     | x      | int     | part:day
dayofweek      | x      | int     | part:dow
dayofyear      | x      | int     | part:doy
decode         | ex?x*  | rule    | decode
degrees        | d      | double  | DEGREES({0})
endswith       | ss     | boolean | ENDS_WITH({0}, {1})
exp            | d      | double  | EXP({0})
extract        | cx     | rule    | date_part
floor          | n      | rule    | floor
from_unixtime  | l?c    | string  | from_unixtime
greatest       | ee*    | =       | greatest
hour           | x      | int     | part:hour
if             | bee    | =       | if
ifnull         | ee     | =       | coalesce
instr          | ss     | int     | instr
isnan          | d      | boolean | isnan
isnotnull      | x      | boolean | ({0} IS NOT NULL)
isnull         | x      | boolean | ({0} IS NULL)
last_day       | t      | date    | last_day
lcase          | s      | string  | LOWER({0})
least          | ee*    | =       | LEAST({*})
left           | si     | string  | left
len            | s      | int     | CAST(LENGTH({0}) AS INTEGER)
length         | s      | int     | CAST(LENGTH({0}) AS INTEGER)
ln             | d      | double  | ln
locate         | ss     | int     | locate
log            | d?d    | double  | log
log10          | d      | double  | log10
log1p          | d      | double  | log1p
log2           | d      | double  | log2
lower          | s      | string  | LOWER({0})
lpad           | si?s   | string  | lpad
ltrim          | s      | string  | LTRIM({0}, ' ')
make_date      | iii    | date    | make_date
minute         | x      | int     | part:minute
mod            | nn     | rule    | mod
month          | x      | int     | part:month
nanvl          | nn     | rule    | nanvl
negative       | n      | rule    | negative
now            |        | timestamp | current_timestamp
nullif         | xx     | rule    | nullif
nvl            | ee     | =       | coalesce
nvl2           | xee    | =       | nvl2
octet_length   | s      | int     | CAST(OCTET_LENGTH({0}) AS INTEGER)
pi             |        | double  | PI()
pmod           | nn     | rule    | pmod
position       | ss     | int     | locate
positive       | n      | 0       | {0}
pow            | dd     | double  | POW({0}, {1})
power          | dd     | double  | POW({0}, {1})
quarter        | x      | int     | part:quarter
radians        | d      | double  | RADIANS({0})
regexp         | sc     | boolean | REGEXP_LIKE({0}, {1})
regexp_like    | sc     | boolean | REGEXP_LIKE({0}, {1})
regexp_replace | scc    | string  | regexp_replace
repeat         | si     | string  | repeat
replace        | sss    | string  | replace
reverse        | s      | string  | REVERSE({0})
right          | si     | string  | right
rlike          | sc     | boolean | REGEXP_LIKE({0}, {1})
round          | n?c    | rule    | round
rpad           | si?s   | string  | rpad
rtrim          | s      | string  | RTRIM({0}, ' ')
second         | x      | int     | part:second
sequence       | ii?i   | rule    | sequence
sign           | d      | double  | sign
signum         | d      | double  | sign
sin            | d      | double  | SIN({0})
size           | a      | int     | CAST(ARRAY_LENGTH({0}) AS INTEGER)
sort_array     | a?c    | rule    | sort_array
split          | sc     | array<string> | split
split_part     | ssc    | string  | split_part
sqrt           | d      | double  | sqrt
startswith     | ss     | boolean | STARTS_WITH({0}, {1})
substr         | si?i   | string  | substring
substring      | si?i   | string  | substring
tan            | d      | double  | TAN({0})
timestamp      | x      | timestamp | cast
to_date        | x?c    | date    | to_date
to_timestamp   | x?c    | timestamp | to_timestamp
trim           | s      | string  | RTRIM(LTRIM({0}, ' '), ' ')
trunc          | tc     | date    | trunc
try_add        | nn     | rule    | try_add
try_divide     | nn     | rule    | try_divide
try_multiply   | nn     | rule    | try_multiply
try_subtract   | nn     | rule    | try_subtract
typeof         | x      | string  | typeof
ucase          | s      | string  | UPPER({0})
unix_timestamp | x?c    | bigint  | unix_timestamp
upper          | s      | string  | UPPER({0})
user           |        | string  | current_user
weekday        | x      | int     | part:weekday
weekofyear     | x      | int     | part:week
year           | x      | int     | part:year
"""

_AGGREGATES = """
any            | b      | boolean | MAX({0})@
any_value      | x      | 0       | FIRST({0})@
approx_count_distinct | x | bigint | COUNT(DISTINCT {0})@
array_agg      | x      | rule    | collect_list
avg            | n      | rule    | avg
bool_and       | b      | boolean | MIN({0})@
bool_or        | b      | boolean | MAX({0})@
collect_list   | x      | rule    | collect_list
collect_set    | x      | rule    | collect_set
corr           | dd     | double  | corr
count          | x*     | bigint  | count
count_if       | b      | bigint  | COUNT(CASE WHEN {0} THEN 1 ELSE NULL END)@
covar_samp     | dd     | double  | COVAR_SAMP({0}, {1})@
every          | b      | boolean | MIN({0})@
first          | x      | 0       | FIRST({0})@
first_value    | x      | 0       | FIRST({0})@
grouping       | x      | tinyint | grouping
grouping_id    | ?x*    | bigint  | grouping
last           | x      | 0       | LAST({0})@
last_value     | x      | 0       | LAST({0})@
listagg        | s?c    | string  | listagg
max_by         | xx     | 0       | max_by
max            | x      | 0       | max
mean           | n      | rule    | avg
median         | d      | double  | MEDIAN({0})@
min_by         | xx     | 0       | min_by
min            | x      | 0       | min
percentile     | dc     | double  | percentile
percentile_cont | c     | double  | percentile_cont
some           | b      | boolean | MAX({0})@
std            | d      | double  | STDDEV({0})@
stddev         | d      | double  | STDDEV({0})@
stddev_samp    | d      | double  | STDDEV({0})@
string_agg     | s?c    | string  | listagg
sum            | n      | rule    | sum
var_samp       | d      | double  | VARIANCE({0})@
variance       | d      | double  | VARIANCE({0})@
"""

_WINDOWS = """
cume_dist      |        | double  | CUME_DIST()@
dense_rank     |        | int     | CAST(DENSE_RANK()@ AS INTEGER)
lag            | x?cx   | 0       | LAG
lead           | x?cx   | 0       | LEAD
ntile          | c      | int     | CAST(NTILE({0})@ AS INTEGER)
percent_rank   |        | double  | PERCENT_RANK()@
rank           |        | int     | CAST(RANK()@ AS INTEGER)
row_number     |        | int     | CAST(ROW_NUMBER()@ AS INTEGER)
"""

_GENERATORS = """
explode        | a      | item    | UNNEST({0})
explode_outer  | a      | item    | UNNEST({0})
posexplode     | a      | item    | UNNEST({0})
posexplode_outer | a    | item    | UNNEST({0})
"""

REWRITES = {
    "group_concat": "listagg(text, ',')",
    "iff": "if(condition, yes, no)",
    "list": "collect_list(x)",
    "getdate": "current_timestamp()",
    "sysdate": "current_timestamp()",
    "strftime": "date_format(time, 'yyyy-MM-dd')",
    "to_char": "date_format(time, 'yyyy-MM-dd')",
    "quantile": "percentile(x, 0.5)",
    "string_to_array": "split(text, ',')",
}
"""Names people bring from elsewhere, and what to write instead."""


def _read(table: str, kind: str) -> dict[str, Function]:
    found: dict[str, Function] = {}
    for line in filter(None, table.strip().splitlines()):
        name, arguments, result, spelling = (part.strip() for part in line.split("|", 3))
        found[name] = Function(name, arguments, result, spelling, kind)
    return found


FUNCTIONS: dict[str, Function] = {
    **_read(_TABLE + functions_more.SCALARS, SCALAR),
    **_read(_AGGREGATES + functions_more.AGGREGATES, AGGREGATE),
    **_read(_WINDOWS + functions_more.WINDOWS, WINDOW),
    **_read(_GENERATORS, GENERATOR),
}

MISSING = "-"
"""The spelling of a general function that an engine has not."""

OTHERS: dict[str, dict[str, Function]] = {
    "duckdb": {
        **_read(functions_duckdb.SCALARS, SCALAR),
        **_read(functions_duckdb.AGGREGATES, AGGREGATE),
        **_read(functions_duckdb.GENERATORS, GENERATOR),
    }
}
"""What other engines than polars have of their own, or instead of what is in `FUNCTIONS`."""


@cache
def names() -> tuple[str, ...]:
    """Every function that runs on some engine, sorted; for completion and the reference."""
    known = set(FUNCTIONS).union(*OTHERS.values())
    return tuple(sorted(name for name in known if not name.startswith("__")))


def lookup(name: str, target: str | None = "polars") -> Function | None:
    """The function of that name, whatever its case, on an engine; on any of them for None."""
    key = name.lower()
    if target is None:
        return FUNCTIONS.get(key) or next((it[key] for it in OTHERS.values() if key in it), None)
    found = OTHERS.get(target, {}).get(key) or FUNCTIONS.get(key)
    return found if found is not None and found.spelling != MISSING else None

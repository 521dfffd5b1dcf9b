"""Lines of the function table for what an engine computes beside its SQL, or in unusual ways.

The columns are those of `functions`; ``step:`` names what computes the value, with the literal
arguments as its options.
"""

SCALARS = """
acosh          | d      | double  | step:arccosh
array_append   | ax     | 0       | with_item:array_append
array_compact  | a      | 0       | step:array_compact
array_distinct | a      | 0       | step:array_distinct
array_except   | aa     | 0       | two_arrays:array_except
array_intersect | aa    | 0       | two_arrays:array_intersect
array_max      | a      | item    | extreme_item:array_max
array_min      | a      | item    | extreme_item:array_min
array_position | ax     | bigint  | with_item:array_position
array_prepend  | ax     | 0       | with_item:array_prepend
array_remove   | ax     | 0       | with_item:array_remove
array_repeat   | xi     | rule    | array_repeat
array_size     | a      | int     | CAST(ARRAY_LENGTH({0}) AS INTEGER)
array_union    | aa     | 0       | two_arrays:array_union
arrays_overlap | aa     | boolean | two_arrays:arrays_overlap
ascii          | s      | int     | step:ascii
asinh          | d      | double  | step:arcsinh
atanh          | d      | double  | step:arctanh
base64         | y      | string  | step:base64
bigint         | x      | bigint  | cast
bin            | l      | string  | step:bin
bit_count      | l      | int     | step:bit_count
bit_length     | s      | int     | CAST((OCTET_LENGTH({0}) * 8) AS INTEGER)
boolean        | x      | boolean | cast
char           | l      | string  | step:chr
chr            | l      | string  | step:chr
cosh           | d      | double  | step:cosh
cot            | d      | double  | COT({0})
crc32          | y      | bigint  | step:crc32
date_from_unix_date | i | date    | date_from_unix_date
dayname        | t      | string  | STRFTIME({0}, '%a')
decimal        | x      | decimal(10,0) | cast
double         | x      | double  | cast
e              |        | double  | EXP(CAST(1 AS DOUBLE))
element_at     | xx     | rule    | element_at
equal_null     | ee     | boolean | ({0} IS NOT DISTINCT FROM {1})
exists         | ax     | boolean | lambda
factorial      | i      | bigint  | step:factorial
filter         | ax     | 0       | lambda
find_in_set    | ss     | int     | step:find_in_set
float          | x      | float   | cast
forall         | ax     | boolean | lambda
from_utc_timestamp | zc | timestamp | from_utc_timestamp
get            | ai     | item    | get
hex            | x      | string  | hex
initcap        | s      | string  | step:initcap
int            | x      | int     | cast
levenshtein    | ss     | int     | step:levenshtein
localtimestamp |        | timestamp_ntz | localtimestamp
map_contains_key | mc   | boolean | step:map_contains
map_keys       | m      | rule    | map_parts:map_keys
map_values     | m      | rule    | map_parts:map_values
md5            | y      | string  | step:md5
monthname      | t      | string  | STRFTIME({0}, '%b')
months_between | zz?c   | double  | months_between
named_struct   | x*     | rule    | struct
next_day       | tc     | date    | next_day
nullifzero     | n      | 0       | nullifzero
overlay        | ssi?i  | string  | step:overlay
regexp_count   | sc     | int     | regexp_count
regexp_extract | sc?c   | string  | regexp_extract
regexp_extract_all | sc?c | array<string> | regexp_extract_all
regexp_substr  | sc     | string  | regexp_substr
rint           | d      | double  | step:rint
sha            | y      | string  | step:sha1
sha1           | y      | string  | step:sha1
sha2           | yc     | string  | sha2
shiftleft      | ni     | rule    | shift:left
shiftright     | ni     | rule    | shift:right
shiftrightunsigned | ni | rule    | shift:unsigned
sinh           | d      | double  | step:sinh
slice          | aii    | 0       | slice
smallint       | x      | smallint | cast
space          | i      | string  | space
string         | x      | string  | cast
struct         | x*     | rule    | struct
substring_index | ssi   | string  | step:substring_index
tanh           | d      | double  | step:tanh
timestamp_micros | l    | timestamp | instant:1
timestamp_millis | l    | timestamp | instant:1000
timestamp_seconds | l   | timestamp | instant:1000000
timestampadd   | xix    | rule    | timestampadd
timestampdiff  | xxx    | bigint  | timestampdiff
tinyint        | x      | tinyint | cast
to_unix_timestamp | x?c | bigint  | unix_timestamp
transform      | ax     | rule    | lambda
translate      | sss    | string  | step:translate
try_element_at | xx     | rule    | try_element_at
try_mod        | nn     | rule    | try_mod
unhex          | s      | binary  | step:unhex
unix_date      | t      | int     | unix_date
unix_micros    | z      | bigint  | CAST({0} AS BIGINT)
unix_millis    | z      | bigint  | since_epoch:1000
unix_seconds   | z      | bigint  | since_epoch:1000000
zeroifnull     | n      | rule    | zeroifnull
"""

AGGREGATES = """
bit_and        | n      | 0       | bits
bit_or         | n      | 0       | bits
bit_xor        | n      | 0       | bits
covar_pop      | dd     | double  | COVAR_POP({0}, {1})@
kurtosis       | d      | double  | moment
regr_avgx      | dd     | double  | regression
regr_avgy      | dd     | double  | regression
regr_count     | dd     | bigint  | regression
regr_intercept | dd     | double  | regression
regr_r2        | dd     | double  | regression
regr_slope     | dd     | double  | regression
regr_sxx       | dd     | double  | regression
regr_sxy       | dd     | double  | regression
regr_syy       | dd     | double  | regression
skewness       | d      | double  | moment
stddev_pop     | d      | double  | SQRT(COVAR_POP({0}, {0})@)
try_avg        | n      | rule    | avg
try_sum        | n      | rule    | try_sum
var_pop        | d      | double  | COVAR_POP({0}, {0})@
"""

WINDOWS = """
nth_value      | xc     | 0       | NTH_VALUE
"""

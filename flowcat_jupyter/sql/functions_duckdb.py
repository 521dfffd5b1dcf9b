"""Lines of the function table that DuckDB has of its own, or instead of the general ones.

The columns are those of `functions`, which see; a spelling of ``-`` says that it has none.
"""

from __future__ import annotations

SCALARS = """
acos           | d      | double  | arc
acosh          | d      | double  | arc_hyperbolic
aggregate      | axx?x  | rule    | aggregate
array_append   | ax     | 0       | array_append
array_compact  | a      | 0       | array_compact
array_distinct | a      | 0       | array_distinct
array_except   | aa     | 0       | array_except
array_intersect | aa    | 0       | array_intersect
array_max      | a      | item    | array_max
array_min      | a      | item    | array_min
array_position | ax     | bigint  | array_position
array_prepend  | ax     | 0       | array_prepend
array_remove   | ax     | 0       | array_remove
array_repeat   | xi     | rule    | array_repeat
array_size     | a      | int     | size
array_sort     | a      | 0       | array_sort
array_union    | aa     | 0       | array_union
arrays_overlap | aa     | boolean | arrays_overlap
ascii          | s      | int     | ASCII({0})
asin           | d      | double  | arc
asinh          | d      | double  | ASINH({0})
atanh          | d      | double  | arc_hyperbolic
base64         | y      | string  | base64
bin            | l      | string  | BIN({0})
bit_count      | x      | int     | bit_count
bit_length     | s      | int     | CAST((STRLEN({0}) * 8) AS INTEGER)
cardinality    | x      | int     | size
cbrt           | d      | double  | cbrt
char           | l      | string  | chr
chr            | l      | string  | chr
cos            | d      | double  | circular
cosh           | d      | double  | COSH({0})
cot            | d      | double  | cot
crc32          | s      | bigint  | crc32
element_at     | xx     | rule    | element_at
exists         | ax     | boolean | exists
factorial      | i      | bigint  | factorial
filter         | ax     | 0       | filter
find_in_set    | ss     | int     | find_in_set
flatten        | a      | rule    | flatten
forall         | ax     | boolean | forall
get            | ai     | item    | get
get_json_object | ss    | string  | get_json_object
hex            | x      | string  | hex
initcap        | s      | string  | initcap
json_array_length | s   | int     | json_array_length
levenshtein    |        |         | -
map            | x*     | rule    | map
map_contains_key | xx   | boolean | map_contains_key
map_entries    | x      | rule    | map_entries
map_filter     | xx     | 0       | map_filter
map_from_arrays | aa    | rule    | map_from_arrays
map_from_entries | a    | rule    | map_from_entries
map_keys       | x      | rule    | map_keys
map_values     | x      | rule    | map_values
md5            | s      | string  | MD5({0})
months_between | zz?c   | double  | months_between
named_struct   | x*     | rule    | named_struct
octet_length   | s      | int     | CAST(STRLEN({0}) AS INTEGER)
overlay        |        |         | -
reduce         | axx?x  | rule    | aggregate
regexp         | sc     | boolean | REGEXP_MATCHES({0}, {1})
regexp_count   | sc     | int     | regexp_count
regexp_extract | sc?c   | string  | regexp_extract
regexp_extract_all | sc?c | array<string> | regexp_extract_all
regexp_like    | sc     | boolean | REGEXP_MATCHES({0}, {1})
regexp_substr  | sc     | string  | regexp_substr
reverse        | x      | 0       | reverse
rint           | d      | double  | ROUND_EVEN({0}, 0)
rlike          | sc     | boolean | REGEXP_MATCHES({0}, {1})
sequence       | ii?i   | rule    | sequence
sha            | s      | string  | SHA1({0})
sha1           | s      | string  | SHA1({0})
sha2           | sc     | string  | sha2
shiftleft      |        |         | -
shiftright     |        |         | -
shiftrightunsigned |        |         | -
sin            | d      | double  | circular
sinh           | d      | double  | SINH({0})
size           | x      | int     | size
slice          | aii    | 0       | slice
struct         | x*     | rule    | struct
substring_index |       |         | -
tan            | d      | double  | circular
tanh           | d      | double  | TANH({0})
timestamp_micros | l    | timestamp | timestamp_micros
timestamp_millis | l    | timestamp | timestamp_micros
timestamp_seconds | l   | timestamp | timestamp_micros
transform      | ax     | rule    | transform
transform_keys | xx     | rule    | transform_keys
transform_values | xx   | rule    | transform_values
translate      | sss    | string  | TRANSLATE({0}, {1}, {2})
try_element_at | xx     | rule    | try_element_at
ucase          | s      | string  | UPPER(REPLACE({0}, 'ß', 'SS'))
unhex          |        |         | -
unix_micros    | z      | bigint  | unix_micros
unix_millis    | z      | bigint  | unix_micros
unix_seconds   | z      | bigint  | unix_micros
upper          | s      | string  | UPPER(REPLACE({0}, 'ß', 'SS'))
zip_with       | aax    | rule    | zip_with
"""

AGGREGATES = """
bit_and        | n      | 0       | BIT_AND({0})@
bit_or         | n      | 0       | BIT_OR({0})@
bit_xor        | n      | 0       | BIT_XOR({0})@
kurtosis       |        |         | -
skewness       |        |         | -
std            | d      | double  | spread
stddev         | d      | double  | spread
stddev_pop     | d      | double  | spread
stddev_samp    | d      | double  | spread
var_pop        | d      | double  | spread
var_samp       | d      | double  | spread
variance       | d      | double  | spread
"""

GENERATORS = ""

-- case: a setting is set, told and taken back
SET spark.sql.session.timeZone = Europe/Berlin;
--> key string | value string
--> spark.sql.session.timeZone | Europe/Berlin
SET spark.sql.session.timeZone;
--> key string | value string
--> spark.sql.session.timeZone | Europe/Berlin
SELECT CAST(TIMESTAMP'2026-01-31 12:00:00 UTC' AS STRING) AS t;
--> t string
--> 2026-01-31 13:00:00
SET TIME ZONE 'America/New_York';
--> key string | value string
--> spark.sql.session.timeZone | America/New_York
SELECT CAST(TIMESTAMP'2026-01-31 12:00:00 UTC' AS STRING) AS t;
--> t string
--> 2026-01-31 07:00:00
SET TIME ZONE 'Nope/Nowhere';
--> error INVALID_CONF_VALUE.TIME_ZONE 22022
SET TIME ZONE INTERVAL '2' HOUR;
--> key string | value string
--> spark.sql.session.timeZone | +02:00
RESET spark.sql.session.timeZone;
SET spark.sql.session.timeZone;
--> key string | value string
--> spark.sql.session.timeZone | UTC
SELECT current_timezone() AS z;
--> z string
--> UTC

-- case: values that a setting cannot have
SET spark.sql.sources.partitionOverwriteMode = nope;
--> error INVALID_CONF_VALUE.OUT_OF_RANGE_OF_OPTIONS 22022
SET spark.sql.storeAssignmentPolicy = nope;
--> error INVALID_CONF_VALUE.OUT_OF_RANGE_OF_OPTIONS 22022
SET spark.sql.sources.partitionOverwriteMode;
--> key string | value string
--> spark.sql.sources.partitionOverwriteMode | STATIC
SET spark.sql.ansi.enabled;
--> key string | value string
--> spark.sql.ansi.enabled | true

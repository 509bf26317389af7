-- When did the live analysis write last, in seconds since the epoch?
--
-- column value real  seconds
SELECT ns / 1e9 AS value FROM live_status ORDER BY id DESC LIMIT 1

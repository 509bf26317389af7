-- How many packets did the capture drop since live was started, by whom?
-- Absent where the system does not report it.
--
-- column tap id  tap.id
-- column name text  its name
-- column who text  kernel interface own
-- column value count  packets
WITH latest AS (SELECT tap_id, max(id) AS id FROM live_status GROUP BY tap_id)
SELECT t.id AS tap, t.name, k.value ->> 0 AS who, k.value ->> 1 AS value
  FROM latest l JOIN live_status s ON s.id = l.id JOIN tap t ON t.id = s.tap_id,
       json_each(json_array(json_array('kernel', s.dropped_kernel),
                            json_array('interface', s.dropped_interface),
                            json_array('own', s.dropped_own))) k
 ORDER BY t.id, k.key

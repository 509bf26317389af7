-- What is at the top of every screen of the dashboard?
-- Drops are those of the running capture where there is one, else what the
-- capture files report.
--
-- column first_ns time  the first that is known: a packet, or older history
-- column origin_ns time  first packet
-- column last_ns time  last packet
-- column packets count  packets analyzed
-- column critical count  findings of this severity
-- column warnings count  findings of this severity
-- column taps count  capture points
-- column reporting count  taps that report drops
-- column dropped count  packets the kernel dropped; a file: the capture
-- column dropped_interface count  by interfaces or their drivers
-- column dropped_own count  because the analysis did not keep up
-- column lag_ns duration  live: how far it is behind
-- column heard_ns time  live: when it last wrote
-- column flow_id id  the most impaired flow, else the first
-- column step_ns duration  the longest step of load at a tap
-- column state text  live: up, down, ended; NULL: a recording
WITH now AS (
  SELECT s.tap_id, s.ns, s.state, s.dropped_kernel, s.dropped_interface,
         s.dropped_own, s.lag_ns
    FROM live_status s
   WHERE s.id IN (SELECT max(id) FROM live_status /*scan*/ GROUP BY tap_id))
SELECT ifnull((SELECT min(h.start_ns) FROM history h /*scan*/
                WHERE h.start_ns + h.width_ns <= min(c.first_ns)),
              min(c.first_ns)) AS first_ns,
       min(c.first_ns) AS origin_ns, max(c.last_ns) AS last_ns,
       sum(c.packets) AS packets,
       (SELECT count(*) FROM finding WHERE severity = 'critical') AS critical,
       (SELECT count(*) FROM finding WHERE severity = 'warning') AS warnings,
       (SELECT count(*) FROM tap /*scan*/) AS taps,
       CASE WHEN EXISTS (SELECT 1 FROM now)
            THEN (SELECT count(dropped_kernel) FROM now)
            ELSE (SELECT count(dropped_reported) FROM tap /*scan*/) END
         AS reporting,
       CASE WHEN EXISTS (SELECT 1 FROM now)
            THEN (SELECT sum(dropped_kernel) FROM now)
            ELSE (SELECT sum(dropped_reported) FROM tap /*scan*/) END
         AS dropped,
       (SELECT sum(dropped_interface) FROM now) AS dropped_interface,
       (SELECT sum(dropped_own) FROM now) AS dropped_own,
       (SELECT max(lag_ns) FROM now) AS lag_ns,
       (SELECT max(ns) FROM now) AS heard_ns,
       ifnull((SELECT id FROM flow WHERE impaired = 1
                ORDER BY recovery_ns DESC, id LIMIT 1),
              (SELECT min(id) FROM flow /*scan*/)) AS flow_id,
       (SELECT max(width_ns) FROM bin WHERE scope = 'tap') AS step_ns,
       (SELECT CASE WHEN max(state = 'up') THEN 'up'
                    WHEN max(state = 'down') THEN 'down'
                    ELSE max(state) END FROM now) AS state
  FROM capture c /*scan*/
 WHERE c.packets > 0

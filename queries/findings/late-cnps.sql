-- Do notifications come late?
-- From mark to CNP as both pass here, less the shortest round trip of an
-- acknowledgement.  Known for the first of a burst; that the others come late
-- as well is seen from how long before them no mark passed.
-- param slow duration 100us  later than this is late
-- param least count 3  CNPs needed to say anything
WITH seen AS NOT MATERIALIZED (
  SELECT c.tap_id, c.receiver, c.frame, c.ns, c.clean,
         c.latency_max_ns - ifnull(f.rtt_receiver_ns, 0) AS most,
         c.latency_min_ns - ifnull(f.rtt_receiver_ns, 0) AS least
    FROM cnp /*scan*/ c
    JOIN flow f ON f.id = c.flow_id
   WHERE c.latency_max_ns IS NOT NULL),
-- Those whose median is late: only of these it is asked for.
late AS MATERIALIZED (
  SELECT tap_id, receiver, sum(clean) AS n_clean, sum(least > :slow) AS n_late,
         max(frame) FILTER (WHERE clean) AS frame, min(ns) AS first_ns,
         max(ns) AS last_ns
    FROM seen
   GROUP BY tap_id, receiver
  HAVING sum(clean AND most <= :slow) < (sum(clean) + 1) / 2
     AND sum(clean OR least > :slow) >= :least),
said AS (
  SELECT l.*, s.most AS median_ns,
         row_number() OVER (PARTITION BY l.tap_id, l.receiver
                            ORDER BY s.most) AS nth
    FROM seen s
   CROSS JOIN late l ON l.tap_id = s.tap_id AND l.receiver = s.receiver
   WHERE s.clean AND EXISTS (SELECT 1 FROM late))
SELECT 'warning' AS severity,
       CASE WHEN n_clean >= 5 THEN 0.85 ELSE 0.7 END AS confidence,
       receiver || ' takes ' || human_ns(median_ns)
         || ' from a CE mark to its CNP' AS title,
       'Measured here on ' || plural(n_clean, 'CNP') || ' that began a '
         || 'burst, less the round trip of an acknowledgement; '
         || plural(n_late, 'CNP') || ' came when no mark had '
         || 'passed for longer than ' || human_ns(:slow) || '. Senders go on '
         || 'at full rate for so long while the queue grows: it needs that '
         || 'much more buffer, or PFC.' AS detail,
       'Look at ' || receiver || ': are notifications made in software or '
         || 'queued behind data? CNPs belong into a priority of their own.'
         AS action,
       tap_id, first_ns, last_ns,
       json_object('frames',
                   json_array(json_object('tap', tap_id, 'frame', frame)),
                   'numbers',
                   json_object('clean', n_clean, 'late', n_late,
                               'median_ns', median_ns),
                   'query', 'fabscope query DB cnp-latency') AS evidence
  FROM said
 WHERE nth = (n_clean + 1) / 2
 ORDER BY tap_id, receiver

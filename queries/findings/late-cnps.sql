-- Do notifications come late?
-- From mark to CNP as both pass here, less the shortest round trip of an
-- acknowledgement.  Known for the first of a burst; that the others come late
-- as well is seen from how long before them no mark passed.
-- param slow duration 100us  later than this is late
-- param least count 3  CNPs needed to say anything
WITH seen AS (
  SELECT c.tap_id, c.receiver, c.frame, c.ns, c.clean,
         c.latency_max_ns - ifnull(f.rtt_receiver_ns, 0) AS most,
         c.latency_min_ns - ifnull(f.rtt_receiver_ns, 0) AS least
    FROM cnp /*scan*/ c
    JOIN flow f ON f.id = c.flow_id
   WHERE c.latency_max_ns IS NOT NULL),
late AS (
  SELECT *, row_number() OVER (PARTITION BY tap_id, receiver, clean
                               ORDER BY most) AS rank,
         sum(clean) OVER (PARTITION BY tap_id, receiver) AS n_clean
    FROM seen)
SELECT 'warning' AS severity,
       CASE WHEN max(n_clean) >= 5 THEN 0.85 ELSE 0.7 END AS confidence,
       receiver || ' takes ' || human_ns(max(most) FILTER
                                  (WHERE clean AND rank = (n_clean + 1) / 2))
         || ' from a CE mark to its CNP' AS title,
       'Measured here on ' || plural(max(n_clean), 'CNP') || ' that began a '
         || 'burst, less the round trip of an acknowledgement; '
         || plural(sum(least > :slow), 'CNP') || ' came when no mark had '
         || 'passed for longer than ' || human_ns(:slow) || '. Senders go on '
         || 'at full rate for so long while the queue grows: it needs that '
         || 'much more buffer, or PFC.' AS detail,
       'Look at ' || receiver || ': are notifications made in software or '
         || 'queued behind data? CNPs belong into a priority of their own.'
         AS action,
       tap_id, min(ns) AS first_ns, max(ns) AS last_ns,
       json_object('frames',
                   json_array(json_object('tap', tap_id, 'frame',
                                          max(frame) FILTER (WHERE clean))),
                   'numbers',
                   json_object('clean', max(n_clean),
                               'late', sum(least > :slow),
                               'median_ns', max(most) FILTER
                                 (WHERE clean AND rank = (n_clean + 1) / 2)),
                   'query', 'fabscope query DB cnp-latency') AS evidence
  FROM late
 GROUP BY tap_id, receiver
HAVING max(most) FILTER (WHERE clean AND rank = (n_clean + 1) / 2) > :slow
   AND sum(clean OR least > :slow) >= :least

-- Are congestion notifications late?
-- From CE mark to CNP as both were seen here, less the shortest round trip to an
-- ACK.  Known for the first of a burst; that the others are late as well follows
-- from the time before them without a mark.
-- param slow duration 100us  later than this is late
-- param least count 3  minimum number of CNPs
-- Most CNPs are neither the first of a burst nor late: they say nothing.
-- needs cnp
WITH telling AS MATERIALIZED (
  SELECT c.tap_id, c.receiver, c.frame, c.clean,
         c.latency_max_ns - ifnull(f.rtt_receiver_ns, 0) AS most,
         c.latency_min_ns - ifnull(f.rtt_receiver_ns, 0) > :slow AS late
    FROM cnp /*scan*/ c
    JOIN flow f ON f.id = c.flow_id
   WHERE c.latency_max_ns IS NOT NULL
     AND (c.clean OR c.latency_min_ns > :slow)
     AND (c.clean
          OR c.latency_min_ns - ifnull(f.rtt_receiver_ns, 0) > :slow)),
-- Those whose median is late.
receivers AS MATERIALIZED (
  SELECT tap_id, receiver, sum(clean) AS n_clean, sum(late) AS n_late,
         max(frame) FILTER (WHERE clean) AS frame
    FROM telling
   GROUP BY tap_id, receiver
  HAVING sum(clean AND most <= :slow) < (sum(clean) + 1) / 2
     AND count(*) >= :least),
times AS MATERIALIZED (
  SELECT r.tap_id, r.receiver, min(c.ns) AS first_ns, max(c.ns) AS last_ns
    FROM (SELECT * FROM cnp /*scan*/
           WHERE latency_max_ns IS NOT NULL AND flow_id IS NOT NULL
             AND EXISTS (SELECT 1 FROM receivers)) c
    JOIN receivers r ON r.tap_id = c.tap_id AND r.receiver = c.receiver
   GROUP BY r.tap_id, r.receiver),
said AS (
  SELECT r.*, t.first_ns, t.last_ns, s.most AS median_ns,
         row_number() OVER (PARTITION BY r.tap_id, r.receiver
                            ORDER BY s.most) AS nth
    FROM receivers r
    JOIN times t ON t.tap_id = r.tap_id AND t.receiver = r.receiver
    JOIN telling s ON s.tap_id = r.tap_id AND s.receiver = r.receiver
   WHERE s.clean)
SELECT 'warning' AS severity,
       CASE WHEN n_clean >= 5 THEN 0.85 ELSE 0.7 END AS confidence,
       receiver || ' takes ' || human_ns(median_ns)
         || ' from a CE mark to its CNP' AS title,
       'The median of ' || plural(n_clean, 'CNP') || ' for the first mark of '
         || 'a burst, with the round-trip time of an ACK subtracted. '
         || plural(n_late, 'CNP') || ' came more than ' || human_ns(:slow)
         || ' after the last mark. Until the CNP comes, senders keep their '
         || 'rate and the queue grows: the switch needs that much more '
         || 'buffer, or PFC.' AS detail,
       'Look at ' || receiver || ': does software send its CNPs, or do they '
         || 'queue behind data? CNPs belong in a priority of their own.'
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

-- How long does each receiver take from a CE mark to its CNP?
-- Only CNPs whose trigger is known: the first of a burst, or those with one
-- mark to answer.  Never compare taps at different places: what passes at the
-- sender has the way to the receiver and back in it.  excess_p50_ns leaves out
-- the shortest round trip of an acknowledgement.
--
-- column tap_id id  tap.id
-- column receiver text  who answers marks
-- column cnps count  all of its CNPs that answer a mark seen here
-- column known count  of these, with a known trigger
-- column p50_ns duration  median of these
-- column p99_ns duration  99th percentile
-- column max_ns duration  the longest
-- column excess_p50_ns duration  median, less the round trip
-- column lower_p50_ns duration  of all: median of the lower bounds
-- column upper_p50_ns duration  of all: median of the upper bounds
--
-- example fabscope query DB cnp-latency
WITH seen AS (
  SELECT c.tap_id, c.receiver, c.latency_min_ns AS low,
         c.latency_max_ns AS high,
         c.clean OR c.latency_min_ns = c.latency_max_ns AS known,
         c.latency_max_ns - ifnull(f.rtt_receiver_ns, 0) AS excess
    FROM cnp /*scan*/ c
    JOIN flow f ON f.id = c.flow_id
   WHERE c.latency_max_ns IS NOT NULL),
ranked AS (
  SELECT *, count(*) OVER w AS n, sum(known) OVER w AS n_known,
         row_number() OVER (PARTITION BY tap_id, receiver ORDER BY low)
           AS by_low,
         row_number() OVER (PARTITION BY tap_id, receiver ORDER BY high)
           AS by_high,
         row_number() OVER (PARTITION BY tap_id, receiver
                            ORDER BY NOT known, high) AS by_known
    FROM seen
  WINDOW w AS (PARTITION BY tap_id, receiver))
SELECT tap_id, receiver, max(n) AS cnps, max(n_known) AS known,
       max(high) FILTER (WHERE by_known = (n_known + 1) / 2) AS p50_ns,
       max(high) FILTER (WHERE by_known = (99 * n_known + 99) / 100) AS p99_ns,
       max(high) FILTER (WHERE known) AS max_ns,
       max(excess) FILTER (WHERE by_known = (n_known + 1) / 2)
         AS excess_p50_ns,
       max(low) FILTER (WHERE by_low = (n + 1) / 2) AS lower_p50_ns,
       max(high) FILTER (WHERE by_high = (n + 1) / 2) AS upper_p50_ns
  FROM ranked
 GROUP BY tap_id, receiver
 ORDER BY p50_ns DESC, tap_id, receiver

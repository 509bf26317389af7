-- How long do messages take, in percentiles?
-- From the first packet of a message to its ACK or its last response, at each
-- capture point, by operation and size.  All messages count that were captured
-- from begin to end.  A percentile is within 1/16 of its value; the longest is
-- exact.
--
-- column tap text  the capture point
-- column transport text  RC XRC UET-ROD UET-RUD ...
-- column op word  operation
-- column bytes_from bytes  messages of this size ...
-- column bytes_below bytes  ... and less than this
-- column count count  messages
-- column p50_ns duration  median
-- column p90_ns duration  90th percentile
-- column p99_ns duration  99th percentile
-- column p999_ns duration  99.9th percentile
-- column max_ns duration  longest
--
-- example fabscope query DB latency-percentiles
WITH steps AS (
  SELECT *, (from_ns + to_ns) / 2 AS ns,
         sum(count) OVER (kind ORDER BY from_ns) AS upto,
         sum(count) OVER kind AS n
    FROM message_latency /*scan*/
  WINDOW kind AS (PARTITION BY tap_id, transport, op, bytes_from))
SELECT t.name AS tap, s.transport, s.op, s.bytes_from,
       max(4 * s.bytes_from, 4) AS bytes_below, max(s.n) AS count,
       min(s.ns) FILTER (WHERE s.upto >= 0.5 * s.n) AS p50_ns,
       min(s.ns) FILTER (WHERE s.upto >= 0.9 * s.n) AS p90_ns,
       min(s.ns) FILTER (WHERE s.upto >= 0.99 * s.n) AS p99_ns,
       min(s.ns) FILTER (WHERE s.upto >= 0.999 * s.n) AS p999_ns,
       max(s.to_ns) AS max_ns
  FROM steps s
  JOIN tap t ON t.id = s.tap_id
 GROUP BY s.tap_id, s.transport, s.op, s.bytes_from
 ORDER BY s.transport, s.op, s.bytes_from, s.tap_id

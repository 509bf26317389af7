-- Which hosts sent and received, and how many of their flows were impaired?
-- A flow at several taps counts once, where it shows most.
--
-- param from time NULL  start of the time window; NULL: start of the capture
-- param to time NULL  end of the time window; NULL: end of the capture
-- param limit count 100  maximum number of rows
-- column host text  address
-- column peers count  hosts it talked with
-- column flows_out count  flows it sent
-- column bytes_out bytes  bytes it sent
-- column bytes_in bytes  bytes it received
-- column lost_out count  lost of what it sent, at least
-- column retransmitted_out count  packets it retransmitted
-- column rnr_in count  times it was not ready to receive
-- column recovery_ns duration  cost of its recoveries
--
-- uses flow-everywhere
-- example fabscope query DB hosts --param limit=20
WITH one AS MATERIALIZED (
  SELECT src, dst, bytes, lost, retransmitted, rnr_nak, recovery_ns
    FROM flow_everywhere)
SELECT host, count(DISTINCT peer) AS peers, sum(out) AS flows_out,
       sum(out * bytes) AS bytes_out, sum((1 - out) * bytes) AS bytes_in,
       sum(out * lost) AS lost_out, sum(out * retransmitted)
         AS retransmitted_out,
       sum((1 - out) * rnr_nak) AS rnr_in, sum(out * recovery_ns)
         AS recovery_ns
  FROM (SELECT src AS host, dst AS peer, 1 AS out, bytes, retransmitted,
               rnr_nak, recovery_ns, lost
          FROM one
        UNION ALL
        SELECT dst, src, 0, bytes, NULL, rnr_nak, NULL, NULL
          FROM one)
 GROUP BY host
 ORDER BY bytes_out + bytes_in DESC, host
 LIMIT :limit

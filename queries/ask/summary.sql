-- What is in this capture, in one row of numbers?
-- In a time window: at least what is known of it.  A flow at several taps counts
-- once, where it shows most; packets and what captures miss count at every tap.
--
-- param from time NULL  start of the time window; NULL: start of the capture
-- param to time NULL  end of the time window; NULL: end of the capture
-- column captures count  capture files
-- column taps count  capture points
-- column packets count  packets read
-- column roce_packets count  of these, RoCE
-- column uet_packets count  of these, Ultra Ethernet
-- column first_ns time  first packet
-- column duration_ns duration  from the first to the last packet
-- column flows count  flows, one direction each
-- column flows_both count  of these, seen in both directions
-- column bytes bytes  bytes of all flows on the wire
-- column expected count  PSNs covered
-- column capture_missing count  delivered, but missing in a capture
-- column lost count  lost, at least
-- column retransmitted count  retransmitted
-- column reordered count  reordered upstream of the capture point
-- column timeouts count  retransmission timeouts (RTO)
-- column rnr_nak count  times a receiver was not ready
-- column recovery_ns duration  cost of all recoveries, summed over flows
-- column critical count  findings of that severity
-- column warnings count  findings of that severity
-- column verdict text  was it the network: see query answer
--
-- uses flow-everywhere
-- uses tap-in-window
-- example fabscope query DB summary
WITH span(a, z, part) AS (
  SELECT ifnull(:from, min(first_ns)), ifnull(:to, max(last_ns)),
         coalesce(:from, :to) IS NOT NULL
    FROM capture WHERE packets > 0),
found AS (
  SELECT severity FROM span, finding
   WHERE NOT part OR last_ns IS NULL OR last_ns >= a AND first_ns <= z),
flows AS (
  SELECT count(*) AS n, sum(both) AS both, sum(bytes) AS bytes,
         count(bytes) = count(*) AS all_bytes, sum(expected) AS expected,
         sum(capture_missing) AS capture_missing, sum(lost) AS lost,
         sum(retransmitted) AS retransmitted, sum(reordered) AS reordered,
         sum(timeouts) AS timeouts, sum(rnr_nak) AS rnr_nak,
         sum(recovery_ns) AS recovery_ns
    FROM flow_everywhere)
SELECT (SELECT count(*) FROM capture) AS captures,
       (SELECT count(*) FROM tap) AS taps,
       iif(s.part, (SELECT sum(packets) FROM tap_in_window),
           (SELECT sum(packets) FROM capture)) AS packets,
       iif(s.part, NULL, (SELECT sum(packets_roce) + sum(packets_cnp) FROM tap))
         AS roce_packets,
       iif(s.part, NULL, (SELECT sum(packets_uet) FROM tap)) AS uet_packets,
       iif(s.part, s.a, (SELECT min(first_ns) FROM capture)) AS first_ns,
       s.z - s.a AS duration_ns, f.n AS flows, f.both AS flows_both,
       CASE WHEN NOT s.part OR f.all_bytes THEN f.bytes
            WHEN (SELECT sum(packets_other + packets_lldp + packets_pfc
                             + packets_pause) FROM tap) = 0
             AND (SELECT count(DISTINCT place) FROM tap) = 1
            THEN (SELECT sum(bytes) FROM tap_in_window) END AS bytes,
       iif(s.part, NULL, f.expected) AS expected, f.capture_missing, f.lost,
       f.retransmitted, f.reordered, f.timeouts, f.rnr_nak, f.recovery_ns,
       (SELECT count(*) FROM found WHERE severity = 'critical') AS critical,
       (SELECT count(*) FROM found WHERE severity = 'warning') AS warnings,
       (SELECT verdict FROM answer WHERE scope = 'capture') AS verdict
  FROM span s, flows f

-- What is in this capture, in one row of numbers?
--
-- column captures count  capture files
-- column taps count  places of capture
-- column packets count  packets read
-- column roce_packets count  of these, RoCE
-- column first_ns time  first packet
-- column duration_ns duration  from the first to the last packet
-- column flows count  flows, one direction each
-- column flows_both count  of these, seen in both directions
-- column bytes bytes  octets of all flows on the wire
-- column expected count  packet numbers covered
-- column capture_missing count  of these, missing in the capture only
-- column lost count  lost, at least
-- column retransmitted count  sent again
-- column reordered count  overtaken before the tap
-- column timeouts count  retransmission timers that fired
-- column rnr_nak count  times a receiver was not ready
-- column recovery_ns duration  cost of all recoveries, summed over flows
-- column critical count  findings of that severity
-- column warnings count  findings of that severity
-- column exonerated flag  1: nothing points to the network
--
-- example fabscope query DB summary
SELECT (SELECT count(*) FROM capture) AS captures,
       (SELECT count(*) FROM tap) AS taps,
       (SELECT sum(packets) FROM capture) AS packets,
       (SELECT sum(packets_roce) + sum(packets_cnp) FROM tap)
         AS roce_packets,
       (SELECT min(first_ns) FROM capture) AS first_ns,
       (SELECT max(last_ns) - min(first_ns) FROM capture) AS duration_ns,
       count(*) AS flows,
       sum(visibility = 'both') AS flows_both,
       sum(bytes) AS bytes,
       sum(expected) AS expected,
       sum(capture_missing) AS capture_missing,
       sum(lost_upstream + lost_downstream_min) AS lost,
       sum(retransmitted) AS retransmitted,
       sum(reordered) AS reordered,
       sum(timeouts) AS timeouts,
       sum(rnr_nak) AS rnr_nak,
       sum(recovery_ns) AS recovery_ns,
       (SELECT count(*) FROM finding WHERE severity = 'critical') AS critical,
       (SELECT count(*) FROM finding WHERE severity = 'warning') AS warnings,
       EXISTS (SELECT 1 FROM finding WHERE severity = 'exonerates')
         AS exonerated
  FROM flow /*scan*/

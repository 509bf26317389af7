-- What did all flows of one service do together?
-- A flow seen at several places counts once, where it shows most.
--
-- into service
WITH one AS (
  SELECT transport, sprayed, numbered, carried, flows, goodput,
         wire - 24 * packets AS bytes, wire, expected, lost_min,
         lost_max, retransmitted, reordered, spurious, timeouts, naks, rnr, first_ns,
         last_ns, least, most, latency, timed, trimmed
    FROM flow_sum /*scan*/
   WHERE (SELECT count(*) FROM same_flow) = 0
  UNION ALL
  SELECT max(transport), min(ifnull(spray_suspect, 0)),
         max(requests > 0 OR responses > 0), max(payload_bytes > 0), 1,
         max(goodput_bytes), max(bytes), max(bytes + 24 * packets),
         max(expected),
         max(lost_upstream + lost_downstream_min),
         max(lost_upstream + lost_downstream_max + unresolved),
         max(retransmitted), max(reordered), max(spurious), max(timeouts),
         max(nak_seq + implied_nak), max(rnr_nak), min(first_ns), max(last_ns),
         min(latency_min_ns), max(latency_max_ns),
         max(1.0 * latency_mean_ns * messages_completed),
         max(CASE WHEN latency_mean_ns IS NOT NULL
                  THEN messages_completed END), max(trimmed)
    FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM same_flow))
   CROSS JOIN flow f /*scan*/
    LEFT JOIN same_flow k ON k.flow_id = f.id
   GROUP BY ifnull(k.counted_id, f.id))
SELECT transport, sprayed, numbered, carried, sum(flows) AS flows,
       sum(goodput) AS goodput, sum(bytes) AS bytes, sum(wire) AS wire,
       sum(expected) AS expected,
       sum(lost_min) AS lost_min, sum(lost_max) AS lost_max,
       sum(retransmitted) AS retransmitted, sum(reordered) AS reordered,
       sum(spurious) AS spurious, sum(timeouts) AS timeouts,
       sum(naks) AS naks, sum(rnr) AS rnr, min(first_ns) AS first_ns,
       max(last_ns) AS last_ns, min(least) AS least, max(most) AS most,
       sum(latency) AS latency, sum(timed) AS timed,
       sum(trimmed) AS trimmed
  FROM one
 GROUP BY transport, sprayed, numbered, carried

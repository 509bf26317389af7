-- Do senders react late to NAKs?
-- Measured from the NAK passing here to the first copy passing here, less the
-- shortest round trip to that sender; the median of those up to 10 ms, since
-- later copies have another reason.  Consistent with slow loss recovery in a
-- NIC.
-- param slow duration 100us  later than this is slow
-- param least count 3  minimum number of recoveries
-- needs recovery
WITH waits AS (
  SELECT r.first_ns, r.last_ns, f.src, f.tap_id,
         r.retransmit_ns - r.detect_ns - ifnull(f.rtt_sender_ns, 0) AS wait
    FROM recovery /*scan*/ r
    JOIN flow f ON f.id = r.flow_id
   WHERE r.trigger = 'nak' AND r.retransmit_ns - r.detect_ns <= 10000000),
ranked AS (
  SELECT *, row_number() OVER (ORDER BY wait) AS rank,
         count(*) OVER () AS n FROM waits)
SELECT 'info' AS severity, 0.5 AS confidence,
       'Slow reaction to NAKs: ' || human_ns(max(wait) FILTER
                                             (WHERE rank = (n + 1) / 2))
         || ' from NAK to the first retransmission (median), '
         || CASE count(DISTINCT src) WHEN 1 THEN max(src)
                 ELSE plural(count(DISTINCT src), 'sender') END AS title,
       'Of ' || plural(count(*), 'recovery') || ' the slowest began '
         || human_ns(max(wait)) || ' after the NAK.' AS detail,
       'Compare with the other NICs of this fabric.' AS action,
       CASE WHEN min(tap_id) = max(tap_id) THEN max(tap_id) END AS tap_id,
       min(first_ns) AS first_ns, max(last_ns) AS last_ns,
       json_object('numbers',
                   json_object('recoveries', count(*),
                               'median_ns', max(wait) FILTER
                                            (WHERE rank = (n + 1) / 2),
                               'max_ns', max(wait)),
                   'query',
                   'fabscope query DB recoveries --param trigger=nak')
         AS evidence
  FROM ranked
HAVING count(*) >= :least
   AND max(wait) FILTER (WHERE rank = (n + 1) / 2) > :slow

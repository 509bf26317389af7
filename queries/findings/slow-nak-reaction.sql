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
all_of_them AS (
  SELECT count(*) AS n, CAST(median(wait) AS INTEGER) AS median_ns,
         max(wait) AS max_ns, count(DISTINCT src) AS senders, max(src) AS src,
         min(tap_id) AS tap_id, max(tap_id) AS last_tap_id,
         min(first_ns) AS first_ns, max(last_ns) AS last_ns
    FROM waits)
SELECT 'info' AS severity, 0.5 AS confidence,
       'Slow reaction to NAKs: ' || human_ns(median_ns)
         || ' from NAK to the first retransmission (median), '
         || iif(senders = 1, src, plural(senders, 'sender')) AS title,
       'Of ' || plural(n, 'recovery') || ' the slowest began '
         || human_ns(max_ns) || ' after the NAK.' AS detail,
       'Compare with the other NICs of this fabric.' AS action,
       iif(tap_id = last_tap_id, tap_id, NULL) AS tap_id, first_ns, last_ns,
       json_object('numbers',
                   json_object('recoveries', n, 'median_ns', median_ns,
                               'max_ns', max_ns),
                   'query',
                   'fabscope query DB recoveries --param trigger=nak')
         AS evidence
  FROM all_of_them
 WHERE n >= :least AND median_ns > :slow

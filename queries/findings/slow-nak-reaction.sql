-- Do senders react late to NAKs?
-- Measured from the NAK passing here to the first copy passing here, less the
-- shortest round trip to that sender.  Consistent with slow loss recovery in a
-- NIC (reference 9.2).
-- param slow duration 100us  later than this is slow
-- param least count 3  recoveries needed to say anything
SELECT 'info' AS severity, 0.5 AS confidence,
       'Slow reaction to NAKs: ' || human_ns(avg(wait))
         || ' on average from NAK to the first copy, '
         || CASE count(DISTINCT src) WHEN 1 THEN max(src)
                 ELSE plural(count(DISTINCT src), 'sender') END AS title,
       plural(count(*), 'recovery') || ' began later than '
         || human_ns(:slow) || ' after the NAK, the slowest after '
         || human_ns(max(wait)) || '.' AS detail,
       'Compare with the other NICs of this fabric.' AS action,
       min(first_ns) AS first_ns, max(last_ns) AS last_ns,
       json_object('numbers',
                   json_object('recoveries', count(*),
                               'mean_ns', CAST(avg(wait) AS INTEGER),
                               'max_ns', max(wait)),
                   'query',
                   'fabscope query DB recoveries --param trigger=nak')
         AS evidence
  FROM (SELECT r.first_ns, r.last_ns, f.src,
               r.resend_ns - r.detect_ns - ifnull(f.rtt_sender_ns, 0) AS wait
          FROM recovery /*scan*/ r
          JOIN flow f ON f.id = r.flow_id
         WHERE r.trigger = 'nak')
 WHERE wait > :slow
HAVING count(*) >= :least

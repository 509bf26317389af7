-- When did a sender stop for a NAK, although it had nothing to retransmit?
-- The packet was only late, and its receiver had it before the sender went on
-- (R28).  A sender that has nothing to send is silent as well: only what took
-- as long as the fastest reaction to a NAK in the capture, in half of all cases
-- of the flow, was a reaction.  Where nothing was ever retransmitted, none is
-- known; a sender that goes on as long after each NAK may react, or compute
-- from the ACK on that comes with it: that is for nobody to tell.
--
-- into temp.attribution
WITH reaction AS MATERIALIZED (
  SELECT ifnull(r.ns, alike.ns) AS ns, r.ns IS NOT NULL AS known
    FROM (SELECT min(retransmit_ns - detect_ns) AS ns
            FROM recovery /*scan*/
           WHERE trigger = 'nak' AND retransmitted_packets > 0
             AND cause IN ('loss_downstream', 'loss_upstream')
             AND retransmit_ns > detect_ns) r
    JOIN (SELECT min(value) AS ns FROM event
           WHERE kind = 'nak_stall' AND confidence > 0.5) alike),
stopped AS MATERIALIZED (
  SELECT e.flow_id, r.known, e.ns AS first_ns, e.ns + e.value AS last_ns,
         e.value BETWEEN 0.75 * r.ns AND 1.25 * r.ns AS fits
    FROM reaction r
   CROSS JOIN event e
   WHERE e.kind = 'nak_stall' AND r.ns > 0)
SELECT flow_id, first_ns, last_ns, 'recovery' AS class,
       iif(known, 'reorder', 'unknown') AS part, 0 AS replays
  FROM stopped
 WHERE fits
   AND flow_id IN (SELECT flow_id FROM stopped
                    GROUP BY flow_id HAVING 2 * sum(fits) >= count(*))

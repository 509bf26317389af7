-- When did a sender stop for a NAK, although it had nothing to retransmit?
-- The packet was only late, and its receiver had it before the sender went on
-- (R28).  A sender that has nothing to send is silent as well: only what took
-- as long as the fastest reaction to a NAK in the capture, in half of all cases
-- of the flow, was a reaction.  Where nothing was ever retransmitted, none is
-- known: a sender may react, be it as fast each time or not, or compute from the
-- ACK on that comes with the NAK, and that is for nobody to tell.
--
-- into temp.attribution
-- needs event
WITH reaction AS MATERIALIZED (
  SELECT min(retransmit_ns - detect_ns) AS ns
    FROM recovery /*scan*/
   WHERE trigger = 'nak' AND retransmitted_packets > 0
     AND cause IN ('loss_downstream', 'loss_upstream')
     AND retransmit_ns > detect_ns),
stopped AS MATERIALIZED (
  SELECT e.flow_id, r.ns IS NOT NULL AS known, e.ns AS first_ns,
         e.ns + e.value AS last_ns,
         r.ns IS NULL
           OR e.value BETWEEN 0.75 * r.ns AND 1.25 * r.ns AS fits
    FROM reaction r
   CROSS JOIN event e
   WHERE e.kind = 'nak_stall')
SELECT flow_id, first_ns, last_ns, 'recovery' AS class,
       iif(known, 'reorder', 'unknown') AS part, 0 AS replays
  FROM stopped
 WHERE fits
   AND flow_id IN (SELECT flow_id FROM stopped
                    GROUP BY flow_id HAVING 2 * sum(fits) >= count(*))

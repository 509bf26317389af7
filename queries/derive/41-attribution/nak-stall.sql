-- When did a sender stop for a NAK, although it had nothing to retransmit?
-- The packet was only late, and its receiver had it before the sender went on
-- (R28).  A sender that has nothing to send is silent as well: only what took
-- as long as the fastest reaction to a NAK in the capture, in half of all cases
-- of the flow, was a reaction.  Known are those in which something was
-- retransmitted, and of a sender that goes on as long after each NAK.
--
-- into temp.attribution
WITH reaction AS MATERIALIZED (
  SELECT min(ns) AS ns
    FROM (SELECT retransmit_ns - detect_ns AS ns
            FROM recovery /*scan*/
           WHERE trigger = 'nak' AND retransmitted_packets > 0
             AND cause IN ('loss_downstream', 'loss_upstream')
             AND retransmit_ns > detect_ns
           UNION ALL
          SELECT value FROM event
           WHERE kind = 'nak_stall' AND confidence > 0.5)),
stopped AS MATERIALIZED (
  SELECT e.flow_id, e.ns AS first_ns, e.ns + e.value AS last_ns,
         e.value BETWEEN 0.75 * r.ns AND 1.25 * r.ns AS fits
    FROM reaction r
   CROSS JOIN event e
   WHERE e.kind = 'nak_stall' AND r.ns > 0)
SELECT flow_id, first_ns, last_ns, 'recovery' AS class, 'reorder' AS part
  FROM stopped
 WHERE fits
   AND flow_id IN (SELECT flow_id FROM stopped
                    GROUP BY flow_id HAVING 2 * sum(fits) >= count(*))

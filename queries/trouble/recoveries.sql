-- Which recoveries point at something that went wrong?
-- One row per recovery episode.  An implied NAK is a lost answer: what was lost
-- travelled against the direction of the requests.  Left out: collateral (it
-- has its cause in another row), corruption (trouble/corruption), and losses
-- of flows that are suspected to be sprayed.
SELECT CASE
         WHEN r.cause = 'rnr' OR r.trigger = 'rnr' THEN 'rnr'
         WHEN r.cause = 'unknown' AND r.trigger = 'timeout' THEN 'timeout'
         WHEN r.cause = 'unknown' THEN 'unexplained'
         WHEN r.trigger = 'timeout'
              AND r.cause IN ('loss_upstream', 'loss_downstream')
           THEN 'tail_' || r.cause
         ELSE r.cause
       END AS kind,
       r.flow_id, r.tap_id,
       CASE r.trigger WHEN 'implied_nak' THEN f.dst ELSE f.src END AS src,
       CASE r.trigger WHEN 'implied_nak' THEN f.src ELSE f.dst END AS dst,
       1 AS episodes,
       r.lost_min, r.lost_max, r.resent_packets, r.resent_bytes,
       r.silence_ns,
       max(r.last_ns - r.first_ns, 0) AS cost_ns,
       r.first_ns, r.last_ns,
       ifnull(r.frame_detect, r.frame_first) AS frame,
       r.confidence
  FROM recovery /*scan*/ r
  JOIN flow f ON f.id = r.flow_id
 WHERE r.cause NOT IN ('collateral', 'corruption')
   AND NOT (f.spray_suspect
            AND r.cause IN ('loss_upstream', 'loss_downstream',
                            'loss_or_reorder'))

-- Which flows were trimmed, what did it cost, and what did it save?
-- A trimmed packet is retransmitted after a refusal; without trimming the sender
-- waits for a timer.  What that would have cost is known only where timers of
-- the same capture ran out.  What was cut off loaded no link from there on.
-- In a time window: the packets that were trimmed then, where each of them is
-- known, and the recoveries that began then.
--
-- param once flag NULL  1: one row for a flow that several taps saw, of the tap that knows most of it
-- param job count NULL  only this job (Ultra Ethernet)
-- param incident id NULL  only flows of this incident
-- param from time NULL  start of the time window; NULL: start of the capture
-- param to time NULL  end of the time window; NULL: end of the capture
-- param limit count 1000  maximum number of rows
-- column flow_id id  flow.id
-- column src text  sender
-- column dst text  receiver
-- column spdcid hex16  PDC id of the sender
-- column job_id count  job
-- column trimmed_upstream count  was already trimmed at this capture point
-- column trimmed_downstream count  trimmed downstream of this capture point
-- column trimmed_lasthop count  of both, by the last switch (incast)
-- column retransmitted_packets count  packets retransmitted for it
-- column retransmitted_bytes bytes  payload retransmitted
-- column cost_ns duration  from the original to its answer, on average
-- column timer_ns duration  what an RTO cost instead, mean
-- column saved_ns duration  the difference, over all of them
-- column trimmed_inside count  of both, by a switch before the last
-- column cut_bytes bytes  cut off what was already trimmed at this capture point, as far as reported
-- column tap_id id  tap.id
--
-- uses flow-once
-- uses trims-by-tap
-- example fabscope query DB trims --param limit=10
WITH best AS (
  SELECT flow_id, row_number() OVER (
           PARTITION BY counted_id
               ORDER BY trimmed_upstream + trimmed_downstream DESC,
                        trimmed_upstream DESC, flow_id) AS nth
    FROM pdc /*scan*/ JOIN flow_once USING (flow_id)
   WHERE :once)
SELECT flow_id, src, dst, spdcid, job_id, trimmed_upstream,
       trimmed_downstream, trimmed_lasthop, retransmitted_packets,
       retransmitted_bytes, cost_ns, timer_ns, saved_ns,
       trimmed_inside, cut_bytes, tap_id
  FROM trims_by_tap t
 WHERE NOT ifnull(:once, 0)
    OR flow_id IN (SELECT flow_id FROM best WHERE nth = 1)
 ORDER BY (SELECT p.trimmed_upstream + p.trimmed_downstream FROM pdc p
            WHERE p.flow_id = t.flow_id) DESC, flow_id
 LIMIT ifnull(:limit, -1)

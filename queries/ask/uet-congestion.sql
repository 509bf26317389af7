-- What did receivers report to Ultra Ethernet senders about congestion?
-- In a time window: what is known of it: from the intervals in which it was
-- reported, those at the edges by their part.
--
-- param once flag NULL  1: one row for a flow that several taps saw, of the tap that saw most marks
-- param job count NULL  only this job (Ultra Ethernet)
-- param from time NULL  start of the time window; NULL: start of the capture
-- param to time NULL  end of the time window; NULL: end of the capture
-- param limit count 1000  maximum number of rows
-- column flow_id id  flow.id
-- column src text  sender
-- column dst text  receiver
-- column spdcid hex16  PDC id of the sender
-- column job_id count  job
-- column packets count  packets sent
-- column ce count  marked ECN CE at this capture point
-- column acks count  answers
-- column marked count  answers to packets that arrived marked
-- column marked_share share  of the answers
-- column service_min_ns duration  shortest stay at the receiver
-- column service_max_ns duration  longest stay at the receiver
-- column path_min_ns duration  shortest round trip without that stay
-- column ooo_max count  most packets out of order at the receiver
-- column penalty_max count  largest window penalty, of 127
-- column restores count  times the window was restored
-- column received_bytes bytes  what the receiver counted
-- column received_bps rate  the same, over the time of the flow
-- column credit_granted count  credit granted, raw (its unit is UNKNOWN)
-- column credit_wanted count  credit requested by the sender, raw
-- column credit_backlog_max count  most that was requested and not granted, raw
-- column credit_waits count  times it must have waited for credit
-- column credit_wait_ns duration  all of these, as seen here
-- column credit_wait_share share  of the time of the flow
-- column credit_requests count  packets that only request credit (CREDIT_REQ)
--
-- uses flow-in-window
-- uses flow-once
-- example fabscope query DB uet-congestion --param limit=10
WITH span(a, z, part) AS (
  SELECT ifnull(:from, -(1 << 62)), ifnull(:to, 1 << 62),
         coalesce(:from, :to) IS NOT NULL),
step AS (
  SELECT b.*, max(0, min(b.start_ns + b.width_ns, s.z + 1)
                       - max(b.start_ns, s.a)) * 1.0 / b.width_ns AS part
    FROM span s, cc_bin b /*scan*/
   WHERE s.part),
-- all there is, then of the span
signaled AS MATERIALIZED (
  SELECT flow_id, sum(acks) AS acks, sum(marked) AS marked,
         sum(received_bytes) AS received_bytes,
         sum(credit_granted) AS credit_granted,
         sum(credit_wanted) AS credit_wanted,
         sum(credit_wait_ns) AS credit_wait_ns,
         round(sum(part * acks)) AS acks_then,
         round(sum(part * marked)) AS marked_then,
         round(sum(part * received_bytes)) AS received_then,
         round(sum(part * credit_granted)) AS granted_then,
         round(sum(part * credit_wanted)) AS wanted_then,
         round(sum(part * credit_wait_ns)) AS wait_then,
         max(iif(part > 0, service_max_ns, NULL)) AS service_max_ns,
         max(iif(part > 0, ooo_max, NULL)) AS ooo_max,
         max(iif(part > 0, penalty_max, NULL)) AS penalty_max,
         max(iif(part > 0, credit_backlog_max, NULL)) AS credit_backlog_max
    FROM step
   GROUP BY flow_id),
one AS (
  SELECT f.id AS flow_id, f.src, f.dst, f.spdcid, f.job_id, f.packets, f.ce,
         min(f.last_ns, s.z) - max(f.first_ns, s.a) AS ns, f.whole,
         CASE WHEN f.whole THEN p.acks WHEN t.acks = p.acks
              THEN CAST(t.acks_then AS INTEGER) END AS acks,
         CASE WHEN f.whole THEN p.marked WHEN t.marked = p.marked
              THEN CAST(t.marked_then AS INTEGER) END AS marked,
         p.service_min_ns,
         iif(f.whole, p.service_max_ns, t.service_max_ns) AS service_max_ns,
         p.path_min_ns, iif(f.whole, p.ooo_max, t.ooo_max) AS ooo_max,
         iif(f.whole, p.penalty_max, t.penalty_max) AS penalty_max, p.restores,
         CASE WHEN f.whole THEN p.received_bytes
              WHEN t.received_bytes = p.received_bytes
              THEN CAST(t.received_then AS INTEGER) END AS received_bytes,
         CASE WHEN f.whole THEN p.credit_granted
              WHEN t.credit_granted = p.credit_granted
              THEN CAST(t.granted_then AS INTEGER) END AS credit_granted,
         CASE WHEN f.whole THEN p.credit_wanted
              WHEN t.credit_wanted = p.credit_wanted
              THEN CAST(t.wanted_then AS INTEGER) END AS credit_wanted,
         iif(f.whole, p.credit_backlog_max, t.credit_backlog_max)
           AS credit_backlog_max,
         p.credit_waits,
         CASE WHEN f.whole THEN p.credit_wait_ns
              WHEN t.credit_wait_ns = p.credit_wait_ns
              THEN CAST(t.wait_then AS INTEGER) END AS credit_wait_ns,
         p.credit_requests
    FROM span s
   CROSS JOIN flow_in_window f
   CROSS JOIN pdc p ON p.flow_id = f.id
    LEFT JOIN signaled t ON t.flow_id = f.id
   WHERE p.acks > 0
     AND (:job IS NULL OR f.job_id = :job)),
best AS (
  SELECT flow_id, row_number() OVER (
           PARTITION BY counted_id
               ORDER BY ce DESC, acks DESC, flow_id) AS nth
    FROM one JOIN flow_once USING (flow_id)
   WHERE :once)
SELECT flow_id, src, dst, spdcid, job_id, packets, ce, acks, marked,
       1.0 * marked / nullif(acks, 0) AS marked_share,
       iif(whole, service_min_ns, NULL) AS service_min_ns, service_max_ns,
       iif(whole, path_min_ns, NULL) AS path_min_ns, ooo_max, penalty_max,
       iif(whole OR NOT restores, restores, NULL) AS restores, received_bytes,
       CAST(8e9 * received_bytes / nullif(ns, 0) AS INTEGER) AS received_bps,
       credit_granted, credit_wanted, credit_backlog_max,
       iif(whole OR NOT credit_waits, credit_waits, NULL) AS credit_waits,
       credit_wait_ns, 1.0 * credit_wait_ns / nullif(ns, 0)
         AS credit_wait_share,
       iif(whole OR NOT credit_requests, credit_requests, NULL)
         AS credit_requests
  FROM one
 WHERE NOT ifnull(:once, 0)
    OR flow_id IN (SELECT flow_id FROM best WHERE nth = 1)
 ORDER BY marked DESC, packets DESC, flow_id
 LIMIT :limit

-- How does each flow spread its packets over entropy values, hence paths?
-- Ultra Ethernet only, encrypted or not, where data was sent.  Values are counted
-- for each flow; what became of them is counted between two hosts, by all flows of
-- theirs (see entropy), and unknown where ACKs are not captured.  Of a part of
-- the life of a flow nothing of it is known, unless it has one value only.
--
-- param once flag NULL  1: of taps that saw a flow, only the one with most of its packets
-- param job count NULL  only this job
-- param from time NULL  start of the time window; NULL: start of the capture
-- param to time NULL  end of the time window; NULL: end of the capture
-- param limit count 1000  maximum number of rows
-- column flow_id id  flow.id
-- column transport text  UET-RUD, UET-ROD, ...
-- column src text  sender
-- column dst text  receiver
-- column spdcid hex16  PDC id of the sender
-- column job_id count  job
-- column packets count  packets
-- column entropy_values count  distinct entropy values, at least; 255 is "or more"
-- column links count  parallel links it was seen on; NULL not all are captured
-- column between_values count  values between its hosts, in both directions
-- column effective_values real  of these, as many as if all carried the same
-- column busiest_share share  of the packets between them, on one value
-- column marked_values count  of these, with packets that arrived marked
-- column trimmed_values count  with trimmed packets
-- column lost_values count  with packets lost downstream of this capture point
--
-- uses flow-in-window
-- example fabscope query DB entropy-spread --param limit=10
WITH here AS (
  SELECT e.src, e.dst, e.ev, sum(e.packets) AS packets,
         sum(e.marked) AS marked, sum(e.trimmed) AS trimmed,
         sum(e.lost) AS lost
    FROM entropy e /*scan*/
    JOIN tap t ON t.id = e.tap_id
   GROUP BY e.src, e.dst, e.ev, t.place),
one AS (
  SELECT src, dst, ev, max(packets) AS packets, max(marked) AS marked,
         max(trimmed) AS trimmed, max(lost) AS lost
    FROM here GROUP BY src, dst, ev),
way AS MATERIALIZED (
  SELECT src, dst, count(*) AS n, pow(2, entropy(packets)) AS effective,
         1.0 * max(packets) / sum(packets) AS busiest,
         sum(marked > 0) AS marked, sum(trimmed > 0) AS trimmed,
         sum(lost > 0) AS lost
    FROM one GROUP BY src, dst),
used AS (
  SELECT flow_id, max(links) AS links FROM balance_flow /*scan*/
   GROUP BY flow_id)
SELECT f.id AS flow_id, f.transport, f.src, f.dst, f.spdcid, f.job_id,
       f.packets,
       iif(f.whole OR f.udp_sports <= 1, f.udp_sports, NULL)
         AS entropy_values,
       iif(f.whole OR u.links = 1, u.links, NULL) AS links,
       iif(f.whole OR w.n = 1, w.n, NULL) AS between_values,
       iif(f.whole, round(w.effective, 1), NULL) AS effective_values,
       iif(f.whole, w.busiest, NULL) AS busiest_share,
       iif(w.marked > 0 AND f.whole OR NOT w.marked AND f.visibility = 'both',
           w.marked, NULL) AS marked_values,
       iif(w.trimmed > 0 AND f.whole OR NOT w.trimmed AND f.visibility = 'both',
           w.trimmed, NULL) AS trimmed_values,
       iif(w.lost > 0 AND f.whole OR NOT w.lost AND f.visibility = 'both',
           w.lost, NULL) AS lost_values
  FROM flow_in_window f
  LEFT JOIN way w ON w.src = f.src AND w.dst = f.dst
  LEFT JOIN used u ON u.flow_id = f.id
 WHERE f.transport LIKE 'UET-%' AND ifnull(f.udp_sports, 0) > 0
   AND (NOT ifnull(:once, 0)
        OR f.id NOT IN (SELECT flow_id FROM same_flow /*scan*/))
   AND (:job IS NULL OR f.job_id = :job)
 ORDER BY f.id
 LIMIT :limit

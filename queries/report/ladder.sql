-- What did the flows with most trouble send and get, packet number by time?
-- Trouble is the time that recoveries and pauses cost.  Where a flow has more
-- messages, events, recoveries or stalls than :points, every n-th is shown.
--
-- param flows count 6  of so many flows
-- param points count 250  at most so many of each sort
-- column flow_id id  flow.id
-- column flow text  sender and receiver
-- column what text  message, event, recovery, stall
-- column kind text  message.op, event.kind, recovery.trigger, stall.cause
-- column first_ns time  first packet; the event; first copy of a recovery
-- column last_ns time  last packet; last copy
-- column psn_first id  packet number there; NULL of a stall
-- column psn_last id  and there
-- column of count  so many of that sort the flow has
--
-- example fabscope query DB report/ladder --param flows=1
WITH waited AS MATERIALIZED (
  SELECT flow_id, sum(stalled_ns) AS ns FROM held_flow /*scan*/
   GROUP BY flow_id),
worst AS MATERIALIZED (
  SELECT f.id, f.src || ' > ' || f.dst
               || CASE WHEN f.spdcid IS NOT NULL
                       THEN printf(' PDC 0x%04x', f.spdcid)
                       WHEN f.dst_qp IS NOT NULL
                       THEN printf(' QP 0x%06x', f.dst_qp) ELSE '' END AS flow,
         row_number() OVER (
           ORDER BY ifnull(f.recovery_ns, 0) + ifnull(w.ns, 0) DESC,
                    f.retransmitted DESC, f.id) AS place
    FROM (SELECT id FROM flow WHERE troubled = 1
           UNION SELECT flow_id FROM waited) t
    JOIN flow f ON f.id = t.id
    LEFT JOIN waited w ON w.flow_id = f.id
   ORDER BY place LIMIT :flows),
things AS (
  SELECT w.place, w.id AS flow_id, w.flow, 'message' AS what, m.op AS kind,
         m.first_ns, m.last_ns, m.psn_first, m.psn_last, m.id
    FROM worst w JOIN message m ON m.flow_id = w.id
  UNION ALL
  SELECT w.place, w.id, w.flow, 'event', e.kind, e.ns, NULL, e.psn,
         e.psn + max(ifnull(e.count, 1), 1) - 1, e.id
    FROM worst w JOIN event e ON e.flow_id = w.id
   WHERE e.psn IS NOT NULL AND e.kind NOT IN ('epoch', 'outage')
  UNION ALL
  SELECT w.place, w.id, w.flow, 'recovery', r.trigger, r.resend_ns, r.last_ns,
         r.psn, r.psn + max(ifnull(r.resent_packets, 1), 1) - 1, r.id
    FROM worst w JOIN recovery r ON r.flow_id = w.id
  UNION ALL
  SELECT w.place, w.id, w.flow, 'stall', s.cause, s.first_ns, s.last_ns,
         NULL, NULL, s.id
    FROM stall s /*scan*/ JOIN worst w ON w.id = s.flow_id),
counted AS (
  SELECT *, count(*) OVER sort AS n,
         row_number() OVER (PARTITION BY flow_id, what ORDER BY first_ns, id)
           AS nth
    FROM things
  WINDOW sort AS (PARTITION BY flow_id, what))
SELECT flow_id, flow, what, kind, first_ns, last_ns, psn_first, psn_last,
       n AS of
  FROM counted
 WHERE (nth - 1) % ((n + :points - 1) / :points) = 0
 ORDER BY place, what, first_ns, id

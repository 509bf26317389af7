-- What did the most impaired flows send and receive, PSN by time?
-- Impaired is measured by the time that recoveries and pauses cost; of taps that
-- saw the same flow, the one with most packets counts.  Where a flow has more
-- messages, events, recoveries or stalls than :points, about so many of them;
-- of each message that is here, when it was acknowledged or answered as well.
-- What was sent is here from begin to end: stretches of data, joined where they
-- are more than :points.
--
-- param flows count 6  of so many flows
-- param points count 250  about so many of each sort
-- column flow_id id  flow.id
-- column flow text  sender and receiver
-- column what text  sent, message, answer, event, recovery, stall
-- column kind text  message.op, event.kind, recovery.trigger, stall.cause
-- column says text  the same in words
-- column first_ns time  first packet; the answer or event; first copy retransmitted
-- column last_ns time  last packet; last copy
-- column psn_first id  PSN there; NULL of a stall
-- column psn_last id  and there
-- column of count  so many of that sort the flow has
--
-- example fabscope query DB report/ladder --param flows=1
WITH waited AS MATERIALIZED (
  SELECT flow_id, sum(stalled_ns) AS ns FROM stalled_flow /*scan*/
   GROUP BY flow_id),
worst AS MATERIALIZED (
  SELECT f.id, f.src || ' > ' || f.dst
               || CASE WHEN f.spdcid IS NOT NULL
                       THEN printf(' PDC 0x%04x', f.spdcid)
                       WHEN f.dst_qp IS NOT NULL
                       THEN printf(' QP 0x%06x', f.dst_qp) ELSE '' END
               || CASE WHEN (SELECT count(*) FROM tap) > 1
                       THEN (SELECT ifnull(' at ' || p.name, '') FROM tap p
                              WHERE p.id = f.tap_id)
                       ELSE '' END AS flow,
         row_number() OVER (
           ORDER BY ifnull(f.recovery_ns, 0) + ifnull(w.ns, 0) DESC,
                    f.retransmitted DESC, f.id) AS place
    FROM (SELECT id FROM flow WHERE impaired = 1
           UNION SELECT flow_id FROM waited
          EXCEPT SELECT flow_id FROM same_flow /*scan*/) t
    JOIN flow f ON f.id = t.id
    LEFT JOIN waited w ON w.flow_id = f.id
   ORDER BY place LIMIT :flows),
sorts(what) AS (VALUES ('message'), ('event'), ('recovery'), ('stall')),
counted AS MATERIALIZED (
  SELECT w.*, s.what,
         CASE s.what
         WHEN 'message' THEN (SELECT count(*) FROM message
                               WHERE flow_id = w.id)
         WHEN 'event' THEN (SELECT count(*) FROM event WHERE flow_id = w.id)
         WHEN 'recovery' THEN (SELECT count(*) FROM recovery
                                WHERE flow_id = w.id)
         ELSE (SELECT count(*) FROM stall /*scan*/ WHERE flow_id = w.id)
         END AS n
    FROM worst w, sorts s),
-- one of so many is shown; which ones is left to chance, by their id
thinned AS MATERIALIZED (
  SELECT *, (n + :points - 1) / :points AS one_of FROM counted WHERE n > 0),
-- a stretch of data knows how many PSNs it has; which ones, the messages that
-- begin with it say
begun AS MATERIALIZED (
  SELECT m.flow_id, m.first_ns, min(m.id) AS id, m.psn_first
    FROM worst w CROSS JOIN message m ON m.flow_id = w.id
   WHERE m.psn_first IS NOT NULL
   GROUP BY m.flow_id, m.first_ns),
stretch AS (
  SELECT w.id, b.first_ns, b.last_ns, b.psns, g.psn_first AS named,
         sum(b.psns) OVER sofar - b.psns AS before,
         count(g.psn_first) OVER sofar AS part,
         (row_number() OVER sofar - 1) * :points
           / count(*) OVER (PARTITION BY w.id) AS nth
    FROM burst b /*scan*/
    JOIN worst w ON w.id = b.flow_id
    LEFT JOIN begun g ON g.flow_id = w.id AND g.first_ns = b.first_ns
   WHERE b.psns > 0
  WINDOW sofar AS (PARTITION BY w.id ORDER BY b.first_ns)),
placed AS (
  SELECT s.*, first_value(named - before)
                OVER (PARTITION BY id, max(part, 1)
                      ORDER BY named IS NULL, first_ns) + before AS psn
    FROM stretch s),
sent AS (
  SELECT p.id, min(p.first_ns) AS first_ns, max(p.last_ns) AS last_ns,
         min(p.psn) AS psn, max(p.psn + p.psns - 1) AS last_psn,
         iif(f.transport LIKE 'UET%', 1 << 32, 1 << 24) AS size
    FROM placed p JOIN flow f ON f.id = p.id
   WHERE p.psn >= 0
   GROUP BY p.id, p.part, p.nth),
things AS (
  SELECT w.id, w.flow, w.place, NULL AS what, NULL AS n, 1 AS one_of,
         'sent' AS sort, NULL AS kind, s.first_ns, s.last_ns,
         s.psn % s.size AS psn_first, s.last_psn % s.size AS psn_last,
         0 AS thing
    FROM sent s JOIN worst w ON w.id = s.id
  UNION ALL
  SELECT t.*, t.what, m.op, m.first_ns, m.last_ns, m.psn_first, m.psn_last,
         m.id
    FROM thinned t JOIN message m ON m.flow_id = t.id AND t.what = 'message'
  UNION ALL
  SELECT t.*, 'answer', m.op, m.completed_ns, NULL, m.psn_last, m.psn_last,
         m.id
    FROM thinned t JOIN message m ON m.flow_id = t.id AND t.what = 'message'
   WHERE m.completed_ns IS NOT NULL
  UNION ALL
  SELECT t.*, t.what, e.kind, e.ns, NULL, e.psn,
         e.psn + max(ifnull(e.count, 1), 1) - 1, e.id
    FROM thinned t JOIN event e ON e.flow_id = t.id AND t.what = 'event'
   WHERE e.psn IS NOT NULL AND e.kind NOT IN ('epoch', 'outage')
  UNION ALL
  SELECT t.*, t.what, r.trigger, r.retransmit_ns, r.last_ns, r.psn,
         r.psn + max(ifnull(r.retransmitted_packets, 1), 1) - 1, r.id
    FROM thinned t JOIN recovery r ON r.flow_id = t.id AND t.what = 'recovery'
  UNION ALL
  SELECT t.*, t.what, s.cause, s.first_ns, s.last_ns, NULL, NULL, s.id
    FROM thinned t JOIN stall s /*scan*/ ON s.flow_id = t.id
                                        AND t.what = 'stall')
SELECT id AS flow_id, flow, sort AS what, kind,
       transport_words((SELECT transport FROM flow WHERE flow.id = things.id),
                       words(kind)) AS says,
       first_ns, last_ns, psn_first, psn_last, n AS of
  FROM things
 WHERE (thing * 2654435761 >> 16) % one_of = 0
 ORDER BY place, sort, first_ns, thing

-- How long do acknowledgements and clear-to-send take?
--
-- into kpi
WITH m AS (
  SELECT median(rtt_receiver_ns) AS ns, count(rtt_receiver_ns) AS n
    FROM flow /*scan*/),
-- Flows whose receiver writes small messages, one for each of theirs (as in
-- 40-phase.sql), and the silences that ended when it did.
asked AS (
  SELECT f.id FROM flow f /*scan*/
    JOIN flow p ON p.id = f.peer_flow_id
   WHERE EXISTS (SELECT 1 FROM burst)
     AND f.goodput_bytes > 0 -- before the other direction is looked up
     AND f.goodput_bytes > 20 * p.goodput_bytes AND p.messages > 0
     AND p.payload_bytes <= 512 * p.messages
     AND 2 * p.messages >= f.messages),
b AS (
  SELECT b.flow_id, b.last_ns, b.asked_ns,
         lead(b.first_ns) OVER (PARTITION BY b.flow_id ORDER BY b.first_ns)
           AS next_ns
    FROM asked JOIN burst b ON b.flow_id = asked.id),
cts AS (
  SELECT flow_id, asked_ns - last_ns AS wait_ns, next_ns - asked_ns AS answer_ns
    FROM b
   WHERE asked_ns > last_ns AND next_ns >= asked_ns
     AND next_ns - asked_ns
         <= 10000 + (SELECT ifnull(f.rtt_sender_ns, 0) FROM flow f
                      WHERE f.id = b.flow_id))
SELECT 'ACK Delay' AS name, '4.2' AS section, 12 AS place, ns / 1e3 AS value,
       'us' AS unit, '1T' AS class, 0.7 AS confidence,
       'both directions of flows: the reverse path is not visible' AS missing,
       'from a packet to its ACK at this capture point: minimum of each flow, '
         || 'median over ' || plural(n, 'flow') AS note,
       n AS samples
  FROM m
UNION ALL
SELECT c.name, '4.2', c.place, c.ns / 1e3, 'us', '1T', 0.7,
       'clear-to-send writes that a sender waited for (NCCL, both directions)',
       c.about || plural(c.n, 'wait') || ' of ' || plural(c.flows, 'flow'), c.n
  FROM (SELECT 'CTS Delay' AS name, 13 AS place, median(answer_ns) AS ns,
               'from a clear-to-send to the data that waited for it, at this '
                 || 'capture point: median over ' AS about, count(*) AS n,
               count(DISTINCT flow_id) AS flows
          FROM cts
        UNION ALL
        SELECT 'CTS wait', 14, median(wait_ns),
               'not in the draft: from the last data to the clear-to-send for '
                 || 'the next: median over ', count(*), count(DISTINCT flow_id)
          FROM cts) c

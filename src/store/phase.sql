-- What is asked of the facts before jobs and phases are made: temporary.

-- Times at which something else than its sender decided about a flow: filled by
-- queries/attribution.
CREATE TEMP TABLE attribution(
  flow_id INTEGER,  -- flow.id
  first_ns INTEGER, -- begin
  last_ns INTEGER,  -- end
  class TEXT,       -- phase_flow.class
  part TEXT         -- phase_flow.part
);

-- Hosts, in order of address.
CREATE TEMP TABLE phase_host AS
WITH a AS (SELECT src AS address FROM flow WHERE goodput_bytes > 0
            UNION SELECT dst FROM flow WHERE goodput_bytes > 0)
SELECT row_number() OVER (ORDER BY length(address), address) - 1 AS id,
       address,
       (SELECT n.rail FROM node_address x JOIN node n ON n.name = x.node
         WHERE x.address = a.address) AS rail,
       0 AS link
  FROM a;
CREATE UNIQUE INDEX temp.phase_host_address ON phase_host(address);

-- A tap at which every flow is from or to one host sits at its link.
UPDATE phase_host SET link = 1
 WHERE address IN
  (SELECT address
     FROM (SELECT f.tap_id, f.src AS address FROM flow f
            UNION ALL SELECT f.tap_id, f.dst FROM flow f) e
    GROUP BY e.tap_id, e.address
   HAVING count(*) = (SELECT count(*) FROM flow g WHERE g.tap_id = e.tap_id));

-- A flow that two taps saw is two rows of table flow, and one here: |near| is
-- where it was seen first, |far| where last.  Not those that only ask for data.
CREATE TEMP TABLE phase_flow_in AS
WITH f AS (
  SELECT f.*, ifnull(p.messages, 0) AS asks, p.payload_bytes AS asked_bytes,
         f.goodput_bytes > 0 AND p.id IS NOT NULL
           AND p.goodput_bytes > 20 * f.goodput_bytes
           AND f.goodput_bytes <= 512 * f.messages AS only_asks,
         max(f.goodput_bytes) OVER same AS most
    FROM flow f
    LEFT JOIN flow p ON p.id = f.peer_flow_id
  WINDOW same AS (PARTITION BY f.transport, f.src, f.dst, f.dst_qp, f.spdcid,
                               f.dpdcid, f.epoch)),
g AS (
  SELECT f.*,
         first_value(id) OVER same AS near,
         last_value(id) OVER same AS far
    FROM f
   WHERE goodput_bytes > 0 AND NOT only_asks AND goodput_bytes >= 0.9 * most
  WINDOW same AS (PARTITION BY transport, src, dst, dst_qp, spdcid, dpdcid,
                               epoch ORDER BY first_ns, id
                  RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING))
SELECT g.near, g.far, s.id AS src, d.id AS dst, max(g.job_id) AS job_id,
       max(ifnull(g.asked_bytes <= 512 * g.asks
                  AND 2 * g.asks >= g.messages AND g.asks > 0, 0)
           OR (g.requests = 0 AND g.responses > 0)) AS driven,
       max(ifnull(g.rtt_sender_ns, 0)) AS rtt,
       1.0 * sum(g.bytes + 24 * g.packets) / sum(g.payload_bytes) AS wire
  FROM g
  JOIN phase_host s ON s.address = g.src
  JOIN phase_host d ON d.address = g.dst
 WHERE g.src <> g.dst
 GROUP BY g.near
 ORDER BY g.near;
CREATE UNIQUE INDEX temp.phase_flow_in_near ON phase_flow_in(near);

-- Which rows of table flow are the same flow.
CREATE TEMP TABLE phase_flow_same AS
SELECT f.id AS flow_id, i.near
  FROM phase_flow_in i
  JOIN flow n ON n.id = i.near
  JOIN flow f ON f.transport = n.transport AND f.src = n.src AND f.dst = n.dst
             AND f.dst_qp IS n.dst_qp AND f.spdcid IS n.spdcid
             AND f.dpdcid IS n.dpdcid AND f.epoch = n.epoch;
CREATE UNIQUE INDEX temp.phase_flow_same_id ON phase_flow_same(flow_id);
CREATE INDEX temp.phase_burst ON phase_flow_same(near);

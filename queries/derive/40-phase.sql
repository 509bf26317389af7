-- What is asked of the facts before jobs and phases are made: temporary.

-- Times at which something else than its sender decided about a flow: filled by
-- 41-attribution.
CREATE TEMP TABLE attribution(
  flow_id INTEGER,  -- flow.id
  first_ns INTEGER, -- begin
  last_ns INTEGER,  -- end
  class TEXT,       -- what decided
  part TEXT,        -- of it, '' where there are none
  replays INTEGER   -- 1: from the first retransmission on
);

-- Flows of which each message is followed by an empty one that says it is there,
-- as far as their messages were kept.
CREATE TEMP TABLE phase_flow_twice(
  flow_id INTEGER PRIMARY KEY -- flow.id
);
INSERT INTO phase_flow_twice
SELECT flow_id FROM message
 WHERE flow_id IN (SELECT flow_id FROM message WHERE bytes = 0)
 GROUP BY flow_id
HAVING count(*) >= 16 AND 2 * sum(bytes = 0) = count(*);

-- Flows of messages that are too small for data, and such as ask for none of
-- the direction back of their own queue pair or PDC.
CREATE TEMP TABLE phase_flow_small(
  flow_id INTEGER PRIMARY KEY, -- flow.id
  back INTEGER,                -- flow_brief.back
  goodput_bytes INTEGER,       -- flow.goodput_bytes
  messages INTEGER             -- flow.messages
);
INSERT INTO phase_flow_small
SELECT f.id, f.back, f.goodput_bytes, f.messages
  FROM flow_brief f
  LEFT JOIN flow_brief p ON p.id = f.peer_flow_id
 WHERE f.goodput_bytes BETWEEN 1 AND 512 * f.messages
   AND f.dst_qp IS NOT 1 AND f.requests > 0
   AND ifnull(p.goodput_bytes, 0) <= 20 * f.goodput_bytes;

-- A receiver may ask on a queue pair or PDC of its own (CTS): once for each
-- message, or once for the parts of a message that go by several.  |flow_id|
-- asks for data of |of|, both at one tap; more than 64 flows of two hosts are not
-- compared with each other.
CREATE TEMP TABLE phase_flow_cts(
  flow_id INTEGER, -- flow.id
  of INTEGER,      -- flow.id
  PRIMARY KEY(of, flow_id)
) WITHOUT ROWID;
INSERT INTO phase_flow_cts
WITH asks AS MATERIALIZED (
  SELECT back, sum(messages) AS n, sum(goodput_bytes) AS bytes
    FROM phase_flow_small
   GROUP BY back
  HAVING count(*) <= 64),
data AS MATERIALIZED (
  SELECT f.id, f.pair, f.messages,
         sum(f.messages) OVER pair AS n, count(*) OVER pair AS flows,
         a.n AS asked
    FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM phase_flow_small))
   CROSS JOIN flow_brief f
    JOIN asks a ON a.back = f.pair
    LEFT JOIN flow_brief p ON p.id = f.peer_flow_id
   WHERE f.goodput_bytes > 20 * a.bytes AND f.requests > 0
     AND f.dst_qp IS NOT 1 AND ifnull(p.goodput_bytes, 0) = 0
  WINDOW pair AS (PARTITION BY f.pair))
SELECT s.flow_id, d.id
  FROM data d
  JOIN phase_flow_small s ON s.back = d.pair
 WHERE d.flows <= 64
   AND (16 * abs(d.messages - d.asked) <= d.messages + d.asked
        OR (d.n <= 16.5 * d.asked
            AND 8 * abs(d.n - d.asked * round(1.0 * d.n / d.asked))
                <= d.asked));

-- Taps at which every flow is from or to one host sit at its link, unless its
-- packets were routed before: their time to live is up to eight hops less than
-- hosts begin with; or the topology names a link between switches.
CREATE TEMP TABLE phase_link(
  tap_id INTEGER,           -- tap.id
  address TEXT,             -- flow.src of the host
  PRIMARY KEY(tap_id, address)
) WITHOUT ROWID;
INSERT INTO phase_link
WITH first AS (SELECT * FROM flow_brief WHERE id IN
   (SELECT min(first_id) FROM flow_sum GROUP BY tap_id)),
 one AS MATERIALIZED (SELECT tap_id, src AS address FROM first
  UNION SELECT tap_id, dst FROM first),
 -- mostly all of them, soon
 passed AS MATERIALIZED (SELECT DISTINCT one.tap_id, one.address
  FROM flow_brief f
 CROSS JOIN one ON one.tap_id = f.tap_id
   AND iif(f.src = one.address,
           f.ttl BETWEEN 24 AND 31 OR f.ttl BETWEEN 56 AND 63
             OR f.ttl BETWEEN 120 AND 127 OR f.ttl BETWEEN 247 AND 254,
           f.dst <> one.address)
 LIMIT (SELECT count(*) FROM one)),
 between_switches AS MATERIALIZED (SELECT t.id FROM tap t
  JOIN node a ON a.name = t.from_node AND a.kind = 'switch'
  JOIN node b ON b.name = t.to_node AND b.kind = 'switch')
SELECT tap_id, address FROM one WHERE NOT EXISTS
  (SELECT 1 FROM passed p WHERE p.tap_id = one.tap_id
    AND p.address = one.address)
   AND tap_id NOT IN (SELECT id FROM between_switches);

-- What src/store/phase_flows.c asks for where there are several places.  A flow
-- that two of them saw is two rows of table flow, and one here: |near| is where it
-- was seen first, |far| where last, between the links of its two hosts, as routers
-- count its time to live down; time stamps may come in batches, and what was on its
-- way when the capture began passed the last of them first.  At a place that only
-- one direction passes, nothing shows there that it only asks: that is known from
-- the others.
CREATE TEMP VIEW phase_flow_places AS
WITH f AS (
  SELECT b.id, transport, src, dst, dst_qp, spdcid, dpdcid, epoch, first_ns, ttl,
         ((tap_id, dst) IN phase_link) - ((tap_id, src) IN phase_link) AS way,
         goodput_bytes, max(goodput_bytes) OVER same AS most,
         max(asks) OVER same AS asks
    FROM phase_flow_row r
   CROSS JOIN flow_brief b ON b.id = r.id
  WINDOW same AS (PARTITION BY transport, src, dst, dst_qp, spdcid, dpdcid,
                               epoch)),
g AS (
  SELECT id, first_value(id) OVER same AS near, last_value(id) OVER same AS far
    FROM f
   WHERE goodput_bytes >= 0.9 * most AND NOT asks
  WINDOW same AS (PARTITION BY transport, src, dst, dst_qp, spdcid, dpdcid,
                               epoch ORDER BY way, ttl DESC, first_ns, id
                  RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING))
SELECT g.near, g.far, max(b.job_id) AS job_id, max(r.driven) AS driven,
       max(ifnull(b.rtt_sender_ns, 0)) AS rtt,
       1.0 * sum(b.wire_bytes) / sum(b.payload_bytes) AS wire,
       max(r.messages) AS messages,
       max(iif(r.id = g.near, r.slow, NULL)) AS slow,
       max(iif(r.id = g.near, b.peer_flow_id, NULL)) AS peer,
       max(iif(r.id = g.near, r.asked, NULL)) AS asked
  FROM g
  JOIN phase_flow_row r ON r.id = g.id
  JOIN flow_brief b ON b.id = g.id
 GROUP BY g.near;

-- Which rows of table flow are the same flow.
CREATE TEMP VIEW phase_flow_seen AS
SELECT f.id AS flow_id, i.near
  FROM phase_flow_in i
  JOIN flow_brief n ON n.id = i.near
  JOIN flow f ON f.transport = n.transport AND f.src = n.src AND f.dst = n.dst
             AND f.dst_qp IS n.dst_qp AND f.spdcid IS n.spdcid
             AND f.dpdcid IS n.dpdcid AND f.epoch = n.epoch;

-- Ranks that compute longer than others, all the time: in 42-stages.sql.
CREATE TEMP TABLE uneven(
  job INTEGER,  -- job_rank.job
  rank INTEGER, -- job_rank.rank
  part REAL,    -- of what it computes in phases
  why TEXT
);

-- Which addresses are NICs of one server: as the topology file says, else by the
-- system name that the NIC itself sends in LLDP frames, else by the host name in
-- what the job logged.
CREATE TEMP TABLE host_server(
  address TEXT PRIMARY KEY, -- flow.src of a host
  server TEXT               -- job_rank.server
) WITHOUT ROWID;
INSERT OR IGNORE INTO host_server
SELECT address, ifnull(server, iif(addresses > 1, name, NULL))
  FROM (SELECT a.address, n.server, n.name,
               count(*) OVER (PARTITION BY a.node) AS addresses
          FROM node_address a /*scan*/
          JOIN node n ON n.name = a.node)
 WHERE server IS NOT NULL OR addresses > 1;
INSERT OR IGNORE INTO host_server
SELECT k.address, max(l.system)
  FROM (SELECT DISTINCT tap_id, source_mac, system FROM lldp /*scan*/
         WHERE system IS NOT NULL) l
  JOIN phase_link k ON k.tap_id = l.tap_id
 WHERE EXISTS (SELECT 1 FROM flow f
                WHERE f.tap_id = l.tap_id AND f.src = k.address
                  AND f.src_mac = l.source_mac)
 GROUP BY k.address
HAVING count(DISTINCT l.system) = 1;
INSERT OR IGNORE INTO host_server
SELECT address, max(host)
  FROM job_log /*scan*/
 WHERE address IS NOT NULL AND host IS NOT NULL
 GROUP BY address
HAVING count(DISTINCT host) = 1;

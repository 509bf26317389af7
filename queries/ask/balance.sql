-- How well do parallel links share their load?
-- In a time window: what is known of it: what a hash had to work with where the
-- load of all flows of then is known, and nothing where a tap shows both
-- directions.  How flows change links (mode, hash_input) applies to all the time.
--
-- param from time NULL  start of the time window; NULL: start of the capture
-- param to time NULL  end of the time window; NULL: end of the capture
-- column id id  link_group.id
-- column name text  the group
-- column source text  topology, traffic or names: how it is known
-- column captured text  links captured of how many
-- column mode word  ecmp, flowlet, spray, adaptive, nic-spray
-- column flows count  flows, one direction of a queue pair each
-- column bytes bytes  bytes
-- column jfi real  Jain's fairness index of bytes, 1 is best
-- column jfi_p50 real  the same over short windows, median
-- column jfi_p5 real  the worst twentieth of the windows
-- column window_ns duration  length of these windows
-- column mmr_bytes real  most bytes on a link / mean, 1 is best
-- column mmr_flows real  most flows on a link / mean, 1 is best
-- column entropy_bits real  of UDP source ports, by bytes
-- column hash_input text  what ECMP looks at, where that is known
-- column effective_flows real  as many flows of equal size to be hashed
-- column chance share  random choices that load their fullest link less
-- column busiest text  the link with most bytes
-- column why text  why figures are missing
--
-- uses tap-in-window
-- uses flow-in-window
-- example fabscope query DB balance
WITH span(a, z) AS (
  SELECT ifnull(:from, -(1 << 62)), ifnull(:to, 1 << 62)
   WHERE :from IS NOT NULL OR :to IS NOT NULL),
-- the links of a group then, idle ones too
member AS (
  SELECT m.group_id, m.member, b.whole, b.members, b.window_ns,
         (SELECT count(*) FROM flow_tap f
           WHERE f.tap_id = m.tap_id AND f.last_ns >= s.a AND f.first_ns <= s.z)
           AS flows, p.packets, p.bytes
    FROM span s
    JOIN balance_member m
    JOIN balance b ON b.group_id = m.group_id
    JOIN tap_in_window p ON p.tap_id = m.tap_id),
one_way AS (
  SELECT group_id FROM balance
  EXCEPT
  SELECT m.group_id FROM link_member m JOIN tap t ON t.id = m.tap_id
   WHERE t.both_ways),
window AS (
  SELECT m.group_id, sum(b.bytes) AS bytes, sum(b.packets) AS packets,
         b.start_ns / a.window_ns AS nth, a.members
    FROM span s
    JOIN link_member m
    JOIN balance a ON a.group_id = m.group_id AND a.whole
    JOIN bin b ON b.scope = 'tap' AND b.scope_id = m.tap_id
   WHERE b.start_ns / a.window_ns * a.window_ns >= s.a
     AND (b.start_ns / a.window_ns + 1) * a.window_ns <= s.z
   GROUP BY m.group_id, nth, m.tap_id),
even AS (
  SELECT group_id,
         1.0 * sum(bytes) * sum(bytes)
           / (members * sum(1.0 * bytes * bytes)) AS jfi
    FROM window GROUP BY group_id, nth HAVING sum(packets) >= 8 * members),
ranked AS (
  SELECT *, row_number() OVER (PARTITION BY group_id ORDER BY jfi) AS rank,
         count(*) OVER (PARTITION BY group_id) AS n
    FROM even),
percentiles AS (
  SELECT group_id, min(CASE WHEN rank * 20 >= n THEN jfi END) AS p5,
         min(CASE WHEN rank * 2 >= n THEN jfi END) AS p50
    FROM ranked GROUP BY group_id),
then_there AS (
  SELECT m.group_id,
         (SELECT count(DISTINCT f.flow_id)
            FROM span s, flow_tap f
            JOIN link_member l ON l.tap_id = f.tap_id
           WHERE l.group_id = m.group_id AND f.last_ns >= s.a
             AND f.first_ns <= s.z) AS flows,
         sum(m.bytes) AS bytes,
         1.0 * max(m.bytes) * count(*) / nullif(sum(m.bytes), 0) AS mmr_bytes,
         1.0 * max(m.flows) * count(*) / nullif(sum(m.flows), 0) AS mmr_flows,
         1.0 * sum(m.bytes) * sum(m.bytes)
           / nullif(count(*) * sum(1.0 * m.bytes * m.bytes), 0) AS jfi,
         (SELECT b.member FROM member b
           WHERE b.group_id = m.group_id AND b.bytes > 0
           ORDER BY b.bytes DESC LIMIT 1) AS busiest
    FROM member m
    JOIN one_way o ON o.group_id = m.group_id
   GROUP BY m.group_id),
-- what a hash had then; on a tap that shows one direction all of it counts
carried AS MATERIALIZED (
  SELECT DISTINCT m.group_id, f.id, f.src, f.dst, f.udp_sports, f.udp_sport,
         f.bytes
    FROM span
   CROSS JOIN flow_in_window f
   CROSS JOIN flow_tap t ON t.flow_id = f.id
   CROSS JOIN link_member m /*scan*/ ON m.tap_id = t.tap_id
   CROSS JOIN one_way o ON o.group_id = m.group_id),
known AS (
  SELECT group_id, sum(bytes) AS bytes, max(udp_sports) AS udp_sports
    FROM carried GROUP BY group_id HAVING count(bytes) = count(*)),
ports AS (
  SELECT group_id, entropy(bytes) AS bits
    FROM (SELECT c.group_id, sum(c.bytes) AS bytes
            FROM carried c
            JOIN known k ON k.group_id = c.group_id
           WHERE k.udp_sports = 1
           GROUP BY c.group_id, c.udp_sport)
   GROUP BY group_id),
hashed AS (
  SELECT b.group_id, pow(2, entropy(h.bytes)) AS flows,
         iif(b.mode = 'ecmp' AND abs(k.bytes - t.bytes) <= 0.01 * t.bytes,
             chance(h.bytes, b.members,
                    t.mmr_bytes * k.bytes / b.members), NULL) AS chance
    FROM (SELECT c.group_id, sum(c.bytes) AS bytes
            FROM carried c
            JOIN balance b ON b.group_id = c.group_id
           GROUP BY c.group_id, c.src, c.dst, c.udp_sport,
                    CASE WHEN b.hash_input = '5-tuple and QP' THEN c.id END
           ORDER BY sum(c.bytes) DESC) h
    JOIN known k ON k.group_id = h.group_id
    JOIN then_there t ON t.group_id = h.group_id
    JOIN balance b ON b.group_id = h.group_id AND b.whole
   GROUP BY b.group_id),
group_balance AS (
  SELECT group_id, flows, bytes, jfi, jfi_p50, jfi_p5, mmr_bytes, mmr_flows,
         entropy_bits, effective_flows, chance,
         (SELECT m.member FROM balance_member m
           WHERE m.group_id = b.group_id AND m.tap_id = b.busiest_tap_id)
           AS busiest
    FROM balance b /*scan*/
   WHERE NOT EXISTS (SELECT 1 FROM span)
  UNION ALL
  SELECT b.group_id, t.flows, t.bytes, iif(b.whole, t.jfi, NULL), v.p50, v.p5,
         iif(b.whole, t.mmr_bytes, NULL), iif(b.whole, t.mmr_flows, NULL),
         p.bits, h.flows, h.chance, iif(b.whole, t.busiest, NULL)
    FROM span, balance b /*scan*/
    LEFT JOIN then_there t ON t.group_id = b.group_id
    LEFT JOIN ports p ON p.group_id = b.group_id
    LEFT JOIN hashed h ON h.group_id = b.group_id
    LEFT JOIN percentiles v ON v.group_id = t.group_id)
SELECT g.id, g.name, g.source,
       b.tapped || ' of ' || ifnull(b.members, '?') AS captured,
       b.mode, t.flows, t.bytes, round(t.jfi, 3) AS jfi,
       round(t.jfi_p50, 3) AS jfi_p50, round(t.jfi_p5, 3) AS jfi_p5,
       b.window_ns, round(t.mmr_bytes, 3) AS mmr_bytes,
       round(t.mmr_flows, 3) AS mmr_flows,
       round(t.entropy_bits, 2) AS entropy_bits, b.hash_input,
       round(t.effective_flows, 1) AS effective_flows, t.chance, t.busiest,
       b.why
  FROM group_balance t
  JOIN balance b ON b.group_id = t.group_id
  JOIN link_group g ON g.id = b.group_id
 WHERE b.tapped > 0
 ORDER BY g.id

-- Does RoCE travel under several DSCPs or priorities, or is the DSCP rewritten?
-- Queues, ECN thresholds and PFC go by these: traffic in the wrong class is
-- neither marked nor protected with the rest.
-- param least count 100  data packets of a flow to be looked at
-- param share share 0.01  of the data must be in the smaller class
WITH
-- nearly always no: then nothing is grouped
mixed AS MATERIALIZED (
  SELECT min(dscp_min) <> max(dscp_max) OR min(pcp_min) <> max(pcp_max) AS yes
    FROM flow_sum /*scan*/ WHERE transport IN ('RC', 'UC', 'XRC')),
data AS MATERIALIZED (
  SELECT f.id, f.tap_id, t.place, f.src, f.dst, f.dst_qp, f.epoch, f.dscp,
         f.pcp, f.ect_data + f.ce_data + f.not_ect_data AS n,
         f.first_ns, f.last_ns
    FROM (SELECT 1 FROM mixed WHERE yes)
   CROSS JOIN flow /*scan*/ f
    JOIN tap t ON t.id = f.tap_id
   WHERE f.dscp IS NOT NULL AND f.transport IN ('RC', 'UC', 'XRC')
     AND f.ect_data + f.ce_data + f.not_ect_data >= :least),
-- one connection at two places
twice AS (
  SELECT a.id AS a, b.id AS b, a.tap_id AS tap_a, b.tap_id AS tap_b, a.src,
         a.dst, a.dscp AS was, b.dscp AS is_now, a.first_ns, a.last_ns
    FROM data a
    JOIN data b ON b.src = a.src AND b.dst = a.dst AND b.dst_qp = a.dst_qp
               AND b.epoch = a.epoch AND b.place <> a.place AND b.id > a.id
   WHERE a.dscp <> b.dscp),
class AS (
  SELECT dscp, sum(n) AS n, count(*) AS flows, count(DISTINCT src) AS senders,
         max(src) AS src,
         1.0 * sum(n) / sum(sum(n)) OVER () AS share,
         json_group_array(id) AS ids, min(first_ns) AS first_ns,
         max(last_ns) AS last_ns
    FROM (SELECT *, row_number() OVER (PARTITION BY src, dst, dst_qp, epoch
                                       ORDER BY id) AS place_nth FROM data)
   WHERE place_nth = 1
   GROUP BY dscp),
minor AS (
  SELECT * FROM class WHERE share >= :share AND share < 0.5),
mapped AS (
  SELECT dscp, count(DISTINCT pcp) AS pcps, group_concat(DISTINCT pcp) AS list,
         min(first_ns) AS first_ns, max(last_ns) AS last_ns,
         json_group_array(id) AS ids
    FROM data WHERE pcp IS NOT NULL
   GROUP BY place, dscp HAVING count(DISTINCT pcp) > 1)
SELECT 'warning' AS severity, 0.9 AS confidence,
       'The DSCP of ' || plural(count(*), 'flow') || ' is rewritten on the '
         || 'way: ' || max(was) || ' at one capture point, '
         || max(is_now) || ' at another'
         AS title,
       'The same connections carry another DSCP at another capture point. '
         || 'Where it is rewritten, their packets change queue: other ECN '
         || 'thresholds, no PFC, other bandwidth.' AS detail,
       'Look at the trust and rewrite settings of the switches between the '
         || 'two capture points.' AS action,
       min(tap_b) AS tap_id, min(first_ns) AS first_ns,
       max(last_ns) AS last_ns,
       json_object('flows', json_array(min(a), min(b)),
                   'numbers', json_object('flows', count(*)),
                   'query', 'fabscope query DB flows') AS evidence
  FROM twice
HAVING count(*) > 0
UNION ALL
SELECT CASE WHEN dscp = 0 THEN 'warning' ELSE 'info' END,
       CASE WHEN dscp = 0 THEN 0.75 ELSE 0.5 END,
       human_share(share) || ' of the RoCE data has DSCP ' || dscp
         || ', unlike the rest: '
         || CASE senders WHEN 1 THEN src ELSE plural(senders, 'sender') END,
       plural(flows, 'flow') || '. '
         || CASE WHEN dscp = 0
                 THEN 'DSCP 0 is best effort: it shares a queue with all '
                   || 'other traffic, and PFC does not protect it even where '
                   || 'it protects the rest.'
                 ELSE 'That may be meant (several services); if not, it is in '
                   || 'another queue than the rest.' END,
       'Compare the traffic class settings of '
         || CASE senders WHEN 1 THEN src ELSE 'these hosts' END
         || ' with those of the others (RoCE TOS, DSCP trust).',
       NULL, first_ns, last_ns,
       json_object('flows', (SELECT json_group_array(value) FROM
                     (SELECT value FROM json_each(ids) LIMIT 10)),
                   'numbers', json_object('dscp', dscp, 'packets', n,
                                          'share', share),
                   'query', 'fabscope query DB flows')
  FROM minor
UNION ALL
SELECT 'warning', 0.8,
       'DSCP ' || dscp || ' travels in several 802.1p priorities: ' || list,
       'PFC acts on the 802.1p priority, and a queue is chosen by that or by '
         || 'the DSCP: part of this class may be paused or dropped where the '
         || 'rest is not.',
       'Make hosts and switches map this DSCP to one priority.',
       NULL, first_ns, last_ns,
       json_object('flows', (SELECT json_group_array(value) FROM
                     (SELECT value FROM json_each(ids) LIMIT 10)),
                   'query', 'fabscope query DB flows')
  FROM mapped

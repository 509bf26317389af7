-- Does part of the data travel without ECN although ECN is in use?
-- It takes its share of the queue and is never asked to reduce its rate; where others
-- are marked, its hosts gain at their cost.
-- param share share 0.01  so much of the data at a tap
WITH
-- nearly always no: then nothing is grouped
any_bare AS MATERIALIZED (
  SELECT sum(not_ect_data) > 0 AS yes FROM flow_sum /*scan*/),
data AS (
  SELECT tap_id, sum(not_ect_data) AS bare, sum(ect_data + ce_data) AS able,
         sum(ce_data) AS ce,
         count(*) FILTER (WHERE not_ect_data > 0) AS n,
         count(DISTINCT src) FILTER (WHERE not_ect_data > 0) AS senders,
         max(src) FILTER (WHERE not_ect_data > 0) AS src,
         min(first_ns) AS first_ns, max(last_ns) AS last_ns
    FROM (SELECT 1 FROM any_bare WHERE yes)
   CROSS JOIN flow /*scan*/
   WHERE dst_qp > 1 AND transport IN ('RC', 'UC', 'XRC')
   GROUP BY tap_id)
SELECT CASE WHEN sum(ce) > 0 THEN 'warning' ELSE 'info' END AS severity,
       0.9 AS confidence,
       human_share(1.0 * sum(bare) / sum(bare + able))
         || ' of the data packets are not ECN-capable (not-ECT), from '
         || CASE WHEN max(senders) = 1 THEN max(src)
                 ELSE plural(max(senders), 'sender') END AS title,
       plural(sum(bare), 'data packet') || ' of ' || plural(sum(n), 'flow')
         || ' without ECN, beside ' || plural(sum(able), 'packet')
         || ' with it. '
         || CASE WHEN sum(ce) > 0
                 THEN human_count(sum(ce)) || ' of these were CE-marked: '
                   || 'their senders reduce their rate, the others do not.'
                 ELSE 'None was marked.' END AS detail,
       'Turn ECN on at '
         || CASE WHEN max(senders) = 1 THEN max(src) ELSE 'these hosts' END
         || ' for this class of traffic, or find the device that clears the '
         || 'field.' AS action,
       CASE WHEN min(tap_id) = max(tap_id) THEN max(tap_id) END AS tap_id,
       min(first_ns) AS first_ns, max(last_ns) AS last_ns,
       json_object('numbers', json_object('not_ect', sum(bare),
                                          'ect', sum(able), 'ce', sum(ce)),
                   'query', 'fabscope query DB ecn') AS evidence
  FROM data
 WHERE able >= 100 AND bare >= 100 AND bare >= :share * (bare + able)
HAVING count(*) > 0

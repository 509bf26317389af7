-- Do several ranks send to one at once, so that its link is full?
-- Not in an all-to-all, where that is what was ordered.
-- param senders count 3  at least
-- param share share 0.2  of the phase each of them had to share the link
-- needs phase
WITH s AS (
  SELECT p.job, p.id, f.dst, count(DISTINCT f.src) AS senders,
         min(p.first_ns) AS first_ns, max(p.last_ns) AS last_ns
    FROM phase p /*scan*/
    JOIN phase_flow t ON t.phase_id = p.id
                     AND t.measured = 'link load of the same job'
    JOIN flow f ON f.id = t.flow_id
   WHERE ifnull(p.pattern, '') <> 'all-to-all' AND NOT p.cut
     AND t.time_ns >= :share * (p.last_ns - p.first_ns)
   GROUP BY p.job, p.id, f.dst
  HAVING count(DISTINCT f.src) >= :senders)
SELECT 'info' AS severity, 0.7 AS confidence,
       'Incast: up to ' || human_count(max(s.senders))
         || ' ranks send to ' || s.dst || ' at once in '
         || plural(count(*), 'phase') AS title,
       'They share its link, which is full.' AS detail,
       'If the collective is not meant to do that, look at its algorithm, or '
         || 'for another job on the same hosts.' AS action,
       min(s.first_ns) AS first_ns, max(s.last_ns) AS last_ns,
       q.place, q.node || '->' || q.next AS place_at,
       json_object('numbers', json_object('phases', count(*),
                                          'senders', max(s.senders)),
                   'query', 'fabscope query DB job-causes --param job='
                            || s.job) AS evidence
  FROM s
  LEFT JOIN node_address a ON a.address = s.dst
  LEFT JOIN (SELECT next, min(node) AS node, min(place) AS place
               FROM port_place /*scan*/
              GROUP BY next HAVING count(*) = 1) q ON q.next = a.node
 GROUP BY s.job, s.dst
HAVING count(*) >= 3

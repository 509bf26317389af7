-- Of parallel links that carry alike, is only one marked?
-- Needs links that are known to be parallel (topology, names or inference).
-- Marks are those of the switch before the links, or of one further back.
-- param least count 20  marks on the one that has any
-- param alike share 0.5  the other must carry so much of its load
WITH load AS (
  SELECT m.group_id, g.name AS in_group, t.id AS tap_id, t.name, t.ce, t.ect,
         t.first_ns, t.last_ns,
         sum(t.ect + t.ce) OVER (PARTITION BY m.group_id) AS together
    FROM link_member m
    JOIN link_group g ON g.id = m.group_id
    JOIN tap t ON t.id = m.tap_id),
pairs AS (
  SELECT a.group_id, a.in_group, a.tap_id, a.name, a.ce, a.ect + a.ce AS able,
         count(*) AS others,
         sum(b.ce) AS other_ce, sum(b.ect + b.ce) AS other_able,
         group_concat(b.name, ', ') AS names,
         min(a.first_ns) AS first_ns, max(a.last_ns) AS last_ns
    FROM load a
    JOIN load b ON b.group_id = a.group_id AND b.tap_id <> a.tap_id
               AND b.ect + b.ce >= :alike * (a.ect + a.ce)
   WHERE a.ce >= :least
   GROUP BY a.group_id, a.tap_id
  HAVING sum(b.ce) = 0)
SELECT 'warning' AS severity, 0.7 AS confidence,
       'Congestion marks on one of ' || (others + 1)
         || ' parallel links only: ' || ifnull(name, 'tap ' || tap_id) AS title,
       plural(ce, 'packet') || ' of ' || human_count(able)
         || ' marked there; none of ' || human_count(other_able) || ' on '
         || ifnull(names, 'the others') || ', which '
         || CASE others WHEN 1 THEN 'carries' ELSE 'carry' END || ' as much. '
         || 'Either those queues never fill, or ECN is not set up on all of '
         || 'them.' AS detail,
       'Compare the ECN settings (Kmin, Kmax, class) of the ports behind this '
         || 'group, and of the switches at their other end.' AS action,
       tap_id, first_ns, last_ns,
       json_object('numbers',
                   json_object('ce', ce, 'packets', able, 'others', others,
                               'other_packets', other_able),
                   'query', 'fabscope query DB taps') AS evidence
  FROM pairs

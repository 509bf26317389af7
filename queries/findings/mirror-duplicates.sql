-- Did the mirror deliver packets twice?
-- Rule R20.  The duplicates are removed before anything is counted.
SELECT 'info' AS severity, 0.9 AS confidence,
       plural(sum(mirror_duplicates), 'packet') || ' duplicated by the mirror '
         || 'at '
         || CASE count(*) WHEN 1 THEN 'tap ' || ifnull(max(name), max(id))
                          ELSE plural(count(*), 'tap') END AS title,
       'The mirror copied each packet at ingress and at egress, or at two '
         || 'ports. These are no retransmissions, and they are left '
         || 'out of every figure.' AS detail,
       'Mirror one direction of a port only, to halve the load of the mirror.'
         AS action,
       CASE count(*) WHEN 1 THEN max(id) END AS tap_id,
       json_object('numbers',
                   json_object('mirror_duplicates', sum(mirror_duplicates)),
                   'query', 'fabscope query DB mirror-duplicates') AS evidence
  FROM tap
 WHERE mirror_duplicates > 0
HAVING count(*) > 0

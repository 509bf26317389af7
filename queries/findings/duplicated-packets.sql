-- Did the same transmission arrive twice?
-- Harmless to a reliable transport, but it takes room on every link behind the
-- place where it happens.
-- param share share 0.05  from here on of the packets it is a warning
-- needs incident
WITH duplicated AS MATERIALIZED (
  SELECT *, min(1.0, 1.0 * occurrences / nullif(
              (SELECT sum(f.packets) FROM incident_flow m
                 JOIN flow f ON f.id = m.flow_id
                WHERE m.incident_id = i.id) - occurrences, 0)) AS share
    FROM incident i
   WHERE kind = 'duplicated')
SELECT CASE WHEN share >= :share THEN 'warning' ELSE 'info' END AS severity,
       confidence,
       plural(occurrences, 'packet') || ' arrived twice'
         || ifnull(' (' || human_share(share) || ')', '') || ': ' || who
         AS title,
       'Two identical packets within a short time are no retransmission by the '
         || 'host: the network upstream of this capture point duplicated them, '
         || 'or the mirror did. Receivers drop the second; nothing is lost.'
         AS detail,
       'If the mirror is not the reason, look for flooding or a loop '
         || 'upstream.' AS action,
       tap_id, flow_id, first_ns, last_ns, id AS incident_id,
       json_set(evidence, '$.query',
                'fabscope query DB duplicates --param incident=' || id)
         AS evidence
  FROM duplicated

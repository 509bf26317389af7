-- What was found, the gravest and costliest first, consequences below their cause?
-- The first fifty.
--
-- column id id  finding.id
-- column rule text  the query that made it
-- column severity text  critical warning info ok
-- column caused_by id  finding.id of its cause
-- column depth count  causes above it
-- column confidence share  confidence, 0..1
-- column title text  one line
-- column detail text  a few sentences
-- column who text  hosts and queue pairs
-- column flows count  flows concerned
-- column flow_id id  the flow, or the one that paid most
-- column tap text  where it was seen, when at one capture point only
-- column first_ns time  begin
-- column last_ns time  end
-- column job_ns duration  time of jobs it cost, estimated
-- column cost_ns duration  time it cost, summed over flows
-- column frames text  frames to look at; of several taps, each tap behind its frames
-- column action text  what to do next
-- column query text  the command that shows more
-- column place text  where it was congested: kind of place, and the port
-- column evidence json  as in table finding
WITH RECURSIVE tree(id, depth) AS (
  SELECT id, 0 FROM finding WHERE caused_by IS NULL
  UNION
  SELECT f.id, t.depth + 1
    FROM tree t JOIN finding f ON f.caused_by = t.id
   WHERE t.depth < 10)
SELECT f.id, f.rule, f.severity, f.caused_by,
       (SELECT min(depth) FROM tree r WHERE r.id = f.id) AS depth, f.confidence, f.title, f.detail,
       i.who, i.flows, ifnull(f.flow_id, i.worst_flow_id) AS flow_id,
       t.name AS tap, f.first_ns, f.last_ns, f.job_ns, f.cost_ns,
       (SELECT group_concat(x.frame || ifnull(' at ' || x.name, ''), ', ')
          FROM (SELECT e.value ->> 'frame' AS frame,
                       CASE WHEN (SELECT count(*) FROM tap /*scan*/) > 1
                             AND lead(e.value ->> 'tap') OVER (ORDER BY e.key)
                                 IS NOT (e.value ->> 'tap')
                            THEN at.name END AS name
                  FROM json_each(f.evidence, '$.frames') e
                  LEFT JOIN tap at ON at.id = e.value ->> 'tap'
                 ORDER BY e.key) x) AS frames,
       f.action, f.evidence ->> 'query' AS query,
       iif(f.place = 'unknown', 'somewhere between', f.place) || ' '
         || f.place_at AS place,
       f.evidence
  FROM finding f
  LEFT JOIN incident i ON i.id = f.incident_id
  LEFT JOIN tap t ON t.id = f.tap_id
 ORDER BY f.id LIMIT 50

-- Which frames, flows, events and numbers stand behind a finding?
--
-- param id id required  finding.id
-- column what text  frame, flow, event, number, query
-- column name text  of a number
-- column tap_id id  tap.id of a frame
-- column capture text  file of a frame
-- column value text  frame number, flow.id, event.id, number or command
--
-- example fabscope query DB evidence --param id=1
SELECT 'frame' AS what, NULL AS name, j.value ->> '$.tap' AS tap_id,
       (SELECT c.path FROM tap t JOIN capture c ON c.id = t.capture_id
         WHERE t.id = j.value ->> '$.tap') AS capture,
       j.value ->> '$.frame' AS value
  FROM finding f, json_each(f.evidence, '$.frames') j WHERE f.id = :id
UNION ALL
SELECT 'flow', NULL, NULL, NULL, j.value
  FROM finding f, json_each(f.evidence, '$.flows') j WHERE f.id = :id
UNION ALL
SELECT 'event', NULL, NULL, NULL, j.value
  FROM finding f, json_each(f.evidence, '$.events') j WHERE f.id = :id
UNION ALL
SELECT 'number', j.key, NULL, NULL, j.value
  FROM finding f, json_each(f.evidence, '$.numbers') j WHERE f.id = :id
UNION ALL
SELECT 'query', NULL, NULL, NULL, f.evidence ->> '$.query'
  FROM finding f WHERE f.id = :id AND f.evidence ->> '$.query' IS NOT NULL

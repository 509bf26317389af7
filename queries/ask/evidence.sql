-- Which frames, flows, events and numbers stand behind a finding?
--
-- param id id required  finding.id
-- column what text  frame, flow, event, number, query
-- column name word  of a number
-- column reads text  the value as people read it
-- column frame id  number of a frame
-- column tap_id id  tap.id of a frame
-- column capture text  file of a frame
-- column value text  frame number, flow.id, event.id, number or command
--
-- example fabscope query DB evidence --param id=1
WITH stored AS (
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
    FROM finding f WHERE f.id = :id AND f.evidence ->> '$.query' IS NOT NULL)
SELECT what, name,
       CASE WHEN typeof(value) NOT IN ('integer', 'real') THEN value
            WHEN what <> 'number' THEN value
            WHEN name GLOB '*_ns' AND value < 1e17 THEN human_ns(value)
            WHEN name GLOB '*bytes' THEN human_bytes(value)
            WHEN name GLOB '*share' THEN human_share(value)
            WHEN name GLOB '*_bps' THEN human_rate(value)
            WHEN typeof(value) = 'integer' THEN human_count(value)
            ELSE value END AS reads,
       iif(what = 'frame', value, NULL) AS frame, tap_id, capture, value
  FROM stored

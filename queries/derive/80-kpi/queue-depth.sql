-- How long were the queues?
-- Their length is in no packet; switches know it, and their watermarks may be
-- among the counters of --evidence.
--
-- into kpi
WITH depth AS (
  SELECT max(c.last_value) AS most, count(*) AS n,
         max(c.last_value || ' ' || ifnull(s.node, s.device) || ' ' || s.port)
           FILTER (WHERE c.last_value =
                   (SELECT max(last_value) FROM counted /*scan*/
                     WHERE meaning = 'queue_max')) AS whose
    FROM counted c /*scan*/ JOIN evidence_source s ON s.id = c.source_id
   WHERE c.meaning = 'queue_max')
SELECT 'Queue Depth P95' AS name, '4.2' AS section, 9 AS place,
       NULL AS value, 'bytes' AS unit, 'TEL' AS class, NULL AS confidence,
       'queue depth reported by switches over time (INT or IFA metadata); '
         || 'watermarks have the maximum only' AS missing, NULL AS note,
       NULL AS samples
UNION ALL
SELECT 'Queue Depth Max', '4.2', 9, most, 'bytes', 'TEL', 0.7,
       'queue depth reported by switches (INT or IFA metadata, or watermarks: '
         || '--evidence)',
       'the deepest watermark (' || substr(whose, instr(whose, ' ') + 1)
         || '), since it was reset: perhaps before the capture', n
  FROM depth
UNION ALL
SELECT 'Residence time in a switch, max', '4.2', 9, max(residence_max_ns) / 1e3,
       'us', 'TEL', 0.9, 'path telemetry (IFA or INT) in the capture',
       'not in the draft: bounds the queue, at the rate of the port',
       sum(packets)
  FROM hop /*scan*/

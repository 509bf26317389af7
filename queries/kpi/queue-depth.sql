-- How long were the queues?
-- Their length is in no packet; only switches know it.
SELECT 'Queue Depth P95' AS name, '4.2' AS section, 9 AS place,
       NULL AS value, 'bytes' AS unit, 'TEL' AS class, NULL AS confidence,
       'queue depth reported by switches (INT or IFA metadata, or watermarks)'
         AS missing, NULL AS note, NULL AS samples
UNION ALL
SELECT 'Queue Depth Max', '4.2', 9, NULL, 'bytes', 'TEL', NULL,
       'queue depth reported by switches (INT or IFA metadata, or watermarks)',
       NULL, NULL
UNION ALL
SELECT 'Residence time in a switch, max', '4.2', 9, max(residence_max_ns) / 1e3,
       'us', 'TEL', 0.9, 'path telemetry (IFA or INT) in the capture',
       'not in the draft: bounds the queue, at the rate of the port',
       sum(packets)
  FROM hop /*scan*/

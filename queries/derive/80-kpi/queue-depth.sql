-- How long were the queues?
-- Switches know it: watermarks among the counters of --evidence have the most,
-- path telemetry has the time that packets waited.
--
-- into kpi
WITH mark AS (
  SELECT max(c.last_value) AS most, count(*) AS n,
         max(c.last_value || ' ' || ifnull(s.node, s.device) || ' ' || s.port)
           FILTER (WHERE c.last_value =
                   (SELECT max(last_value) FROM counted /*scan*/
                     WHERE meaning = 'queue_max')) AS whose
    FROM counted c /*scan*/ JOIN evidence_source s ON s.id = c.source_id
   WHERE c.meaning = 'queue_max'),
-- the port with the deepest queue
deep AS (
  SELECT device_id, egress_port, queue, sum(packets) AS n,
         max(bytes_max) AS most, max(source) AS source
    FROM queue_depth /*scan*/
   GROUP BY device_id, egress_port, queue
   ORDER BY most DESC, n DESC LIMIT 1),
upto AS (
  SELECT q.bytes, deep.n,
         sum(q.packets) OVER (ORDER BY q.bytes) AS below
    FROM queue_depth q /*scan*/
    JOIN deep ON deep.device_id = q.device_id
             AND deep.egress_port IS q.egress_port AND deep.queue IS q.queue),
depths AS (
  SELECT (SELECT min(bytes) FROM upto WHERE below * 2 >= n) AS p50,
         (SELECT min(bytes) FROM upto WHERE below * 20 >= 19 * n) AS p95,
         deep.most, deep.n,
         iif(deep.source = 'occupancy', 'as INT reports it of switch ',
             'by the wait in switch ') || ifnull((SELECT min(name) FROM node
            WHERE device_id = deep.device_id), deep.device_id) || ', port '
           || ifnull((SELECT min(p.name) FROM node n
                        JOIN node_port p ON p.node = n.name
                       WHERE n.device_id = deep.device_id
                         AND p.port = deep.egress_port), deep.egress_port)
           || ' (the deepest)'
           || iif(deep.source = 'occupancy',
                  ifnull(', in units of '
                           || (SELECT max(queue_unit) FROM node
                                WHERE device_id = deep.device_id)
                           || ' bytes (--topology)',
                         ', in bytes if the switch counts these (queue-unit of '
                           || '--topology)'),
                  ', at its rate; too large where PFC paused it') AS how,
         iif(deep.source = 'occupancy'
               AND EXISTS (SELECT 1 FROM node WHERE device_id = deep.device_id
                              AND queue_unit IS NOT NULL), 0.9, 0.6) AS sure
    FROM deep),
needs(text) AS (VALUES(
  'path telemetry in the capture (IFA or INT), and the rate of the port '
    || '(--topology)'))
SELECT 'Queue Depth P50' AS name, '4.2' AS section, 9 AS place,
       (SELECT p50 FROM depths) AS value, 'bytes' AS unit, 'TEL' AS class,
       (SELECT sure FROM depths) AS confidence, needs.text AS missing,
       (SELECT how FROM depths) AS note, (SELECT n FROM depths) AS samples
  FROM needs
UNION ALL
SELECT 'Queue Depth P95', '4.2', 9, (SELECT p95 FROM depths), 'bytes', 'TEL',
       (SELECT sure FROM depths),
       needs.text || '; watermarks have the maximum only',
       (SELECT how FROM depths), (SELECT n FROM depths)
  FROM needs
UNION ALL
SELECT 'Queue Depth Max', '4.2', 9, ifnull(mark.most, (SELECT most FROM depths)),
       'bytes', 'TEL', CASE WHEN mark.most IS NULL THEN (SELECT sure FROM depths)
                          ELSE 0.7 END,
       needs.text || ', or watermarks: --evidence',
       CASE WHEN mark.most IS NULL THEN (SELECT how FROM depths)
            ELSE 'the deepest watermark ('
              || substr(whose, instr(whose, ' ') + 1)
              || '), since it was reset: perhaps before the capture' END,
       CASE WHEN mark.most IS NULL THEN (SELECT n FROM depths) ELSE mark.n END
  FROM mark, needs
UNION ALL
SELECT 'Residence time in a switch, max', '4.2', 9, max(residence_max_ns) / 1e3,
       'us', 'TEL', 0.9, 'path telemetry (IFA or INT) in the capture',
       'not in the draft: bounds the queue, at the rate of the port',
       sum(packets)
  FROM hop /*scan*/

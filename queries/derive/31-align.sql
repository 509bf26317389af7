-- Which packets were of each collective, whose time by the clock of the capture
-- is known.
--
-- needs job_log

CREATE TEMP TABLE host_burst AS
SELECT address, sent, first_ns, last_ns, bytes,
       row_number() OVER (PARTITION BY address, sent ORDER BY first_ns) AS nth
  FROM (SELECT f.src AS address, 1 AS sent, b.first_ns, b.last_ns, b.bytes
          FROM burst b JOIN flow f ON f.id = b.flow_id
         WHERE f.src IN (SELECT address FROM job_log)
        UNION ALL
        SELECT f.dst, 0, b.first_ns, b.last_ns, b.bytes
          FROM burst b JOIN flow f ON f.id = b.flow_id
         WHERE f.dst IN (SELECT address FROM job_log)
           AND b.bytes > 512 * b.psns);
CREATE INDEX temp.host_burst_time ON host_burst(address, sent, first_ns, nth);

-- Packets of operations whose begin and end are known well enough: where a
-- Flight Recorder only looked now and then, they may be of the next one.
CREATE TEMP TABLE op_window AS
SELECT c.id, l.address, d.column1 AS sent, c.first_ns - l.error_ns AS low,
       c.last_ns + l.error_ns AS high
  FROM collective c
  JOIN job_log l ON l.id = c.job_log_id
  JOIN (VALUES (0), (1)) d
 WHERE l.address IS NOT NULL
   AND c.last_ns - c.first_ns
       <= 2 * ifnull(c.exec_ns, c.last_ns - c.first_ns);

-- Operations that all last as long as the capture would have all of its packets
-- each: the short ones come first, until many millions were looked at.
CREATE TEMP TABLE op_burst AS
SELECT id, address, sent, low, high
  FROM (SELECT *, sum(n) OVER (ORDER BY n, id, sent) AS looked_at
          FROM (SELECT w.*,
                       ifnull((SELECT max(b.nth) FROM temp.host_burst b
                                WHERE b.address = w.address AND b.sent = w.sent
                                  AND b.first_ns = (
                                        SELECT max(h.first_ns)
                                          FROM temp.host_burst h
                                         WHERE h.address = w.address
                                           AND h.sent = w.sent
                                           AND h.first_ns <= w.high)), 0)
                       - ifnull((SELECT max(b.nth) FROM temp.host_burst b
                                  WHERE b.address = w.address AND b.sent = w.sent
                                    AND b.first_ns = (
                                        SELECT max(h.first_ns)
                                          FROM temp.host_burst h
                                         WHERE h.address = w.address
                                           AND h.sent = w.sent
                                           AND h.first_ns < w.low)), 0) AS n
                  FROM temp.op_window w))
 WHERE n > 0 AND looked_at <= 20000000;
DROP TABLE temp.op_window;

UPDATE collective
   SET sent_first_ns = v.first_ns, sent_bytes = v.bytes
  FROM (SELECT o.id, min(b.first_ns) AS first_ns, sum(b.bytes) AS bytes
          FROM temp.op_burst o
          JOIN temp.host_burst b ON b.address = o.address AND b.sent
                      AND b.first_ns BETWEEN o.low AND o.high
         WHERE o.sent
         GROUP BY o.id) v
 WHERE v.id = collective.id;
UPDATE collective
   SET got_last_ns = v.last_ns, got_bytes = v.bytes
  FROM (SELECT o.id, max(b.last_ns) AS last_ns, sum(b.bytes) AS bytes
          FROM temp.op_burst o
          JOIN temp.host_burst b ON b.address = o.address AND NOT b.sent
                      AND b.first_ns BETWEEN o.low AND o.high
         WHERE NOT o.sent
         GROUP BY o.id) v
 WHERE v.id = collective.id;
DROP TABLE temp.op_burst;
DROP TABLE temp.host_burst;

-- What surely ran at the same time on the same host: the part of each that it
-- covers wherever in its limits it was.
UPDATE collective SET beside = v.beside
  FROM (SELECT id, max(sure_to) OVER (PARTITION BY address, format
                         ORDER BY sure_from, id
                         ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
                   > sure_from + ns / 10
                OR lead(sure_from) OVER (PARTITION BY address, format
                                         ORDER BY sure_from, id)
                   < sure_to - ns / 10 AS beside
          FROM (SELECT c.id, l.address, l.format, c.last_ns - c.exec_ns
                         AS sure_from, c.first_ns + c.exec_ns AS sure_to,
                       c.exec_ns AS ns
                  FROM collective c
                  JOIN job_log l ON l.id = c.job_log_id
                 WHERE c.first_ns + c.exec_ns > c.last_ns - c.exec_ns)) v
 WHERE v.id = collective.id;

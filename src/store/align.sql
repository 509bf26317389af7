-- What follows from clocks of hosts that are known: when, by the clock of the
-- capture, each collective was, and which packets were its.
--
-- Records of one host are by one clock: one that says little (a Flight Recorder
-- only knows when it looked) is known by one that says more.
UPDATE job_log
   SET offset_ns = v.offset_ns, error_ns = v.error_ns, aligned_by = 'host',
       why_not = NULL
  FROM (SELECT address, offset_ns, min(error_ns) AS error_ns FROM job_log
         WHERE offset_ns IS NOT NULL GROUP BY address) v
 WHERE job_log.offset_ns IS NULL AND v.address = job_log.address;

-- Logs whose host is not in the capture, through those whose is: no collective
-- of these kinds ends on any rank before it has begun on all.  One log is the
-- reference, the one that is known best: others may be of another capture point,
-- with another clock.
UPDATE job_log
   SET offset_ns = v.low / 2 + v.high / 2,
       error_ns = abs(v.high - v.low) / 2 + 1 + v.error_ns,
       aligned_by = 'ranks', why_not = NULL
  FROM (SELECT l.id, r.error_ns,
               max(y.begin_ns + r.offset_ns - x.end_ns) AS low,
               min(y.end_ns + r.offset_ns - x.begin_ns) AS high
          FROM job_log l
          JOIN job_log r ON r.id = (
               SELECT o.id FROM job_log o
                WHERE o.communicator = l.communicator
                  AND o.format = l.format AND o.ranks IS l.ranks
                  AND o.offset_ns IS NOT NULL
                ORDER BY o.error_ns, o.id LIMIT 1)
          JOIN collective x ON x.job_log_id = l.id
          JOIN collective y ON y.job_log_id = r.id AND y.seq = x.seq
                           AND y.op = x.op
         WHERE l.offset_ns IS NULL
           AND x.op IN ('AllReduce', 'AllGather', 'ReduceScatter', 'AlltoAll')
         GROUP BY l.id
        HAVING count(*) >= 3 AND low <= high) v
 WHERE v.id = job_log.id;

UPDATE collective
   SET last_ns = end_ns + v.offset_ns,
       first_ns = ifnull(begin_ns, end_ns - exec_ns) + v.offset_ns
  FROM (SELECT id, offset_ns FROM job_log WHERE offset_ns IS NOT NULL) v
 WHERE v.id = collective.job_log_id;

-- Packets of operations whose begin and end are known well enough: where a
-- Flight Recorder only looked now and then, they may be of the next one.
CREATE TEMP TABLE host_burst AS
SELECT f.src AS address, 1 AS sent, b.first_ns, b.last_ns, b.bytes
  FROM burst b JOIN flow f ON f.id = b.flow_id
 WHERE f.src IN (SELECT address FROM job_log)
UNION ALL
SELECT f.dst, 0, b.first_ns, b.last_ns, b.bytes
  FROM burst b JOIN flow f ON f.id = b.flow_id
 WHERE f.dst IN (SELECT address FROM job_log)
   AND b.bytes > 512 * b.psns;
CREATE INDEX temp.host_burst_time ON host_burst(address, sent, first_ns);

UPDATE collective
   SET sent_first_ns = v.first_ns, sent_bytes = v.bytes
  FROM (SELECT c.id, min(b.first_ns) AS first_ns, sum(b.bytes) AS bytes
          FROM collective c
          JOIN job_log l ON l.id = c.job_log_id
          JOIN temp.host_burst b ON b.address = l.address AND b.sent
                      AND b.first_ns BETWEEN c.first_ns - l.error_ns
                                         AND c.last_ns + l.error_ns
         WHERE c.last_ns - c.first_ns
               <= 2 * ifnull(c.exec_ns, c.last_ns - c.first_ns)
         GROUP BY c.id) v
 WHERE v.id = collective.id;
UPDATE collective
   SET got_last_ns = v.last_ns, got_bytes = v.bytes
  FROM (SELECT c.id, max(b.last_ns) AS last_ns, sum(b.bytes) AS bytes
          FROM collective c
          JOIN job_log l ON l.id = c.job_log_id
          JOIN temp.host_burst b ON b.address = l.address AND NOT b.sent
                      AND b.first_ns BETWEEN c.first_ns - l.error_ns
                                         AND c.last_ns + l.error_ns
         WHERE c.last_ns - c.first_ns
               <= 2 * ifnull(c.exec_ns, c.last_ns - c.first_ns)
         GROUP BY c.id) v
 WHERE v.id = collective.id;
-- of phases that overlap it the one that does so longest
UPDATE collective SET phase_id = v.phase_id
  FROM (SELECT c.id, p.id AS phase_id,
               max(min(p.last_ns, c.last_ns) - max(p.first_ns, c.first_ns))
          FROM job_log l
          JOIN job_rank r ON r.address = l.address
          JOIN collective c ON c.job_log_id = l.id
          JOIN phase p ON p.job = r.job AND p.first_ns <= c.last_ns
                      AND p.last_ns >= c.first_ns
         GROUP BY c.id) v
 WHERE v.id = collective.id;
DROP TABLE temp.host_burst;

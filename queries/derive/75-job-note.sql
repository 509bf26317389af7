-- What jobs say of themselves, against the packets.
-- needs job_note

UPDATE job_note SET flow_id = NULL, verdict = NULL, reason = NULL;

-- ## Steps
--
-- A line tells the mean since the line before: it began where that ended, or its
-- own length earlier.  Each rank may log each step, and a job that was restarted
-- counts from where it was saved: without a length of its own, only a line whose
-- number is larger than that of the line before has one.
CREATE TEMP TABLE seen AS
SELECT min(first_ns) AS a, max(last_ns) AS b FROM tap WHERE packets > 0;
CREATE TEMP TABLE step AS
SELECT id, source_id, number, last_ns,
       ifnull(length_ns,
              CASE WHEN number > lag(number) OVER w
                   THEN (last_ns - lag(last_ns) OVER w)
                        / (number - lag(number) OVER w) END) AS length_ns,
       CASE WHEN number > lag(number) OVER w
            THEN ifnull(lag(last_ns) OVER w, last_ns - length_ns)
            ELSE last_ns - ifnull(length_ns, 0) END AS first_ns
  FROM job_note /*scan*/ WHERE kind = 'step'
WINDOW w AS (PARTITION BY source_id ORDER BY last_ns, id);
UPDATE job_note AS n
   SET first_ns = s.first_ns, length_ns = s.length_ns
  FROM temp.step s WHERE s.id = n.id;
CREATE TEMP TABLE usual AS
SELECT source_id, count(*) AS steps,
       max(CASE WHEN nth = (n + 1) / 2 THEN length_ns END) AS ns
  FROM (SELECT source_id, length_ns,
               row_number() OVER (PARTITION BY source_id
                                  ORDER BY length_ns) AS nth,
               count(*) OVER (PARTITION BY source_id) AS n
          FROM temp.step WHERE length_ns IS NOT NULL)
 GROUP BY source_id;
-- What cost time, by when it was.
CREATE TEMP TABLE cost AS
SELECT first_ns, ifnull(last_ns, first_ns) AS last_ns, rule FROM (
  SELECT first_ns, last_ns, 'losses' AS rule FROM incident /*scan*/
   WHERE lost_max > 0
  UNION ALL
  SELECT first_ns, last_ns, 'pauses' FROM storm /*scan*/
  UNION ALL
  SELECT ns, dead_ns, 'a queue pair that failed' FROM qp_error /*scan*/);
UPDATE job_note AS n
   SET (verdict, reason) =
       (SELECT CASE WHEN n.last_ns IS NULL OR n.first_ns > s.b
                         OR n.last_ns < s.a OR n.length_ns IS NULL
                    THEN 'unused'
                    WHEN u.steps < 4 OR n.length_ns <= 1.2 * u.ns THEN 'agrees'
                    WHEN c.what IS NOT NULL THEN 'explains' ELSE 'more' END,
               CASE WHEN n.last_ns IS NULL THEN 'the log has no time of it'
                    WHEN n.first_ns > s.b OR n.last_ns < s.a
                    THEN 'not while the capture ran'
                    WHEN n.length_ns IS NULL
                    THEN 'the log does not say how long it took'
                    WHEN u.steps < 4 OR n.length_ns <= 1.2 * u.ns THEN NULL
                    ELSE 'took ' || human_ns(n.length_ns) || ', others '
                      || human_ns(u.ns)
                      || CASE WHEN c.what IS NOT NULL
                              THEN '; the capture has ' || c.what
                              ELSE '; the capture shows no loss and no pause '
                                || 'storm meanwhile' END END
          FROM temp.seen s
          LEFT JOIN temp.usual u ON u.source_id = n.source_id
          LEFT JOIN (SELECT group_concat(DISTINCT rule) AS what
                       FROM temp.cost /*scan*/
                      WHERE first_ns <= n.last_ns AND last_ns >= n.first_ns) c)
 WHERE kind = 'step';

-- ## Slurm

UPDATE job_note AS n
   SET verdict = CASE WHEN n.first_ns > s.b OR n.last_ns < s.a THEN 'unused'
                      ELSE 'agrees' END,
       reason = CASE WHEN n.first_ns > s.b OR n.last_ns < s.a
                     THEN 'it did not run while the capture did'
                     WHEN n.last_ns BETWEEN s.a AND s.b
                     THEN 'it ended ' || human_ns(n.last_ns - s.a)
                       || ' after the capture began: ' || lower(n.state)
                     ELSE 'it ran while the capture did' END
  FROM temp.seen s WHERE n.kind = 'slurm';

-- ## Ranks by RAS
--
-- A rank that does not respond may be dead, or out of reach: packets that its host
-- goes on sending say that the host is neither, and where no other rank of the job is
-- on that host, that the rank is not.  Its stamps are seconds.
CREATE TEMP TABLE alive AS
SELECT src AS address, max(last_ns) AS last_ns
  FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM job_note WHERE kind = 'ras'))
 CROSS JOIN flow /*scan*/
 WHERE src IN (SELECT name FROM job_note WHERE kind = 'ras')
 GROUP BY src;
CREATE INDEX temp.alive_by ON alive(address);
CREATE TEMP TABLE neighbor AS
SELECT source_id, name FROM job_note /*scan*/
 WHERE kind = 'ras' GROUP BY source_id, name HAVING count(DISTINCT number) > 1;
CREATE INDEX temp.neighbor_by ON neighbor(name, source_id);
UPDATE job_note AS n
   SET (verdict, reason) =
       (SELECT CASE WHEN a.address IS NULL OR n.last_ns > s.b + 60000000000
                         OR n.last_ns < s.a - 600000000000 THEN 'unused'
                    WHEN n.state = 'running' THEN 'agrees'
                    WHEN q.id IS NOT NULL THEN 'explains'
                    WHEN a.last_ns > n.last_ns + 1000000000
                    THEN CASE WHEN o.name IS NULL
                                   AND n.state IN ('dead', 'unresponsive')
                              THEN 'contradicts' ELSE 'unused' END
                    ELSE 'agrees' END,
               CASE WHEN a.address IS NULL
                    THEN 'no packet of this host is in the capture'
                    WHEN n.last_ns > s.b + 60000000000
                      OR n.last_ns < s.a - 600000000000
                    THEN 'not while the capture ran'
                    WHEN n.state = 'running' THEN NULL
                    WHEN q.id IS NOT NULL
                    THEN 'a queue pair between ' || q.src || ' and ' || q.dst
                      || ' stopped: ' || q.why
                    WHEN a.last_ns > n.last_ns + 1000000000
                    THEN 'its host went on sending for '
                      || human_ns(a.last_ns - n.last_ns)
                      || CASE WHEN o.name IS NULL THEN ''
                              ELSE ', and has other ranks' END
                    ELSE 'its host sent nothing after that' END
          FROM temp.seen s
          LEFT JOIN temp.alive a ON a.address = n.name
          LEFT JOIN temp.neighbor o
            ON o.name = n.name AND o.source_id = n.source_id
          LEFT JOIN qp_error q
            ON q.id = (SELECT min(id) FROM qp_error
                        WHERE src = n.name OR dst = n.name))
 WHERE kind = 'ras';

-- ## Work requests by queue pair
--
-- Numbers of queue pairs are only unique on their host.
CREATE TEMP TABLE of_qp AS
SELECT f.src_qp, f.src, min(f.id) AS flow_id, count(DISTINCT f.src) AS hosts,
       max(f.payload_bytes) AS bytes
  FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM job_note WHERE kind = 'requests'))
 CROSS JOIN flow f /*scan*/
 WHERE f.src_qp IN (SELECT qpn FROM job_note WHERE kind = 'requests')
   AND f.requests > 0
 GROUP BY f.src_qp, f.src;
CREATE INDEX temp.of_qp_by ON of_qp(src_qp);
CREATE TEMP TABLE qp_hosts AS
SELECT src_qp, count(*) AS n FROM temp.of_qp GROUP BY src_qp;
CREATE INDEX temp.qp_hosts_by ON qp_hosts(src_qp);
UPDATE job_note AS n
   SET flow_id = o.flow_id,
       verdict = CASE WHEN n.bytes = 0 OR o.bytes = 0 THEN 'unused'
                      WHEN o.bytes > 1.05 * n.bytes + 65536 THEN 'fewer'
                      WHEN n.bytes > 1.05 * o.bytes + 65536 THEN 'more'
                      ELSE 'agrees' END,
       reason = CASE WHEN n.bytes = 0
                     THEN 'NCCL gives no sizes of receive requests; '
                     ELSE '' END
         || plural(n.count, 'work request') || ' of '
         || human_count(n.bytes) || ' bytes; the capture has '
         || human_count(o.bytes) || ' bytes of this queue pair'
  FROM temp.of_qp o
  JOIN temp.qp_hosts h ON h.src_qp = o.src_qp
  JOIN evidence_source e
 WHERE n.kind = 'requests' AND o.src_qp = n.qpn AND e.id = n.source_id
   AND (o.src = e.address OR (e.address IS NULL AND h.n = 1));
UPDATE job_note
   SET verdict = 'unused', reason = 'no queue pair of this number is known here'
 WHERE kind = 'requests' AND verdict IS NULL;

DROP TABLE temp.seen;
DROP TABLE temp.step;
DROP TABLE temp.usual;
DROP TABLE temp.cost;
DROP TABLE temp.alive;
DROP TABLE temp.neighbor;
DROP TABLE temp.of_qp;
DROP TABLE temp.qp_hosts;

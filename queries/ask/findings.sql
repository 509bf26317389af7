-- What was found, in order of weight?
--
-- param severity text NULL  only critical, warning, info or ok
-- param rule text NULL  only of this rule
-- param from time NULL  not before
-- param to time NULL  not after
-- column id id  finding.id
-- column severity text  critical, warning, info, ok
-- column title text  in one line
-- column cost_ns duration  summed over flows
-- column confidence share  confidence, 0..1
-- column first_ns time  begin
-- column last_ns time  end
-- column rule text  the query in queries/findings that made it
-- column job_ns duration  time of jobs it cost, estimated
-- column caused_by id  finding.id of its cause
-- column place word  kind of place of congestion: see query places
-- column place_at text  the port there; unknown: what it lies between
--
-- example fabscope query DB findings --param severity=critical
SELECT id, severity, title, cost_ns, confidence, first_ns, last_ns, rule,
       job_ns, caused_by, place, place_at
  FROM finding
 WHERE (:severity IS NULL OR severity = :severity)
   AND (:rule IS NULL OR rule = :rule)
   AND (:from IS NULL OR ifnull(last_ns, first_ns) >= :from)
   AND (:to IS NULL OR first_ns <= :to)
 ORDER BY id

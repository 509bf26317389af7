-- What has a live analysis found so far, ended findings included?
-- Newest first.  Findings of what stands now: query findings.
--
-- param severity text NULL  only critical, warning, info or ok
-- param from time NULL  not what was over before
-- param to time NULL  not what was found after
-- param limit count 1000  maximum number of rows
-- column id id  finding_log.id, which stays
-- column severity text  critical, warning, info, ok
-- column title text  in one line
-- column seen_first_ns time  when it was first found
-- column ended_ns time  when it was found no more
-- column times count  occurrences
-- column recording text  file with its packets
--
-- example fabscope query DB live-findings --param severity=critical
SELECT l.id, l.severity, l.title, l.seen_first_ns, l.ended_ns, l.times,
       r.path AS recording
  FROM finding_log l
  LEFT JOIN recording r ON r.id = l.recording_id AND r.state <> 'gone'
 WHERE (:severity IS NULL OR l.severity = :severity)
   AND (:from IS NULL OR ifnull(l.ended_ns, l.seen_last_ns) >= :from)
   AND (:to IS NULL OR l.first_ns <= :to)
 ORDER BY l.seen_first_ns DESC, l.id
 LIMIT :limit

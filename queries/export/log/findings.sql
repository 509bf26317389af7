-- Which findings did a live analysis have, and what became of them?
--
-- column id id  finding_log.id
-- column rule text  finding rule
-- column severity text  as last seen
-- column confidence share  as last seen
-- column title text  as last seen
-- column detail text  as last seen
-- column action text  as last seen
-- column tap_id id  tap.id when only one
-- column tap text  its name
-- column first_ns time  begin
-- column last_ns time  end, so far
-- column cost_ns duration  time lost so far
-- column evidence json  frames, flows and numbers behind it
-- column seen_first_ns time  when it was found
-- column seen_last_ns time  when it stood last
-- column ended_ns time  when it was over; NULL it stands
-- column times count  how often it came back, plus 1
SELECT l.id, l.rule, l.severity, l.confidence, l.title, l.detail, l.action,
       l.tap_id, t.name AS tap, l.first_ns, l.last_ns, l.cost_ns, l.evidence,
       l.seen_first_ns, l.seen_last_ns, l.ended_ns, l.times
  FROM finding_log l
  LEFT JOIN tap t ON t.id = l.tap_id
 ORDER BY l.id

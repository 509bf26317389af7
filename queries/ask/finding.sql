-- What exactly does one finding say?
--
-- param id id required  finding.id
-- column id id  finding.id
-- column rule text  the query in queries/findings that made it
-- column severity text  critical, warning, info, ok
-- column caused_by id  finding.id of its cause
-- column confidence share  confidence, 0..1
-- column title text  in one line
-- column detail text  in some sentences
-- column action text  what to do next
-- column tap_id id  tap.id when only one
-- column flow_id id  flow.id when only one
-- column first_ns time  begin
-- column last_ns time  end
-- column job_ns duration  time of jobs it cost, estimated
-- column cost_ns duration  summed over flows
-- column incident_id id  incident.id
-- column place word  kind of place of congestion: see query places
-- column place_at text  the port there; unknown: what it lies between
-- column evidence json  frames, events, flows, numbers, query
--
-- example fabscope query DB finding --param id=1
SELECT id, rule, severity, caused_by, confidence, title, detail, action, tap_id, flow_id,
       first_ns, last_ns, job_ns, cost_ns, incident_id, place, place_at,
       evidence
  FROM finding
 WHERE id = :id

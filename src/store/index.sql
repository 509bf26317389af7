-- Indices: made when all rows are there, and only where a query needs them.
CREATE INDEX flow_troubled ON flow(id) WHERE impaired = 1;
CREATE INDEX event_by_flow ON event(flow_id, ns);
CREATE INDEX event_by_kind ON event(kind, ns);
CREATE INDEX message_by_flow ON message(flow_id, first_ns);
CREATE INDEX cnp_by_flow ON cnp(flow_id, ns);
CREATE INDEX recovery_by_flow ON recovery(flow_id);
CREATE INDEX bin_by_scope ON bin(scope, scope_id, start_ns);
CREATE INDEX telemetry_bin_by_id ON telemetry_bin(telemetry_id, start_ns);
CREATE INDEX unmatched_by_segment ON unmatched(segment_id, verdict);
CREATE INDEX unmatched_by_flow ON unmatched(flow_id, psn);
CREATE INDEX segment_flow_by_flow ON segment_flow(flow_id);
CREATE INDEX tap_path_by_flow ON tap_path(flow_id);

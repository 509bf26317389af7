-- Indices: made when all rows are there, and only where a query needs them.
CREATE INDEX IF NOT EXISTS flow_troubled ON flow(id) WHERE impaired = 1;
CREATE INDEX IF NOT EXISTS event_by_flow ON event(flow_id, ns);
CREATE INDEX IF NOT EXISTS event_by_kind ON event(kind, ns);
CREATE INDEX IF NOT EXISTS message_by_flow ON message(flow_id, first_ns);
CREATE INDEX IF NOT EXISTS cnp_by_flow ON cnp(flow_id, ns);
CREATE INDEX IF NOT EXISTS recovery_by_flow ON recovery(flow_id);
CREATE INDEX IF NOT EXISTS bin_by_scope ON bin(scope, scope_id, start_ns);
CREATE INDEX IF NOT EXISTS telemetry_bin_by_id ON telemetry_bin(telemetry_id, start_ns);
CREATE INDEX IF NOT EXISTS unmatched_by_segment ON unmatched(segment_id, verdict);
CREATE INDEX IF NOT EXISTS unmatched_by_flow ON unmatched(flow_id, psn);
CREATE INDEX IF NOT EXISTS segment_flow_by_flow ON segment_flow(flow_id);
CREATE INDEX IF NOT EXISTS tap_path_by_flow ON tap_path(flow_id);
CREATE INDEX IF NOT EXISTS judge_recovery_by_flow ON judge_recovery(flow_id);
CREATE INDEX IF NOT EXISTS judge_fill_by_flow ON judge_fill(flow_id);
CREATE INDEX IF NOT EXISTS pause_sender_by_port ON pause_sender(tap_id, source_mac, priority);
CREATE INDEX IF NOT EXISTS storm_by_port ON storm(tap_id, source_mac, priority, first_ns);
CREATE INDEX IF NOT EXISTS stall_by_port ON stall(tap_id, source_mac, first_ns);

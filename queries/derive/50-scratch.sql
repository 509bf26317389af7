-- Tables that live only while the verdicts are made.

-- What went wrong, one row per recovery or per flow: filled by queries/derive/51-occurrence.
CREATE TEMP TABLE occurrence(
  kind TEXT NOT NULL,     -- incident.kind
  flow_id INTEGER,        -- flow.id
  psn INTEGER,            -- first PSN; NULL: about the whole flow
  tap_id INTEGER,         -- tap.id
  frame_tap_id INTEGER,   -- tap.id of the frame; NULL: the same
  src TEXT,               -- who sent what was lost, refused or delayed
  dst TEXT,               -- to whom
  occurrences INTEGER,       -- times it happened
  named INTEGER,          -- 1: what the receiver asked for was not seen
  lost_min INTEGER,       -- packets lost, at least
  lost_max INTEGER,       -- and at most
  retransmitted_packets INTEGER, -- packets retransmitted
  retransmitted_bytes INTEGER,   -- bytes retransmitted
  idle_ns INTEGER,     -- length of the sender's silence
  cost_ns INTEGER,        -- length
  first_ns INTEGER,       -- begin
  last_ns INTEGER,        -- end
  frame INTEGER,          -- the frame to look at
  event_id INTEGER,       -- event.id
  confidence REAL,        -- 0..1
  incident_id INTEGER     -- set by 54-incident.sql
);

-- Findings in any order.  It hides the final table, so that a rule which judges
-- the others reads these.
CREATE TEMP TABLE finding(
  id INTEGER PRIMARY KEY,
  rule TEXT,
  severity TEXT NOT NULL
    CHECK(severity IN ('critical', 'warning', 'info', 'ok')),
  confidence REAL,
  title TEXT NOT NULL,
  detail TEXT,
  action TEXT,
  tap_id INTEGER,
  flow_id INTEGER,
  first_ns INTEGER,
  last_ns INTEGER,
  cost_ns INTEGER,
  incident_id INTEGER,
  place TEXT,
  place_at TEXT,
  evidence TEXT,
  caused_by INTEGER,      -- set by 91-root.sql, as job_ns is
  job_ns INTEGER
);

-- Tables that live only while the verdicts are made.

-- What went wrong, one row per episode or per flow: filled by queries/trouble.
CREATE TEMP TABLE trouble(
  kind TEXT NOT NULL,     -- incident.kind
  flow_id INTEGER,        -- flow.id
  tap_id INTEGER,         -- tap.id
  src TEXT,               -- who sent what was lost, refused or delayed
  dst TEXT,               -- to whom
  episodes INTEGER,       -- times it happened
  lost_min INTEGER,       -- packets lost, at least
  lost_max INTEGER,       -- and at most
  resent_packets INTEGER, -- packets sent again
  resent_bytes INTEGER,   -- octets sent again
  silence_ns INTEGER,     -- length of the sender's silence
  cost_ns INTEGER,        -- length
  first_ns INTEGER,       -- begin
  last_ns INTEGER,        -- end
  frame INTEGER,          -- the frame to look at
  event_id INTEGER,       -- event.id
  confidence REAL,        -- 0..1
  incident_id INTEGER     -- set by incident.sql
);

-- Findings in any order.  It hides the final table, so that a rule which judges
-- the others reads these.
CREATE TEMP TABLE finding(
  rule TEXT,
  severity TEXT NOT NULL
    CHECK(severity IN ('critical', 'warning', 'info', 'exonerates')),
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
  evidence TEXT
);

-- How good is the capture itself?
-- In a time window: what is known of it: packets, the missing ones of which there
-- are events, and what a live analysis dropped then.
--
-- param from time NULL  start of the time window; NULL: start of the capture
-- param to time NULL  end of the time window; NULL: end of the capture
-- column tap_id id  tap.id
-- column tap text  its name
-- column packets count  packets
-- column expected count  PSNs covered by its flows
-- column capture_missing count  of these, capture gap: delivered but not captured
-- column missing_share share  the same as share
-- column dropped_reported count  drops the capturing system reports
-- column mirror_seq_lost count  mirrored packets missing by the sequence numbers of the mirror
-- column mirror_duplicates count  mirror duplicates, counted nowhere else
-- column time_regressions count  out-of-order timestamps
-- column truncated count  truncated (snaplen) inside the headers
-- column malformed count  malformed packets
-- column unknown_opcodes count  RoCE opcodes of unknown layout
-- column icrc_bad count  bad ICRC
-- column icrc_checked_share share  packets whose ICRC could be checked
-- column low_confidence flag  1: loss verdicts here are of low confidence
--
-- uses tap-in-window
-- example fabscope query DB capture-quality
WITH span(a, z) AS (
  SELECT ifnull(:from, -(1 << 62)), ifnull(:to, 1 << 62)
   WHERE coalesce(:from, :to) IS NOT NULL),
counted AS (
  SELECT e.tap_id, sum(e.count) AS missing,
         sum(e.count * (e.ns BETWEEN s.a AND s.z)) AS missing_then
    FROM span s, event e /*scan*/
   WHERE e.kind = 'capture_missing' GROUP BY e.tap_id),
dropped AS (
  SELECT b.tap_id, sum(b.packets) AS packets, count(*) - count(b.packets)
           AS unknown
    FROM span s, capture_drop b /*scan*/
   WHERE b.last_ns >= s.a AND b.first_ns <= s.z GROUP BY b.tap_id)
SELECT t.id AS tap_id, t.name AS tap, t.packets, c.expected,
       c.capture_missing, c.missing_share, t.dropped_reported,
       t.mirror_seq_lost, t.mirror_duplicates,
       t.timestamp_regressions AS time_regressions, t.truncated,
       t.malformed, t.unknown_opcodes, c.crc_bad AS icrc_bad,
       1.0 * (c.crc_good + c.crc_bad)
         / nullif(c.crc_good + c.crc_bad + c.crc_unchecked, 0)
         AS icrc_checked_share,
       c.low_confidence
  FROM tap t
  LEFT JOIN coverage c ON c.tap_id = t.id
 WHERE NOT EXISTS (SELECT 1 FROM span)
UNION ALL
SELECT t.id, t.name, p.packets, NULL,
       iif(ifnull(k.missing, 0) = c.capture_missing, ifnull(k.missing_then, 0),
           NULL),
       NULL,
       CASE WHEN t.dropped_reported = 0 THEN 0
            WHEN EXISTS (SELECT 1 FROM live_status) AND NOT ifnull(d.unknown, 0)
            THEN ifnull(d.packets, 0) END,
       iif(t.mirror_seq_lost = 0, 0, NULL),
       iif(t.mirror_duplicates = 0, 0, NULL),
       iif(t.timestamp_regressions = 0, 0, NULL),
       iif(t.truncated = 0, 0, NULL), iif(t.malformed = 0, 0, NULL),
       iif(t.unknown_opcodes = 0, 0, NULL), iif(c.crc_bad = 0, 0, NULL), NULL,
       c.low_confidence
  FROM span
  JOIN tap t
  JOIN tap_in_window p ON p.tap_id = t.id
  LEFT JOIN coverage c ON c.tap_id = t.id
  LEFT JOIN counted k ON k.tap_id = t.id
  LEFT JOIN dropped d ON d.tap_id = t.id
 ORDER BY 1

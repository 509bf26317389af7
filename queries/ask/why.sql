-- Why was each recovery decided as it was: which evidence ruled out what?
-- One row per hypothesis, those that remain first.  One left is the verdict,
-- several are reported as "A or B".
--
-- param recovery id NULL  recovery.id; without it, those that took longest
-- param once flag NULL  1: a recovery that several taps saw counts once
-- param worst count 10  so many of these
-- column recovery id  recovery.id
-- column flow_id id  flow.id of the requests
-- column hypothesis word  what could have made the sender retransmit
-- column meaning text  the same in words
-- column verdict word  remains, ruled out
-- column rule text  the first rule of docs/rules.md that rules it out
-- column because text  what that rule means
-- column assuming text  the assumption it rests on; NULL: none
-- column frame id  the frame that shows it; NULL: it is about what is absent
-- column tap_id id  tap.id of that frame
-- column cause word  what was decided
-- column evidence word  all that was observed
--
-- uses recovery-once
-- example fabscope query DB why --param recovery=1
WITH RECURSIVE number(i) AS (
  SELECT 0 UNION ALL SELECT i + 1 FROM number WHERE i + 1 < hypotheses()
), judged AS (
  SELECT r.*, r.rule AS decided, n.i, r.remaining >> n.i & 1 AS remains,
         (SELECT transport FROM flow f WHERE f.id = r.flow_id) AS transport,
         CASE WHEN NOT (r.remaining >> n.i & 1)
              THEN ruled_out_by(r.evidence, n.i) END AS k
    FROM recovery r, number n
   WHERE r.id IN (SELECT id FROM recovery /*scan*/
                   WHERE evidence IS NOT NULL
                     AND (:recovery IS NULL OR id = :recovery)
                     AND (NOT ifnull(:once, 0)
                          OR id IN (SELECT id FROM recovery_once /*scan*/))
                   ORDER BY last_ns - first_ns DESC, id
                   LIMIT iif(:recovery IS NULL, :worst, 1))
)
SELECT id AS recovery, flow_id, hypothesis_name(i) AS hypothesis,
       transport_words(transport, hypothesis_says(i)) AS meaning,
       iif(remains, 'remains', 'ruled out') AS verdict, 
       ifnull(rule_name(k), iif(remains, NULL, decided)) AS rule,
       transport_words(transport, rule_says(k)) AS because,
       transport_words(transport, rule_assumes(k)) AS assuming,
       CASE rule_frame(k) WHEN 'frame_original' THEN frame_original
                          WHEN 'frame_detect' THEN frame_detect
                          WHEN 'frame_first' THEN frame_first
                          WHEN 'frame_last' THEN frame_last END AS frame,
       tap_id, cause, evidence_names(evidence) AS evidence
  FROM judged
 ORDER BY last_ns - first_ns DESC, id, remains DESC, i

-- Where packets were lost, by the word of switches, in the answer.
--
-- The verdict follows the packets; who else says so, and where, comes behind it.
--
-- needs evidence_source

CREATE TEMP TABLE said AS
SELECT k.incident_id, coalesce(s.node, s.address, s.device, s.path) AS device,
       ifnull(' ' || s.port, '') AS port, k.counted AS packets,
       'its counters' AS word
  FROM counter_check k /*scan*/
  JOIN counted c ON c.id = k.counted_id
  JOIN evidence_source s ON s.id = c.source_id
 WHERE k.what = 'losses' AND k.verdict = 'explains'
   AND k.incident_id IS NOT NULL
UNION ALL
SELECT f.incident_id, s.device, ifnull(' interface ' || max(d.output), ''),
       sum(d.estimated), 'its drop reports (' || max(d.reason) || ')'
  FROM sampled d /*scan*/
  JOIN incident_flow f ON f.flow_id = d.flow_id
  JOIN incident i ON i.id = f.incident_id AND i.lost_max > 0
  JOIN evidence_source s ON s.id = d.source_id
 WHERE d.verdict = 'explains' AND s.device IS NOT NULL
 GROUP BY f.incident_id, s.device;
CREATE TEMP TABLE rank_of AS
SELECT DISTINCT job, address FROM job_rank /*scan*/;
CREATE INDEX temp.rank_of_by ON rank_of(address);
CREATE TEMP TABLE said_of AS
WITH of_job AS (
  SELECT DISTINCT w.incident_id, r.job
    FROM temp.said w
    JOIN incident_flow f ON f.incident_id = w.incident_id
    JOIN flow x ON x.id = f.flow_id
    JOIN temp.rank_of r ON r.address = x.src)
SELECT a.id, w.device, w.port, max(w.packets) AS packets, w.word
  FROM (SELECT NULL AS job, device, port, packets, word FROM temp.said
        UNION ALL
        SELECT j.job, w.device, w.port, w.packets, w.word
          FROM temp.said w JOIN of_job j ON j.incident_id = w.incident_id) w
  JOIN answer a ON a.job IS w.job
  JOIN answer_share h ON h.answer_id = a.id AND h.class = 'loss' AND h.ns > 0
 WHERE a.verdict IN ('network', 'both')
 GROUP BY a.id;
UPDATE answer AS a
   SET root = CASE WHEN a.cause = 'loss' THEN ifnull(a.root, w.device || w.port)
                   ELSE a.root END,
       reason = a.reason || '; ' || w.device || w.port || ' dropped '
                  || plural(w.packets, 'packet') || ' by ' || w.word,
       line = a.line || '; ' || w.device || w.port || ' dropped '
                || plural(w.packets, 'packet') || ' by ' || w.word
  FROM temp.said_of w WHERE w.id = a.id;
DROP TABLE temp.said;
DROP TABLE temp.rank_of;
DROP TABLE temp.said_of;

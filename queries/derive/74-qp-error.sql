-- Why queue pairs stopped: from how their requests ended.
--
-- What the completion of the sender says follows from the packets: a NAK that
-- ends the queue pair, RNR NAKs to the same PSN, or tries of the same PSN, and
-- then nothing more.  Where the fault lies is found by elimination: who was
-- still answered, who was still heard, and how long the packets were that got
-- through.  What the packets cannot separate stays together.
-- needs ending or error_log

-- A queue pair is reported once: where it is seen nearest to its sender.
CREATE TEMP TABLE stopped AS
SELECT e.*, f.src, f.dst, f.pmtu, f.transport, f.dst_qp, f.src_qp, f.last_ns AS
       flow_last, f.retry_count, f.rnr_retry, f.visibility, f.epoch,
       ifnull(e.syndrome, 0) > 0x60 AS fatal,
       e.refused_ns IS NOT NULL AND ifnull(e.syndrome, 0) < 0x40
         AND e.refused_ns = e.last_ns AS rnr,
       e.end_ns - e.last_ns AS silence_ns
  FROM ending e /*scan*/
  JOIN flow f ON f.id = e.flow_id
  JOIN tap t ON t.id = f.tap_id AND t.sampled_one_in IS NULL
            AND NOT ifnull(t.overrun, 0)
 WHERE NOT f.spray_suspect
   AND NOT EXISTS (SELECT 1 FROM tap_path t
                    WHERE t.flow_id = e.flow_id AND t.hop > 1);
-- One that the capture ends before is reported when it has used up its tries: CM
-- says how many there are, or they are 7.
DELETE FROM temp.stopped
 WHERE NOT fatal AND NOT rnr
   AND (tries < min(ifnull(nullif(retry_count, 0), 3), 3)
        OR (silence_ns <= 2 * longest_ns
            AND tries < ifnull(nullif(retry_count, 0), 7)));
DELETE FROM temp.stopped
 WHERE NOT fatal AND rnr
   AND (ifnull(rnr_retry, 0) = 7 OR refusals < 2
        OR silence_ns <= 4 * rnr_wait_ns + 10000000);

-- ACKs passed here, and the next try's may have arrived: only who tried as often as
-- it may is reported.
DELETE FROM temp.stopped
 WHERE NOT fatal AND NOT rnr AND acknowledged
   AND tries < ifnull(nullif(retry_count, 0), 7);
-- Where no response is captured, a NAK that asked for a try is none either: only
-- who never came past the first PSN was never answered.
DELETE FROM temp.stopped
 WHERE NOT fatal AND NOT rnr AND last_response_ns IS NULL AND psn <> first_psn;

-- What got through between the same two hosts, and who was heard: of the hosts
-- of these queue pairs only, as grouping all flows costs more than reading them.
CREATE TEMP TABLE direction AS
SELECT f.src, f.dst,
       max(CASE WHEN p.responses > 0 AND x.flow_id IS NULL
                THEN min(f.last_ns, p.last_ns) END) AS answered_until,
       sum(p.responses > 0 AND x.flow_id IS NULL) AS answered,
       max(f.last_ns) AS heard
  FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM temp.stopped))
 CROSS JOIN flow f /*scan*/
  LEFT JOIN flow p ON p.id = f.peer_flow_id
  LEFT JOIN (SELECT DISTINCT flow_id FROM temp.stopped) x ON x.flow_id = f.id
 WHERE f.src IN (SELECT src FROM temp.stopped
                 UNION SELECT dst FROM temp.stopped)
 GROUP BY f.src, f.dst;
CREATE INDEX temp.direction_by ON direction(src, dst);
CREATE TEMP TABLE speaker AS
SELECT src, max(heard) AS heard FROM temp.direction GROUP BY src;
CREATE INDEX temp.speaker_by ON speaker(src, heard);
CREATE TEMP TABLE size AS
SELECT f.src, f.dst, max(min(m.bytes, ifnull(f.pmtu, m.bytes))) AS most
  FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM temp.stopped))
 CROSS JOIN message m /*scan*/
  JOIN flow f ON f.id = m.flow_id
 WHERE m.status = 'complete' AND m.op IN ('send', 'write')
 GROUP BY f.src, f.dst;
CREATE INDEX temp.size_by ON size(src, dst);
-- The last capture point that its tries still passed.
CREATE TEMP TABLE beyond AS
SELECT s.flow_id, t.name, max(o.hop) AS hop, f.last_ns
  FROM temp.stopped s
  JOIN tap_path h ON h.flow_id = s.flow_id
  JOIN tap_path o ON o.tap_path_id = h.tap_path_id AND o.hop > h.hop
  JOIN flow f ON f.id = o.flow_id
  JOIN tap t ON t.id = f.tap_id
 GROUP BY s.flow_id;
CREATE INDEX temp.beyond_by ON beyond(flow_id);

INSERT INTO qp_error(flow_id, tap_id, error, cause, src, dst, psn, tries, ns,
                     dead_ns, frame, frame_first, confidence, why)
WITH known AS (
  SELECT s.*,
         d.answered_until > s.first_ns AS pair_works,
         d.answered > 0 AS pair_worked,
         b.heard AS back_heard, b.src IS NOT NULL AS back,
         b.heard > s.first_ns AS talks_back,
         v.heard > s.first_ns AS dst_talks,
         z.most AS largest,
         s.payload > z.most AS larger,
         y.name AS beyond, y.last_ns >= s.last_ns - 1000000000 AS arrived,
         s.last_response_ns IS NULL AND s.psn = s.first_psn AND NOT s.mid_stream
           AS never,
         s.silence_ns > 2 * s.longest_ns AS silent,
         CASE WHEN s.fatal THEN 0.99
              WHEN s.rnr THEN CASE WHEN s.refusals > s.rnr_retry THEN 0.95
                                   ELSE 0.8 END
              ELSE CASE WHEN s.silence_ns > 2 * s.longest_ns THEN 0.8 ELSE 0.5
                   END + CASE WHEN s.tries >= ifnull(nullif(s.retry_count, 0),
                                                     7)
                              THEN 0.15 ELSE 0 END END AS confidence
    FROM temp.stopped s
    LEFT JOIN temp.direction d ON d.src = s.src AND d.dst = s.dst
    LEFT JOIN temp.direction b ON b.src = s.dst AND b.dst = s.src
    LEFT JOIN temp.speaker v ON v.src = s.dst
    LEFT JOIN temp.size z ON z.src = s.src AND z.dst = s.dst
    LEFT JOIN temp.beyond y ON y.flow_id = s.flow_id),
judged AS (
  SELECT *,
         CASE WHEN fatal
              THEN CASE syndrome WHEN 0x61 THEN 'remote_invalid_request'
                                 WHEN 0x62 THEN 'remote_access'
                                 WHEN 0x63 THEN 'remote_operation'
                                 ELSE 'remote_invalid_request' END
              WHEN rnr THEN 'rnr_retry' ELSE 'retry' END AS error,
         CASE WHEN fatal THEN 'refused'
              WHEN rnr THEN 'not_ready'
              WHEN acknowledged THEN 'return_path'
              WHEN NOT back THEN 'one_way_capture'
              WHEN larger AND pair_works THEN 'size'
              WHEN never AND ifnull(pair_worked, 0) THEN 'never_this_qp'
              WHEN never THEN 'never_reached'
              WHEN pair_works THEN 'this_qp'
              WHEN talks_back THEN 'path_died'
              WHEN dst_talks THEN 'path_died'
              ELSE 'silent_peer' END AS cause
    FROM known)
SELECT flow_id, tap_id, error, cause, src, dst, psn,
       CASE WHEN tries > 0 AND NOT rnr THEN tries ELSE refusals END,
       CASE WHEN fatal OR rnr THEN refused_ns ELSE last_ns END,
       CASE WHEN fatal THEN refused_ns
            WHEN rnr THEN refused_ns + ifnull(rnr_wait_ns, 0)
            ELSE last_ns + 2 * longest_ns END,
       CASE WHEN fatal OR rnr THEN frame_refused ELSE frame_last END,
       ifnull(frame_first, frame_refused), confidence,
       CASE error
         WHEN 'retry'
         THEN 'It retransmitted PSN ' || psn || ' ' || times(tries)
           || ', each after an idle time (RTO) of ' || human_ns(shortest_ns)
           || CASE WHEN longest_ns > shortest_ns * 1.2
                   THEN ' to ' || human_ns(longest_ns) ELSE '' END
           || ', and no ACK followed; '
           || CASE WHEN silent THEN 'then nothing for ' || human_ns(silence_ns)
                   ELSE 'the capture ends ' || human_ns(silence_ns) || ' later, '
                     || 'before it is certain that no further try comes' END
           || '. '
         WHEN 'rnr_retry'
         THEN 'The receiver answered PSN ' || psn || ' with '
           || plural(refusals, 'RNR NAK') || ', the last of which asked it to '
           || 'wait ' || human_ns(rnr_wait_ns) || '; nothing followed for '
           || human_ns(silence_ns) || '. '
         ELSE 'The receiver refused PSN ' || psn || ' for good (NAK 0x'
           || printf('%02x', syndrome) || '). ' END
       || CASE cause
         WHEN 'return_path'
         THEN 'ACKs for it were seen here: requests arrive, and what '
           || 'is lost, or ignored, are the ACKs on the reverse path to the sender.'
         WHEN 'one_way_capture'
         THEN 'No packet from ' || dst || ' to ' || src || ' is in the capture'
           || ': either the receiver was never reached (a wrong GID, a missing '
           || 'route, an ACL, no RDMA there), or its ACKs take another path.'
         WHEN 'size'
         THEN 'Other packets between these hosts were still acknowledged, the '
           || 'largest with ' || largest || ' bytes of payload; this one has '
           || payload || ', and none of that size ever was: an MTU on the path '
           || 'that is too small. Loss on the path of this queue pair alone '
           || 'looks the same.'
         WHEN 'never_this_qp'
         THEN 'Nothing of it was ever acknowledged, although '
           || plural(answered_pairs, 'other queue pair') || ' between these '
           || 'hosts worked: not the route and not an ACL between the hosts, '
           || 'but the queue pair (its number, GID, P_Key, or the receiver is '
           || 'not ready to receive), or the path of its UDP source port.'
         WHEN 'never_reached'
         THEN 'Nothing from ' || src || ' to ' || dst
           || ' was ever acknowledged: a wrong GID, a missing route, an ACL, '
           || 'or no RDMA there. '
           || CASE WHEN talks_back
                THEN dst || ' does send to ' || src
                  || ' meanwhile: only one direction fails.'
                WHEN dst_talks
                THEN dst || ' does send to others meanwhile: it is alive.'
                ELSE 'Nothing of ' || dst || ' to ' || src || ' came either '
                  || 'while it tried: host and path cannot be distinguished.' END
         WHEN 'this_qp'
         THEN 'It had been acknowledged before, and other queue pairs between '
           || 'these hosts still were while it tried: neither the hosts nor '
           || 'all paths between them failed, but the path of its UDP source '
           || 'port, or the queue pair at the receiver was closed.'
         WHEN 'path_died'
         THEN 'It had been acknowledged before. While it tried, no queue pair '
           || 'from ' || src || ' to ' || dst || ' was acknowledged, and '
           || dst || ' still sent to '
           || CASE WHEN talks_back THEN src ELSE 'others' END
           || ': the receiver is alive, and what failed is the direction '
           || 'to it, or the ACKs from it.'
         WHEN 'silent_peer'
         THEN 'It had been acknowledged before. While it tried, nothing of '
           || dst || ' was captured at all: the host, its link or the path to '
           || 'it failed; they cannot be distinguished here.'
         WHEN 'not_ready'
         THEN 'The requests arrived: no receive WQE was posted in time. It is '
           || 'not the network.'
         ELSE 'The requests arrived: it is not the network.' END
       || CASE WHEN cause IN ('this_qp', 'path_died', 'silent_peer',
                              'never_this_qp') AND larger
               THEN ' No packet as large as this one (' || payload
                 || ' bytes of payload) ever got through between them: an MTU '
                 || 'that is too small looks the same.' ELSE '' END
       || CASE WHEN error = 'retry' AND beyond IS NOT NULL
               THEN CASE WHEN arrived
                         THEN ' Its tries were seen at ' || beyond || ' as well.'
                         ELSE ' Its tries were not seen at ' || beyond
                           || '.' END ELSE '' END
  FROM (SELECT j.*, (SELECT answered FROM temp.direction d
                      WHERE d.src = j.src AND d.dst = j.dst) AS answered_pairs
          FROM judged j)
 ORDER BY last_ns, flow_id;

-- ## Log lines

-- The address of who wrote a line: its GID, or that of its host.
CREATE TEMP TABLE said AS
SELECT l.id, l.error, l.responder, l.ns, l.qpn, l.remote_qpn,
       CASE WHEN l.address IN (SELECT src FROM flow) THEN l.address
            ELSE s.address END AS local,
       CASE WHEN l.remote IN (SELECT src FROM flow) THEN l.remote END AS remote,
       s.node
  FROM error_log l /*scan*/ JOIN evidence_source s ON s.id = l.source_id
 WHERE l.error <> 'flushed';
CREATE INDEX temp.said_qp ON said(error, qpn);
CREATE INDEX temp.said_pair ON said(error, local, remote);

-- By number first, then by both ends, then by who wrote it.
UPDATE qp_error AS q
   SET error_log_id =
       (SELECT min(l.id) FROM temp.said l JOIN flow f ON f.id = q.flow_id
         WHERE l.error = q.error AND NOT l.responder AND l.qpn = f.src_qp
           AND ifnull(l.local, q.src) = q.src
           AND ifnull(l.remote, q.dst) = q.dst);
UPDATE qp_error AS q
   SET error_log_id =
       (SELECT min(l.id) FROM temp.said l
         WHERE l.error = q.error AND NOT l.responder AND l.qpn IS NULL
           AND l.local = q.src AND ifnull(l.remote, q.dst) = q.dst)
 WHERE error_log_id IS NULL;
UPDATE qp_error AS q
   SET error_log_id =
       (SELECT min(l.id) FROM temp.said l
         WHERE l.error = q.error AND l.responder AND l.local = q.dst
           AND ifnull(l.remote, q.src) = q.src)
 WHERE error_log_id IS NULL;

UPDATE error_log SET verdict = NULL, shift_ns = NULL, reason = NULL;
UPDATE error_log AS l
   SET verdict = 'agrees', shift_ns = l.ns - v.dead_ns
  FROM (SELECT error_log_id AS id, min(dead_ns) AS dead_ns FROM qp_error
         WHERE error_log_id IS NOT NULL GROUP BY error_log_id) v
 WHERE v.id = l.id;
-- Several lines about one queue pair or about several between two hosts.
UPDATE error_log AS l
   SET verdict = 'agrees'
  FROM temp.said s
 WHERE s.id = l.id AND l.verdict IS NULL AND s.qpn IS NULL
   AND EXISTS (SELECT 1 FROM qp_error q
                WHERE q.error = l.error
                  AND CASE WHEN l.responder THEN q.dst ELSE q.src END = s.local
                  AND ifnull(s.remote, CASE WHEN l.responder THEN q.src
                                            ELSE q.dst END)
                      = CASE WHEN l.responder THEN q.src ELSE q.dst END);
UPDATE error_log AS l
   SET verdict = CASE WHEN s.local IS NOT NULL
                           AND l.error IN ('retry', 'rnr_retry',
                                           'remote_access',
                                           'remote_invalid_request',
                                           'remote_operation')
                           AND (l.ns IS NULL OR l.ns BETWEEN t.a AND t.b)
                      THEN 'contradicts' ELSE 'unused' END,
       reason = CASE WHEN s.local IS NULL
                     THEN 'whose line it is, is not known, or not in this '
                       || 'capture'
                     WHEN l.ns < t.a
                     THEN 'it is of before the capture began'
                     WHEN l.ns > t.b
                     THEN 'it is of after the capture had ended'
                     ELSE 'no queue pair of ' || s.local
                       || ifnull(' to ' || s.remote, '')
                       || ' stopped like that in this capture' END
  FROM temp.said s,
       (SELECT min(first_ns) - 2000000000 AS a, max(last_ns) + 5000000000 AS b
          FROM tap WHERE packets > 0) t
 WHERE s.id = l.id AND l.verdict IS NULL;
-- Logs have whole seconds, and are written a little later.
UPDATE error_log
   SET verdict = 'unused',
       reason = 'a work request that was flushed because its queue pair was '
         || 'in error already'
 WHERE verdict IS NULL;

DROP TABLE temp.stopped;
DROP TABLE temp.direction;
DROP TABLE temp.speaker;
DROP TABLE temp.size;
DROP TABLE temp.beyond;
DROP TABLE temp.said;

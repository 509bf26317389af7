-- What is to be said of which frame?
-- Findings whose evidence it is, then events that happened at it.
--
-- column frame count  frame number in the file
-- column comment text  one line each
WITH sentence(kind, text) AS (VALUES
  ('loss_upstream', 'An earlier transmission of this packet was lost upstream of this capture point'),
  ('loss_downstream', 'This packet was lost downstream of this capture point'),
  ('capture_missing', 'Packets before this one were delivered, but not captured'),
  ('unresolved_gap', 'Packets before this one are missing, and nothing shows why'),
  ('reorder', 'This packet was reordered upstream of this capture point'),
  ('mirror_duplicate', 'This is a mirror duplicate of the packet before'),
  ('retransmit_nak', 'Retransmission after a NAK (PSN sequence error)'),
  ('retransmit_timeout', 'Retransmission after a retransmission timeout (RTO)'),
  ('retransmit_rnr', 'Retransmission after an RNR NAK'),
  ('retransmit_spurious', 'Retransmission of a packet that had arrived'),
  ('retransmit_implied', 'Retransmitted, as the responses or a SACK left it out'),
  ('retransmit_unknown', 'Retransmission; the reason is not observable'),
  ('nak_seq', 'NAK (PSN sequence error)'),
  ('nak_fatal', 'NAK that ends the queue pair'),
  ('rnr_nak', 'RNR NAK: the receiver was not ready'),
  ('implied_nak', 'This response skips one that the requester waits for'),
  ('ack_lost', 'An ACK was lost'),
  ('icrc_bad', 'Bad ICRC: corrupted upstream of this capture point'),
  ('cnp_unexplained', 'CNP without an ECN CE mark before it'),
  ('epoch', 'The queue pair number is used again from here on'),
  ('trimmed', 'Trimmed by a switch: the payload is cut off'),
  ('credit_stall', 'The sender waited for credit'),
  ('nak_stall', 'The NAKed packet was only late; the sender is idle after it'),
  ('duplicate', 'The same packet a second time'),
  ('response_error', 'A response says that the operation failed'),
  ('outage', 'PSNs jump too far for a loss here')),
-- What Ultra Ethernet calls otherwise; %s is the code of the NACK.
uet(kind, text) AS (VALUES
  ('retransmit_nak', 'Retransmission after a NACK'),
  ('retransmit_rnr', 'Retransmission after a NACK: the target had no room'),
  ('nak_seq', 'NACK%s: the target asks for a retransmission'),
  ('nak_fatal', 'NACK%s that ends the context'),
  ('rnr_nak', 'NACK%s: the target had no room'),
  ('icrc_bad', 'Bad CRC: corrupted upstream of this capture point'),
  ('epoch', 'The PDC id is used again from here on')),
said AS (
  SELECT e.value ->> 'frame' AS frame, 0 AS rank, n.id,
         'fabscope finding ' || n.id || ' (' || n.severity ||
         ifnull(', ' || round(n.confidence * 100) || ' %', '') || '): ' ||
         n.title AS line
    FROM finding n, json_each(n.evidence, '$.frames') e
   UNION ALL
  SELECT e.frame, 1, e.id,
         'fabscope: '
         || coalesce(printf(u.text, ifnull(' ' || uet_says(e.kind, e.value),
                                           '')), s.text, e.kind) || '.'
         || ifnull(' Why: ' || reason(e.detail) || '.', '')
         || iif(e.confidence < 0.995,
                ' ' || human_share(e.confidence) || ' confidence.', '')
    FROM event e /*scan*/
    LEFT JOIN sentence s ON s.kind = e.kind
    LEFT JOIN flow f ON f.id = e.flow_id
    LEFT JOIN uet u ON u.kind = e.kind AND f.transport LIKE 'UET-%'
)
SELECT frame, group_concat(line, char(10)) AS comment
  FROM (SELECT * FROM said WHERE frame > 0 ORDER BY frame, rank, id)
 GROUP BY frame
 ORDER BY frame

-- Which queue pairs were ended by the receiver's refusal?
--
-- into temp.occurrence
SELECT 'nak_fatal' AS kind, f.id AS flow_id, f.tap_id, f.src, f.dst,
       f.nak_fatal AS occurrences, e.ns AS first_ns,
       max(f.last_ns, ifnull(e.ns, f.last_ns)) AS last_ns,
       e.frame, e.id AS event_id, ifnull(e.confidence, 0.99) AS confidence
  FROM flow f
  LEFT JOIN event e ON e.id =
       (SELECT id FROM event WHERE flow_id = f.id AND kind = 'nak_fatal'
         ORDER BY ns LIMIT 1)
 WHERE f.impaired = 1 AND f.nak_fatal > 0

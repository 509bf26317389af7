-- Which packets were trimmed, one by one?
-- What was already trimmed at this capture point and refused for it is one row, that
-- of the trimmed packet.
--
-- column ns time  when
-- column tap_id id  tap.id
-- column flow_id id  flow.id
-- column frame id  frame number in the file of the tap
-- column psn id  PSN
-- column count count  packets
-- column here flag  1: seen trimmed at this capture point; 0: reported by its receiver
-- column cut_bytes bytes  bytes cut off, by its length fields; NULL not known
-- column code hex  NACK code that refused it; NULL none was seen
--
-- example fabscope query DB trim-events
SELECT ns, tap_id, flow_id, frame, psn, count, here,
       iif(here, value, NULL) AS cut_bytes,
       CASE WHEN NOT here THEN value WHEN here_next = 0 THEN next END AS code
  FROM (SELECT ns, tap_id, flow_id, frame, psn, count, value,
               detail LIKE 'U5%' AS here,
               ifnull(lag(detail LIKE 'U5%') OVER same, 0) AS here_before,
               lead(detail LIKE 'U5%') OVER same AS here_next,
               lead(value) OVER same AS next
          FROM event
         WHERE kind = 'trimmed'
        WINDOW same AS (PARTITION BY flow_id, psn ORDER BY ns, id))
 WHERE here OR NOT here_before
 ORDER BY ns, tap_id, frame

-- Were there frames that stop senders (PFC, pause)?
-- Only counted here: how long they stopped whom is another question.
SELECT 'info' AS severity, 0.99 AS confidence,
       plural(sum(packets_pfc + packets_pause), 'pause frame')
         || ' (PFC or 802.3x) at '
         || CASE count(*) WHEN 1 THEN 'tap ' || ifnull(max(name), max(id))
                          ELSE plural(count(*), 'tap') END AS title,
       human_count(sum(packets_pfc)) || ' of single priorities (PFC), '
         || human_count(sum(packets_pause)) || ' of the whole link (802.3x). '
         || 'How long they held senders up is not judged here.' AS detail,
       NULL AS action,
       CASE WHEN min(id) = max(id) THEN max(id) END AS tap_id,
       min(first_ns) AS first_ns, max(last_ns) AS last_ns,
       json_object('numbers',
                   json_object('pfc', sum(packets_pfc),
                               'pause', sum(packets_pause)),
                   'query', 'fabscope query DB taps') AS evidence
  FROM tap
 WHERE packets_pfc > 0 OR packets_pause > 0
HAVING count(*) > 0

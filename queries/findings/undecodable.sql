-- Were there packets that could not be decoded?
SELECT 'info' AS severity, 0.99 AS confidence,
       plural(sum(ifnull(malformed, 0) + ifnull(unknown_opcodes, 0)
                  + ifnull(fragments, 0) + ifnull(truncated, 0)), 'packet')
         || ' not decoded' AS title,
       human_count(sum(malformed)) || ' contradict themselves, '
         || human_count(sum(unknown_opcodes)) || ' have an unknown opcode, '
         || human_count(sum(truncated)) || ' are cut inside their headers, '
         || human_count(sum(fragments)) || ' are IP fragments. They take no '
         || 'part in any verdict.' AS detail,
       NULL AS action,
       CASE WHEN min(id) = max(id) THEN max(id) END AS tap_id,
       json_object('numbers',
                   json_object('malformed', sum(malformed),
                               'unknown_opcodes', sum(unknown_opcodes),
                               'truncated', sum(truncated),
                               'fragments', sum(fragments)),
                   'query', 'fabscope query DB capture-quality') AS evidence
  FROM tap
 WHERE malformed > 0 OR unknown_opcodes > 0 OR truncated > 0
HAVING count(*) > 0

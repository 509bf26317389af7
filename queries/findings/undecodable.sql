-- Were there packets that could not be decoded?
SELECT 'info' AS severity, 0.99 AS confidence,
       plural(sum(ifnull(malformed, 0) + ifnull(unknown_opcodes, 0)
                  + ifnull(fragments, 0) + ifnull(truncated, 0)), 'packet')
         || ' not decoded' AS title,
       'Reasons: '
         || ltrim(iif(sum(malformed) > 0,
                      ', malformed ' || human_count(sum(malformed)), '')
                  || iif(sum(unknown_opcodes) > 0, ', unknown opcode '
                         || human_count(sum(unknown_opcodes)), '')
                  || iif(sum(truncated) > 0, ', truncated inside the headers '
                         || human_count(sum(truncated)), '')
                  || iif(sum(fragments) > 0, ', IP fragments '
                         || human_count(sum(fragments)), ''), ', ')
         || '. They take no part in any verdict.' AS detail,
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

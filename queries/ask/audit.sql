-- Are ECN and PFC thresholds and traffic classes configured correctly?
-- By configuration where it was given (analyze --evidence, import), by packets
-- else.
--
-- param verdict word NULL  ok wrong note unknown
-- param what word NULL  one of the checks
-- param limit count 1000  at most so many
-- column what word  the check
-- column verdict word  ok; wrong; note: worth knowing; unknown
-- column basis word  configuration, packets, or both
-- column device text  whose
-- column ports count  so many ports alike
-- column text text  what was found, with the figures
-- column action text  what to do
--
-- example fabscope query DB audit --param verdict=wrong
SELECT what, verdict, basis, device, ports, text, action
  FROM audit /*scan*/
 WHERE (:verdict IS NULL OR verdict = :verdict)
   AND (:what IS NULL OR what = :what)
 ORDER BY CASE verdict WHEN 'wrong' THEN 0 WHEN 'note' THEN 1
                       WHEN 'unknown' THEN 2 ELSE 3 END, what, device, id
 LIMIT :limit

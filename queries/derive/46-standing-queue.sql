-- A way that takes data far longer than its ACKs back is a queue, if most data waits
-- there still longer, and times are of one clock: of several it may be their error.
-- needs phase_share
UPDATE phase_share
   SET class = 'unknown', side = 'unknown'
 WHERE measured = 'delay of data against ACKs' AND class = 'queueing'
   AND EXISTS (SELECT 1 FROM clock
                WHERE method NOT IN ('reference', 'file', 'none'));

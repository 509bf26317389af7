-- Is what was found a reason for a pipeline to stop?
-- What analyze --fail-on asks.
-- column critical flag  a finding is critical
-- column warning flag  a finding is critical or a warning
-- column network flag  the answer for the capture says network or both
SELECT EXISTS (SELECT 1 FROM finding /*scan*/
                WHERE severity = 'critical') AS critical,
       EXISTS (SELECT 1 FROM finding /*scan*/
                WHERE severity IN ('critical', 'warning')) AS warning,
       EXISTS (SELECT 1 FROM answer /*scan*/
                WHERE scope = 'capture'
                  AND verdict IN ('network', 'both')) AS network

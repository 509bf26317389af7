-- A KPI has a value and a confidence, or says what would be needed.
UPDATE kpi SET missing = NULL, confidence = round(confidence, 3)
 WHERE value IS NOT NULL;
UPDATE kpi SET confidence = NULL, note = NULL, samples = NULL
 WHERE value IS NULL;

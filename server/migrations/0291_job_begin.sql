-- Replaced by the one that begins many.
drop function job_begin(text, text, jsonb, uuid, uuid);

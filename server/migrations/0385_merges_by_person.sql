-- The journey of a lead says when its person was merged with another, and also when that was undone.
create index person_merge_absorbed on person_merge (root_id, person_id);
create index person_merge_into on person_merge (root_id, into_id);

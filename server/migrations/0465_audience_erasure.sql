-- Members of audiences are found by who they are when a person asks to be deleted.
create index audience_member_by_value on audience_member (root_id, kind, value);
create index audience_member_by_person on audience_member (root_id, person_id) where person_id is not null;

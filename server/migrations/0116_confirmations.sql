-- When somebody last proved who they are in a session, after its login.
alter table session add column confirmed_at timestamptz;

-- How far the building of an audience is: one that is cut off goes on from there, and none is queued twice.
alter table audience
  add column queued_at timestamptz, -- Since when a ready audience waits to be built again, or is.
  add column begun_at timestamptz, -- When the building under way began.
  add column checked_to bigint; -- The last member that it compared; null until it knows who lives at postal addresses.
-- Who lives at the postal address, as of the last time the graph was read for the whole audience.
alter table audience_member add column residents uuid[];

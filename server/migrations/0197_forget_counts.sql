-- Old keyword counts of a client are forgotten when it asks for more than it can keep.
grant delete on intent_count to lead_app;

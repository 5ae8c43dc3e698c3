-- A count keeps what it asks of leads under the names of the campaign's own columns.
update intent_count set rules = jsonb_build_object(
    'email_required', coalesce((rules->>'email')::boolean, true),
    'phone_required', coalesce((rules->>'phone')::boolean, false),
    'address_required', coalesce((rules->>'address')::boolean, false),
    'min_confidence', coalesce((rules->>'confidence')::int, 50))
  where rules is not null;

-- What a lead costs a client, by the data that its campaign asks for (docs/decisions/0075-enhance-and-b2b.md): with company
-- data the price for that, else with personal data the price for that, and where none is set the plain one.
create function lead_price(plain bigint, advanced bigint, b2b bigint, asks_advanced smallint[], asks_b2b smallint[]) returns bigint
language sql immutable parallel safe as $$
  select case
    when cardinality(asks_b2b) > 0 and b2b > 0 then b2b
    when cardinality(asks_b2b) = 0 and cardinality(asks_advanced) > 0 and advanced > 0 then advanced
    else plain
  end
$$;

-- What a lead must have, of a count that is asked for before its campaign is there; null: what a new campaign asks.
alter table intent_count add column rules jsonb;

-- What an outside platform (Simpli.fi) was last told of a campaign, in what the client pays, and since which day. Null: never.
alter table ad_campaign
  add column told_on             date,
  add column told_daily_micros   bigint,
  add column told_monthly_micros bigint,
  add column told_total_micros   bigint, -- Null: no limit.
  add column told_markup_bp      integer,
  add column told_share_bp       integer,
  -- What it spent before a budget was lowered is reported later, and charged all the same.
  drop constraint ad_campaign_check3,
  add constraint ad_campaign_check3
    check (platform = 'simplifi' or total_micros is null or held_micros + spent_micros <= total_micros);

-- What it was told before, by day: the most that it could spend, and the least that was added. Null: nothing else that day.
alter table ad_day
  add column told_daily_micros   bigint,
  add column told_monthly_micros bigint,
  add column told_total_micros   bigint, -- Null: no limit.
  add column told_markup_bp      integer,
  add column told_share_bp       integer;

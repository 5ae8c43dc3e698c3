-- What Simpli.fi was told of campaigns before it was kept: the budgets that they have now, on all days that it may still report.
update ad_campaign a set told_on = (now() - interval '5 days')::date, told_daily_micros = daily_micros,
  told_monthly_micros = monthly_micros, told_total_micros = total_micros, told_markup_bp = markup_bp,
  told_share_bp = coalesce((select share_bp from ad_terms t where t.root_id = a.root_id), 0)
where platform = 'simplifi' and external_id is not null;

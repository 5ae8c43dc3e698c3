-- What Simpli.fi was told of campaigns before it was kept: the budgets that they have now, on the days that it may still report.
update ad_campaign a set told_on = greatest(a.created_at::date, (now() - interval '5 days')::date), told_daily_micros = daily_micros,
  told_monthly_micros = monthly_micros, told_total_micros = total_micros, told_markup_bp = markup_bp,
  told_share_bp = coalesce((select share_bp from ad_terms t where t.root_id = a.root_id), 0)
from campaign c
where c.id = a.campaign_id and a.platform = 'simplifi' and (a.external_id is not null or a.ran_until is not null)
  and (c.state = 'active' or c.state <> 'removed' and coalesce(a.ran_until, c.updated_at) > now() - interval '4 days');

-- What reports contain, and reports as leads come in and at the end of an hour: those have no time until a lead has come.
alter table campaign_report
  add column report_type text not null default 'CSV' check (report_type in ('link', 'details', 'CSV')),
  drop constraint campaign_report_report_every_check,
  add constraint campaign_report_report_every_check check (report_every in ('lead', 'hour', 'day', 'week', 'month')),
  drop constraint campaign_report_check1,
  add constraint campaign_report_due_check check (
    case when report_every is null then due_at is null else due_at is not null or report_every in ('lead', 'hour') end);

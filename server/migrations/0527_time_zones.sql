-- A zone that is none made every query and calendar with it fail, for all companies that were worked on together. Nobody
-- can enter one, but an archive that is imported has whatever someone wrote into it. Words with digits are left out: the
-- database takes 'Nowhere5' for a zone, and calendars do not.
do $$
declare
  zone text;
begin
  for zone in select distinct time_zone from company loop
    begin
      if zone !~ '^([A-Za-z]+(/[A-Za-z_-]+){1,2}|Etc/GMT([+-][0-9]|[+]1[0-2]|-1[0-4])|UTC|GMT)$' then
        raise invalid_parameter_value;
      end if;
      perform timezone(zone, timestamptz 'epoch');
    exception when invalid_parameter_value then
      update company set time_zone = default where time_zone = zone;
    end;
  end loop;
end
$$;
alter table company add constraint company_time_zone check (
  time_zone ~ '^([A-Za-z]+(/[A-Za-z_-]+){1,2}|Etc/GMT([+-][0-9]|[+]1[0-2]|-1[0-4])|UTC|GMT)$' and timezone(time_zone, timestamptz 'epoch') is not null);

-- A zone that is none made every query and calendar with it fail, for all companies that were worked on together. Nobody
-- can enter one, but an archive that is imported has whatever someone wrote into it. Such a company gets the default. Words
-- with digits are left out: the database takes 'Nowhere5' for a zone, and calendars do not.
create function company_zone() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  begin
    if new.time_zone !~ '^([A-Za-z]+(/[A-Za-z_-]+){1,2}|Etc/GMT([+-][0-9]|[+]1[0-2]|-1[0-4])|UTC|GMT)$' then
      raise invalid_parameter_value;
    end if;
    perform timezone(new.time_zone, timestamptz 'epoch');
  exception when invalid_parameter_value then
    new.time_zone := 'America/Chicago';
  end;
  return new;
end
$$;
revoke execute on function company_zone() from public;
create trigger company_zone before insert or update of time_zone on company for each row execute function company_zone();
update company set time_zone = time_zone where time_zone not in (select name from pg_timezone_names);

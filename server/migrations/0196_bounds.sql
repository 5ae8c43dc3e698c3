-- How many exclusion lists a company and its campaigns have is asked before another is added.
create index exclusion_list_of_company on exclusion_list (company_id) where state in ('queued', 'loading', 'active');

-- The county of a lead's person, as an import has it (contract/audience/person-texts.ts). Empty for earlier leads.
alter table lead_contact add county text;

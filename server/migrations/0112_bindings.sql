-- What visits taught about browsers and addresses is known per client from now on. What they taught before does not say on whose
-- site, so it is forgotten: people are recognized again when they next sign up.
delete from identity_key where source = 'visit' and kind in (4, 7);

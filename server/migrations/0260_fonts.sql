-- Every offered font is served by the product: what a device brings along is no choice any more, and who chose it gets
-- the product's own.
update brand set font_theme = 'inter' where font_theme = 'system';

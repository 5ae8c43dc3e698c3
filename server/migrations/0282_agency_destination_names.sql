-- A client is not told which account its agency delivers through: such a destination has the name of its service alone.
update integration i set name = split_part(i.name, ' · ', 1)
from connection c where c.id = i.connection_id and c.company_id <> i.company_id;

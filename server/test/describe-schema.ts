import type pg from 'pg';

/** Objects that belong to an extension are its own business. */
const ours = (catalog: string, oid: string): string =>
  `not exists (select from pg_depend d where d.classid = '${catalog}'::regclass and d.objid = ${oid} and d.deptype = 'e')`;

/** Who has which privilege, with the defaults of PostgreSQL spelled out. */
const rights = (kind: string, acl: string, owner: string): string => `coalesce((
  select string_agg(format('%s %s%s', case grantee when 0 then 'public' else grantee::regrole::text end, privilege_type,
                           case when is_grantable then '*' else '' end), ', ' order by grantee::regrole::text, privilege_type)
  from aclexplode(coalesce(${acl}, acldefault('${kind}', ${owner})))), 'none')`;

/** Tables and what is kept like them. Partitions come and go with the data, so they are not part of the schema. */
const relations = `pg_class c where c.relnamespace = 'public'::regnamespace and not c.relispartition and ${ours('pg_class', 'c.oid')}`;
const tables = `(select c.* from ${relations} and c.relkind in ('r', 'p', 'v', 'm'))`;

/** Queries of one text column each: every line is one fact about one object. */
const FACTS = [
  `select format('relation %s: kind %s, owner %s, persistence %s, row security %s forced %s, options %s, partitioned by %s, rights %s',
     c.relname, c.relkind, c.relowner::regrole, c.relpersistence, c.relrowsecurity, c.relforcerowsecurity,
     c.reloptions, pg_get_partkeydef(c.oid), ${rights('r', 'c.relacl', 'c.relowner')})
   from ${tables} c`,
  `select format('view %s: %s', c.relname, pg_get_viewdef(c.oid)) from ${relations} and c.relkind in ('v', 'm')`,
  `select format('column %s.%s %s: type %s, not null %s, default %s, identity %s, generated %s, collation %s, storage %s, compression %s, rights %s',
     c.relname, row_number() over (partition by c.oid order by a.attnum), a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
     pg_get_expr(d.adbin, d.adrelid), a.attidentity, a.attgenerated, a.attcollation::regcollation, a.attstorage, a.attcompression,
     a.attacl)
   from ${tables} c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
   left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum`,
  `select format('constraint %s on %s: %s, valid %s', o.conname, c.relname, pg_get_constraintdef(o.oid), o.convalidated)
   from ${tables} c join pg_constraint o on o.conrelid = c.oid`,
  `select format('index: %s, valid %s, options %s', pg_get_indexdef(c.oid), i.indisvalid, c.reloptions)
   from pg_index i join pg_class c on c.oid = i.indexrelid join ${tables} t on t.oid = i.indrelid`,
  `select format('policy %s on %s: for %s, permissive %s, to %s, using %s, with check %s', p.polname, c.relname, p.polcmd, p.polpermissive,
     p.polroles::regrole[], pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid))
   from pg_policy p join ${tables} c on c.oid = p.polrelid`,
  `select format('trigger: %s, enabled %s', pg_get_triggerdef(t.oid), t.tgenabled)
   from pg_trigger t join ${tables} c on c.oid = t.tgrelid where not t.tgisinternal`,
  `select format('rule: %s', pg_get_ruledef(r.oid)) from pg_rewrite r join ${tables} c on c.oid = r.ev_class where c.relkind <> 'v'`,
  `select format('statistics: %s', pg_get_statisticsobjdef(s.oid)) from pg_statistic_ext s where s.stxnamespace = 'public'::regnamespace`,
  `select format('sequence %s: %s from %s by %s in %s to %s, cycle %s, owner %s, of %s, rights %s', c.relname, s.seqtypid::regtype,
     s.seqstart, s.seqincrement, s.seqmin, s.seqmax, s.seqcycle, c.relowner::regrole,
     (select format('%s.%s', d.refobjid::regclass, a.attname) from pg_depend d
      join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
      where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'i')),
     ${rights('s', 'c.relacl', 'c.relowner')})
   from ${relations.replace('pg_class c', 'pg_class c join pg_sequence s on s.seqrelid = c.oid')}`,
  `select format('function: %s owner %s, rights %s', pg_get_functiondef(p.oid), p.proowner::regrole, ${rights('f', 'p.proacl', 'p.proowner')})
   from pg_proc p where p.pronamespace = 'public'::regnamespace and p.prokind <> 'a' and ${ours('pg_proc', 'p.oid')}`,
  `select format('type %s: %s', t.typname, t.typtype) from pg_type t
   where t.typnamespace = 'public'::regnamespace and t.typrelid = 0 and t.typelem = 0 and ${ours('pg_type', 't.oid')}`,
  `select format('extension %s in %s', e.extname, e.extnamespace::regnamespace) from pg_extension e where e.extname <> 'plpgsql'`,
  `select format('schema %s: owner %s, rights %s', n.nspname, n.nspowner::regrole, ${rights('n', 'n.nspacl', 'n.nspowner')})
   from pg_namespace n where n.nspname = 'public'`,
  `select format('default rights of %s on %s: %s', d.defaclrole::regrole, d.defaclobjtype, d.defaclacl) from pg_default_acl d`,
  `select format('comment on %s: %s', pg_describe_object(d.classoid, d.objoid, d.objsubid), d.description) from pg_description d
   where d.classoid in ('pg_class'::regclass, 'pg_constraint'::regclass, 'pg_policy'::regclass, 'pg_trigger'::regclass)
     and d.objoid >= 16384`,
];

/**
 * Returns everything that the schema `public` of a database consists of, a fact a line, in a fixed order: two databases
 * with the same answer behave the same. Columns are numbered by their order, without the gaps of dropped ones.
 */
export async function describeSchema(client: pg.Client): Promise<string[]> {
  const facts: string[] = [];
  for (const query of FACTS) {
    const { rows } = await client.query({ text: query, rowMode: 'array' });
    facts.push(...rows.map(([fact]) => String(fact)));
  }
  return facts.sort();
}

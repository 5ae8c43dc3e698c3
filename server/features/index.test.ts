import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FEATURES } from './index.ts';

const here = import.meta.dirname;
/** Tables of the platform itself, which belong to no feature. */
const PLATFORM = ['attempt', 'demo', 'job_run', 'mail', 'migration'];
const schema = readFileSync(join(here, '../platform/db/schema.ts'), 'utf8');
const tables = [...schema.slice(schema.indexOf('export interface Schema')).matchAll(/^ {2}(\w+):/gm)].map(
  ([, name]) => name!,
);
const rooms = globSync('*/*/', { cwd: here }).map((room) => room.replace(/\/$/, ''));

/** The tables that the stores of a room write and read, by their statements. */
function used(room: string): { writes: Set<string>; reads: Set<string> } {
  const writes = new Set<string>();
  const reads = new Set<string>();
  for (const file of globSync('*store.ts', { cwd: join(here, room) })) {
    const text = readFileSync(join(here, room, file), 'utf8').replace(/^\s*(\*|\/\/).*$/gm, '');
    const collect = (into: Set<string>, pattern: RegExp): void => {
      for (const [, name] of text.matchAll(pattern)) if (tables.includes(name!)) into.add(name!);
    };
    collect(writes, /(?:insertInto|updateTable|deleteFrom)\(\s*'(\w+)/g);
    collect(writes, /\b(?:insert into|update|delete from) (?:only )?(\w+)/g);
    collect(reads, /(?:selectFrom|innerJoin|leftJoin|from|using)\(\s*\[?'(\w+)/g);
    collect(reads, /\b(?:from|join|using) (?:only )?(?:lateral )?(\w+)\b(?! ?\()/g);
  }
  return { writes, reads };
}

test('every room is a feature of the list, under its own name', () => {
  expect(FEATURES.map(({ name }) => name).sort()).toEqual(rooms.sort());
});

test('every table belongs to one feature or to the platform', () => {
  const owned = FEATURES.flatMap((one) => one.tables as readonly string[]);
  expect([...owned, ...PLATFORM].sort()).toEqual([...tables].sort());
});

test.each(FEATURES.map((one) => [one.name, one] as const))(
  '%s writes its own tables only, and names the others that it reads',
  (name, { tables: own, reads, ...more }) => {
    const { writes = [] } = more as { writes?: readonly string[] };
    const found = used(name);
    const mine = new Set<string>(own);
    expect([...found.writes].filter((one) => !mine.has(one)).sort()).toEqual([...writes].sort());
    expect([...found.reads].filter((one) => !mine.has(one) && !PLATFORM.includes(one)).sort()).toEqual(
      [...reads].sort(),
    );
  },
);

test.each([...new Set(rooms.map((room) => room.split('/')[0]!))])(
  'docs/features/%s.md names its features and their tables, and its links lead somewhere',
  (area) => {
    const docs = join(here, '../../docs/features');
    const page = readFileSync(join(docs, `${area}.md`), 'utf8');
    const words = new Set(page.match(/[\w-]+/g));
    const named = FEATURES.filter(({ name }) => name.startsWith(`${area}/`)).flatMap(
      ({ name, tables: own }) => [name.split('/')[1]!, ...(own as readonly string[])],
    );
    expect(named.filter((name) => !words.has(name))).toEqual([]);
    const links = [...page.matchAll(/\]\(([^)#]+)/g)].map(([, link]) => link!);
    expect(links.filter((link) => !existsSync(join(docs, link)))).toEqual([]);
  },
);

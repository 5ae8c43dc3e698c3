/**
 * Tells migrations that only add (expand) from those that take something away or demand something new (contract): while
 * two versions run side by side, the older one works with the first kind only (docs/operations.md, Upgrade).
 */

/** The first line of a contract: the release from which on nothing uses what it takes away. */
const MARK = /^-- contract: unused since (\d+)\.(\d+)\.(\d+)$/m;

const FORBIDDEN: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/\bdrop (?:table|view|column|function|procedure|type|schema)\b/, 'drops something'],
  [/\brename\b/, 'renames something'],
  [/\balter (?:column )?\w+ (?:set data )?type\b/, 'changes a type'],
  [/\bset not null\b/, 'requires a value'],
  [/\bdrop default\b/, 'drops a default'],
];
/**
 * What one part of an `alter table` demands of what is there, or of who writes it; undefined: nothing. One that replaces a
 * dropped constraint of its name demands nothing: it allows a choice more.
 */
function demandOf(part: string, dropped: ReadonlySet<string>): string | undefined {
  const named = /\badd constraint (\w+)/.exec(part)?.[1];
  if (named) return dropped.has(named) ? undefined : 'adds a constraint';
  if (/\badd (?:check|unique|primary key|foreign key|exclude)\b/.test(part)) return 'adds a constraint';
  const isRequired = /\bnot null\b/.test(part) && !/\b(?:default|generated)\b/.test(part);
  return /\badd \w/.test(part) && isRequired ? 'adds a column that must be given' : undefined;
}

/** A statement in one line and in lowercase, without comments, texts, and bodies of functions. */
function statementsIn(text: string): string[] {
  return text
    .replace(/--.*$/gm, '')
    .split('$$')
    .filter((_, at) => at % 2 === 0)
    .join("''")
    .replace(/'(?:[^']|'')*'/g, "''")
    .toLowerCase()
    .split(';')
    .map((one) => one.replace(/\s+/g, ' ').trim())
    .filter(Boolean);
}

/** The parts of an `alter table`, which commas outside of parentheses separate. */
function partsOf(statement: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const char of statement) {
    if (char === '(') depth++;
    if (char === ')') depth--;
    if (char === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += char;
  }
  return parts.map((one) => one.trim());
}

/** What a migration does that the version before it may not survive, in words; empty: it only adds. */
export function contractsIn(text: string): string[] {
  const statements = statementsIn(text);
  const created = new Set(
    statements.flatMap((one) => /^create (?:unlogged )?table (?:if not exists )?(\w+)/.exec(one)?.[1] ?? []),
  );
  const dropped = new Set(
    statements.flatMap((one) =>
      [...one.matchAll(/\bdrop constraint (?:if exists )?(\w+)/g)].map(([, name]) => name!),
    ),
  );
  return statements.flatMap((statement) => {
    const table = /^(?:alter table (?:only )?|create unique index \w+ on )(\w+)/.exec(statement)?.[1];
    const found = FORBIDDEN.filter(([pattern]) => pattern.test(statement)).map(([, words]) => words);
    if (table && !created.has(table)) {
      if (statement.startsWith('create unique')) found.push('adds a constraint');
      found.push(...partsOf(statement).flatMap((part) => demandOf(part, dropped) ?? []));
    }
    return found.map((words) => `${words}: ${statement.slice(0, 100)}`);
  });
}

/** The release that a migration's mark names, as numbers; null: it has no mark, so it is not a contract. */
export function unusedSince(text: string): [major: number, minor: number, patch: number] | null {
  const found = MARK.exec(text);
  return found && [Number(found[1]), Number(found[2]), Number(found[3])];
}

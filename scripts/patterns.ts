// npm run check -- patterns: checks every regular expression of the product for inputs on which it takes more than
// linear time. Untrusted text must not be able to block the process. Each is judged once, since that takes minutes for
// all: scripts/patterns-judged.json, which is committed, says which were. Delete it to judge them all again.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { root } from './setup.mjs';

process.env.RECHECK_SYNC_BACKEND = 'pure';
const { checkSync } = await import('recheck');

/** What the product did not write, or writes itself. Every other folder is checked, new ones included. */
const NOT_OURS = new Set(['node_modules', 'dist', 'reports', 'data', 'screens', 'coverage', 'tmp']);
const FOLDERS = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && !NOT_OURS.has(entry.name))
  .map((entry) => entry.name);
const ALLOWED = join(root, 'scripts/patterns-allowed.json');
const JUDGED = join(root, 'scripts/patterns-judged.json');
/** Far more than any pattern of the product takes, on a busy machine as well: one not judged by then has to be simplified. */
const TIME_MS = 300_000;

/** Where a pattern is found and in what form: its text with its flags, or the expression that builds it. */
interface Found {
  pattern: string;
  flags: string;
  places: string[];
  /** Built from more than constant text, so it cannot be judged here. */
  isMade: boolean;
}

/** The regular expressions of a source: literals, and arguments of RegExp. */
function patternsOf(file: string, text: string): Omit<Found, 'places'>[] {
  const found: Omit<Found, 'places'>[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      found.push({ pattern: node.text.slice(1, end), flags: node.text.slice(end + 1), isMade: false });
    }
    if (
      (ts.isNewExpression(node) || ts.isCallExpression(node)) &&
      ts.isIdentifier(node.expression) &&
      node.expression.text === 'RegExp'
    ) {
      const [pattern, flags] = node.arguments ?? [];
      const isConstant = (part: ts.Node | undefined): part is ts.StringLiteralLike =>
        part !== undefined && ts.isStringLiteralLike(part);
      if (isConstant(pattern) && (!flags || isConstant(flags)))
        found.push({ pattern: pattern.text, flags: flags?.text ?? '', isMade: false });
      else found.push({ pattern: node.getText(), flags: '', isMade: true });
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return found;
}

/** Why a pattern may take more than linear time, with an input that shows it; null if it cannot. */
function fault(pattern: string, flags: string): string | null {
  // Exact and deterministic, but it does not support lookaround and backreferences.
  const verdict = checkSync(pattern, flags, { checker: 'automaton', timeout: TIME_MS });
  if (verdict.status === 'safe') return null;
  if (verdict.status === 'unknown') return `cannot be judged (${verdict.error.kind}): make it simpler`;
  return `is ${verdict.complexity.type === 'exponential' ? 'exponential' : `polynomial of degree ${verdict.complexity.degree}`}, for example on ${verdict.attack.pattern.slice(0, 200)}`;
}

const found = new Map<string, Found>();
for (const folder of FOLDERS) {
  for await (const file of glob(`${folder}/**/*.{ts,tsx,mjs,cjs,js}`, { cwd: root })) {
    // Tests never process untrusted text.
    if (/\.test\.tsx?$|^server\/test\//.test(file)) continue;
    for (const one of patternsOf(file, readFileSync(join(root, file), 'utf8'))) {
      const key = one.isMade ? one.pattern : `/${one.pattern}/${one.flags}`;
      const known = found.get(key);
      if (known) known.places.push(file);
      else found.set(key, { ...one, places: [file] });
    }
  }
}

/** How patterns are judged: what another version judged is judged again. */
const JUDGE = `recheck ${JSON.parse(readFileSync(join(root, 'node_modules/recheck/package.json'), 'utf8')).version}, automaton`;
/** What was judged before: the marks of those that are linear, and of those that are not, but are allowed. */
const before: { judge: string; linear: string[]; allowed: string[] } = existsSync(JUDGED)
  ? JSON.parse(readFileSync(JUDGED, 'utf8'))
  : { judge: '', linear: [], allowed: [] };
const isCurrent = before.judge === JUDGE;
const linear = new Set(isCurrent ? before.linear : []);
const notLinear = new Set(isCurrent ? before.allowed : []);
/** What identifies a pattern in the file: the beginning of a hash of its text and flags. */
const markOf = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 16);

const allowed = new Map<string, string>(
  (JSON.parse(readFileSync(ALLOWED, 'utf8')) as { pattern: string; why: string }[]).map((one) => [
    one.pattern,
    one.why,
  ]),
);
const problems: string[] = [];
const now = { judge: JUDGE, linear: [] as string[], allowed: [] as string[] };
for (const [key, { pattern, flags, places, isMade }] of found) {
  const mark = markOf(key);
  const why = isMade
    ? 'is made of more than constant text'
    : linear.has(mark)
      ? null
      : notLinear.has(mark)
        ? 'is not linear'
        : fault(pattern, flags);
  if (!why) now.linear.push(mark);
  else if (!isMade && allowed.has(key)) now.allowed.push(mark);
  if (why && !allowed.get(key)) problems.push(`${[...new Set(places)].join(', ')}\n  ${key}\n  ${why}`);
  if (!why && allowed.has(key))
    problems.push(`scripts/patterns-allowed.json\n  ${key}\n  is fine by itself; remove it there`);
}
for (const key of allowed.keys())
  if (!found.has(key))
    problems.push(`scripts/patterns-allowed.json\n  ${key}\n  stands nowhere any more; remove it there`);
for (const marks of [now.linear, now.allowed]) marks.sort();
const text = `${JSON.stringify(now, null, 2)}\n`;
if (!existsSync(JUDGED) || readFileSync(JUDGED, 'utf8') !== text) writeFileSync(JUDGED, text);

console.log(`${found.size} patterns`);
if (problems.length > 0) {
  console.log(
    `${problems.join('\n\n')}\n\nRewrite these so that they read their input once, or name them in scripts/patterns-allowed.json with the bound that holds before them.`,
  );
  process.exit(1);
}

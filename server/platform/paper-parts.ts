import { setImmediate } from 'node:timers/promises';
import { usd } from '../../contract/primitives.ts';
import type { Paper } from './paper.ts';

/** The issuer's name (or logo), the kind of document, and its details on the right. */
export function head(
  paper: Paper,
  kind: string,
  issuer: string,
  facts: [string, string][],
  stamp: { word: string; color: string } | null,
) {
  const half = paper.width / 2 - 12;
  const top = paper.y;
  let under = top + (paper.logo(160, 48) ? 60 : 0);
  if (under === top)
    under += paper.block(issuer, paper.left, top, half, { size: 15, bold: true, color: paper.accent }) + 8;
  let at = top;
  paper.put(kind, paper.right, at, { size: 20, bold: true, color: paper.accent, right: true });
  at += 32;
  for (const [name, value] of facts) {
    const size = { size: 9 };
    const words = paper.lines(value, half - 80, size);
    paper.put(name, paper.right - half, at, { ...size, color: paper.gray });
    for (const line of words) {
      paper.put(line, paper.right, at, { ...size, right: true });
      at += 14;
    }
  }
  if (stamp) {
    paper.stamp(stamp.word, at + 4, stamp.color);
    at += 34;
  }
  paper.y = Math.max(under, at) + 10;
  paper.rule(paper.accent, 1.5);
  paper.y += 16;
}

/** The color of what something is compared with. */
const PALE = '#b9bfc9';

interface Cell {
  title: string;
  /**
   * Right-aligned at this many points from the right margin; if absent, the column takes the remaining width on the
   * left.
   */
  at?: number;
}

/** How many rows are drawn before yielding: each takes milliseconds, and a month can have a thousand. */
const ROWS_AT_ONCE = 5;

/** Draws a table whose header is repeated on each page it continues on, yielding to other work in between. */
export async function table(paper: Paper, cells: Cell[], rows: { cells: string[]; note?: string }[]) {
  const wide = paper.width - Math.max(...cells.map(({ at = 0 }) => at)) - 92;
  const header = (): void => {
    for (const { title, at } of cells) {
      const look = { size: 8, bold: true, color: paper.gray, right: at !== undefined };
      paper.put(title, at === undefined ? paper.left : paper.right - at, paper.y, look);
    }
    paper.y += 16;
    paper.rule();
    paper.y += 6;
  };
  paper.room(60);
  header();
  for (const [drawn, row] of rows.entries()) {
    if (drawn % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) await setImmediate();
    const words = paper.lines(row.cells[0] ?? '', wide);
    const notes = row.note ? paper.lines(row.note, wide, { size: 8 }) : [];
    const height = Math.max(words.length, 1) * 13 + notes.length * 11.5 + 7;
    if (paper.room(height)) header();
    for (const [at, line] of words.entries()) paper.put(line, paper.left, paper.y + at * 13);
    for (const [at, line] of notes.entries())
      paper.put(line, paper.left, paper.y + words.length * 13 + at * 11.5, { size: 8, color: paper.gray });
    for (const [at, cell] of cells.entries())
      if (cell.at !== undefined)
        paper.put(row.cells[at] ?? '', paper.right - cell.at, paper.y, { right: true });
    paper.y += height - 5;
    paper.rule();
    paper.y += 6;
  }
}

/** Totals on the right, the last one in bold; kept together on one page. */
export function sums(paper: Paper, rows: [string, number][]) {
  paper.room(rows.length * 17 + 12);
  paper.y += 4;
  for (const [at, [name, micros]] of rows.entries()) {
    const bold = at === rows.length - 1;
    const size = bold ? 11 : 9;
    const [label = ''] = paper.lines(name, 200, { size, bold });
    paper.put(label, paper.right - 110, paper.y, { size, bold, right: true });
    paper.put(usd(micros), paper.right, paper.y, { size, bold, right: true });
    paper.y += 17;
  }
  paper.y += 8;
}

/** The heading above a section. */
export function title(paper: Paper, words: string) {
  paper.room(70);
  paper.y += 8;
  paper.put(words, paper.left, paper.y, { size: 10.5, bold: true });
  paper.y += 22;
}

/** The width of a bar's label and of its amount. */
const LABEL = 140;
const AMOUNT = 90;
/** From more bars on, they stand closer, so that the days of a month fit on a page. */
const MANY_BARS = 13;

/** Amounts as bars, each above the one that it is compared with. `legend`: what both are called; null if there is one. */
export function bars(
  paper: Paper,
  rows: { name: string; now: number; before: number | null }[],
  legend: [string, string] | null,
) {
  const most = Math.max(1, ...rows.flatMap(({ now, before }) => [now, before ?? 0]));
  const from = paper.left + LABEL;
  const wide = paper.width - LABEL - AMOUNT;
  // Amounts below zero, as of a month with more refunds than sales, have no bar.
  const length = (micros: number): number => (Math.max(0, micros) / most) * wide;
  if (legend) {
    paper.room(20);
    let x = from;
    for (const [at, word] of legend.entries()) {
      paper.fill(x, paper.y + 2, 7, 7, at === 0 ? paper.accent : PALE);
      paper.put(word, x + 11, paper.y, { size: 8, color: paper.gray });
      x += 80;
    }
    paper.y += 18;
  }
  const step = rows.length > MANY_BARS ? 16 : 20;
  for (const { name, now, before } of rows) {
    paper.room(step + 2);
    const [label = ''] = paper.lines(name, LABEL - 10, { size: 8.5 });
    paper.put(label, paper.left, paper.y + 1, { size: 8.5 });
    paper.fill(from, paper.y, length(now), before === null ? 11 : 8, paper.accent);
    if (before !== null) paper.fill(from, paper.y + 9, length(before), 4, PALE);
    paper.put(usd(now), paper.right, paper.y + 1, { size: 8.5, right: true });
    paper.y += step;
  }
  paper.y += 6;
}

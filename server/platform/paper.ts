import PDFDocument from 'pdfkit';
import type { Ctx } from './ctx.ts';
import { baseFace, loadFaces, type Weight } from './paper-fonts.ts';
import { printable, runsOf } from './paper-runs.ts';
import { createTurns } from './turns.ts';

/** US Letter, in points. */
const SHEET = { width: 612, height: 792 };
const MARGIN = 48;
/** The height of the footer on each page. */
const FOOT = 36;
const INK = '#16181d';
const GREY = '#5b6270';
const RULE = '#d8dbe0';

/** The parts of a tenant's brand that a document shows. */
export interface PaperBrand {
  /** '#rrggbb'; anything else falls back to a neutral color. */
  accent: string | null;
  /** PNG or JPEG. */
  logo?: { bytes: Buffer } | undefined;
}

/** Signs a PDF in the name of a company that issued it to another. `title`: what it is, for whoever checks the file. */
export type SignPaper = (
  ctx: Ctx,
  paper: { issuerId: string; partyId: string; title: string; pdf: Buffer },
) => Promise<Buffer>;

export interface Write {
  size?: number;
  bold?: boolean;
  color?: string;
  /** Whether x is the right edge of the text. */
  right?: boolean;
  /** The address that the text opens. */
  link?: string;
}

const channel = (part: number): number => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);

/** The accent itself if it is readable on white (4.5:1), otherwise the nearest darker color. */
export function readable(accent: string | null): string {
  const hex = /^#([0-9a-f]{6})$/i.exec(accent ?? '')?.[1] ?? '1f2937';
  const given = [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  for (let share = 1; share > 0; share -= 0.04) {
    const parts = given.map((part) => Math.round(part * share));
    const [r, g, b] = parts.map((part) => channel(part / 255)) as [number, number, number];
    if (1.05 / (0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05) >= 4.5)
      return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
  }
  return '#000000';
}

/**
 * Documents are drawn in this thread: one with names in many scripts takes a second, and some dozens at once would keep
 * everyone else from their answers. Two are drawn at once, one for each company, each for a third of the time.
 */
export const inPaperTurn = createTurns({
  atOnce: 2,
  waiting: 40,
  waitingEach: 8,
  budgetMs: 20_000,
  windowMs: 60_000,
});

const graphemes = new Intl.Segmenter('en-US', { granularity: 'grapheme' });
/**
 * A tenant's document: US Letter pages with the tenant's own name in everything that a reader of the file may find, in
 * fonts for every script that people write names in. A character that none of them has becomes a box; no text can cause
 * a failure. The same input produces the same bytes: `at` is the file's date.
 * @param given.shows everything that the document may show, in any shape: the fonts that it needs are loaded first
 */
export async function openPaper(given: {
  title: string;
  from: string;
  at: Date;
  brand: PaperBrand;
  shows: unknown;
}) {
  const faces = await loadFaces(
    JSON.stringify([given.title, given.from, given.shows], (_, value: unknown) =>
      typeof value === 'bigint' ? 0 : value,
    ),
  );
  const named = (text: string): string => text.toWellFormed().replaceAll(/\p{C}/gu, ' ').trim();
  const from = named(given.from);
  const doc = new PDFDocument({
    size: 'LETTER',
    margin: 0,
    bufferPages: true,
    lang: 'en-US',
    displayTitle: true,
    font: baseFace('regular').font as never,
    info: {
      Title: named(given.title),
      Author: from,
      Creator: from,
      Producer: from,
      CreationDate: given.at,
      ModDate: given.at,
    },
  });
  const chunks: Buffer[] = [];
  doc.on('data', (chunk: Buffer) => chunks.push(chunk));
  const accent = readable(given.brand.accent);
  const right = SHEET.width - MARGIN;
  let y = MARGIN;

  const weightOf = ({ bold }: Write): Weight => (bold ? 'bold' : 'regular');
  const registered = new Set<string>();
  /** The pieces of a line from left to right, each with its font set and its width. */
  function* pieces(line: string, look: Write): Generator<{ text: string; width: number }> {
    for (const { text, face } of runsOf(line, faces, weightOf(look))) {
      if (!registered.has(face.name)) {
        registered.add(face.name);
        doc.registerFont(face.name, face.font as never);
      }
      doc.font(face.name, look.size ?? 9);
      yield { text, width: doc.widthOfString(text) };
    }
  }
  const widthOf = (text: string, look: Write): number =>
    [...pieces(text, look)].reduce((sum, { width }) => sum + width, 0);
  /** Breaks a text into lines no wider than this; words that are longer are broken. */
  function lines(text: string, width: number, look: Write = {}): string[] {
    const space = widthOf(' ', look);
    const done: string[] = [];
    let line: string[] = [];
    let used = 0;
    const end = (): void => {
      if (line.length > 0) done.push(line.join(' '));
      line = [];
    };
    const add = (word: string, wide: number): void => {
      used = line.length > 0 ? used + space + wide : wide;
      line.push(word);
    };
    for (const word of printable(text, faces, weightOf(look)).split(/\s+/).filter(Boolean)) {
      const wide = widthOf(word, look);
      if (line.length > 0 && used + space + wide > width) end();
      if (wide <= width) {
        add(word, wide);
        continue;
      }
      for (const { segment } of graphemes.segment(word)) {
        const more = widthOf(segment, look);
        if (line.length > 0 && used + more > width) end();
        used = line.length > 0 ? used + more : more;
        line = [(line[0] ?? '') + segment];
      }
    }
    end();
    return done;
  }
  /** Draws one line as is, at a given position. */
  function put(line: string, x: number, top: number, look: Write = {}): void {
    doc.fillColor(look.color ?? INK);
    let at = look.right ? x - widthOf(line, look) : x;
    // Fonts differ in how high they reach, and stand on one line.
    const { ascent, unitsPerEm } = baseFace(weightOf(look)).font;
    const foot = top + (ascent / unitsPerEm) * (look.size ?? 9);
    if (look.link) doc.link(at, top, widthOf(line, look), (look.size ?? 9) * 1.45, look.link);
    for (const { text, width } of pieces(line, look)) {
      doc.text(text, at, foot, { lineBreak: false, baseline: 'alphabetic' });
      at += width;
    }
  }
  /** Draws wrapped text below a given position. Returns its height. */
  function block(text: string, x: number, top: number, width: number, look: Write = {}): number {
    const leading = (look.size ?? 9) * 1.45;
    const all = lines(text, width, look);
    for (const [at, line] of all.entries()) put(line, look.right ? x + width : x, top + at * leading, look);
    return all.length * leading;
  }
  function rule(color = RULE, thick = 0.75): void {
    doc.moveTo(MARGIN, y).lineTo(right, y).lineWidth(thick).strokeColor(color).stroke();
  }
  const leftOn = (): number => SHEET.height - MARGIN - FOOT - y;

  return {
    accent,
    gray: GREY,
    left: MARGIN,
    right,
    width: right - MARGIN,
    lines,
    put,
    block,
    rule,
    /** The vertical position of the next element. */
    get y() {
      return y;
    },
    set y(to: number) {
      y = to;
    },
    /** Starts a new page unless this much space is left on the current one. Returns whether it did. */
    room(height: number): boolean {
      if (leftOn() >= height) return false;
      doc.addPage();
      y = MARGIN;
      return true;
    },
    /** Draws the logo within a box at the top left; returns false if there is no readable one. */
    logo(maxWidth: number, maxHeight: number): boolean {
      if (!given.brand.logo) return false;
      try {
        doc.image(given.brand.logo.bytes, MARGIN, y, { fit: [maxWidth, maxHeight] });
        return true;
      } catch {
        return false;
      }
    },
    /** Draws a framed word, such as 'Paid', whose right edge is at the margin. */
    stamp(word: string, top: number, color: string): void {
      const look = { size: 13, bold: true, color };
      const width = widthOf(word, look) + 16;
      doc
        .roundedRect(right - width, top, width, 22, 3)
        .lineWidth(1.5)
        .strokeColor(color)
        .stroke();
      put(word, right - 8, top + 3.5, { ...look, right: true });
    },
    /** Fills a rectangle. */
    fill(x: number, top: number, width: number, height: number, color: string): void {
      doc.rect(x, top, width, height).fill(color);
    },
    /** Numbers the pages and closes the file. @param foot the footer text of each page */
    async finish(foot: string): Promise<Buffer> {
      const { count } = doc.bufferedPageRange();
      for (let at = 0; at < count; at++) {
        doc.switchToPage(at);
        const top = SHEET.height - MARGIN - 8;
        const words = lines(foot, right - MARGIN - 120, { size: 8 })[0] ?? '';
        put(words, MARGIN, top, { size: 8, color: GREY });
        put(`Page ${at + 1} of ${count}`, right, top, { size: 8, color: GREY, right: true });
      }
      const ended = new Promise<void>((resolve, reject) => doc.on('end', resolve).on('error', reject));
      doc.end();
      await ended;
      return Buffer.concat(chunks);
    },
  };
}
export type Paper = Awaited<ReturnType<typeof openPaper>>;

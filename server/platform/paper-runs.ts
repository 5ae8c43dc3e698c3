import createBidi from 'bidi-js';
import { baseFace, type Face, type Faces, hasGlyph, type Weight } from './paper-fonts.ts';

/** A piece of a line that one font draws in one direction. */
export interface Run {
  text: string;
  face: Face;
}

const bidi = createBidi();
const graphemes = new Intl.Segmenter('en-US', { granularity: 'grapheme' });
const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const isEmoji = /\p{Extended_Pictographic}|\p{Regional_Indicator}/u;
/** Nothing that is drawn: control characters, joiners, and the choice between a picture and a letter. */
const undrawn = /[\p{C}\p{Variation_Selector}]/gu;

/** What takes the place of a character that no font has. */
const BOX = '\u25a1';

/** The characters of a text as they can be drawn, each with its font. */
function drawable(text: string, faces: Faces, weight: Weight): Run[] {
  const runs: Run[] = [];
  for (const { segment } of graphemes.segment(text.toWellFormed().normalize('NFC'))) {
    const clean = segment.replaceAll(undrawn, segment.trim() ? '' : ' ');
    // The parts of an emoji are often in different files.
    for (const part of isEmoji.test(clean) ? clean : [clean]) {
      const [first, ...others] = part;
      if (!first) continue;
      const face = faces(first, weight);
      const isDrawn = face && others.every((point) => hasGlyph(face, point));
      runs.push(isDrawn ? { text: part, face } : { text: BOX, face: baseFace(weight) });
    }
  }
  return runs;
}

/** The printable form of a text: no control characters, and a box for what no font has. */
export const printable = (text: string, faces: Faces, weight: Weight): string =>
  drawable(text, faces, weight)
    .map((run) => run.text)
    .join('');

/**
 * A line as it is drawn from left to right, by the Unicode bidirectional algorithm. Fonts put the letters of one
 * right-to-left word in order themselves, so such text is cut at its spaces.
 */
export function runsOf(line: string, faces: Faces, weight: Weight): Run[] {
  const given = drawable(line, faces, weight);
  const text = given.map((run) => run.text).join('');
  const levels = rightToLeft.test(text) ? bidi.getEmbeddingLevels(text).levels : null;
  const runs: (Run & { level: number })[] = [];
  let at = 0;
  for (const run of given) {
    const level = levels?.[at] ?? 0;
    at += run.text.length;
    const last = runs.at(-1);
    const isApart = level % 2 === 1 && (run.text === ' ' || last?.text === ' ');
    if (last && last.face === run.face && last.level === level && !isApart) last.text += run.text;
    else runs.push({ ...run, level });
  }
  const odd = runs.filter(({ level }) => level % 2 === 1);
  for (const run of odd) {
    const mirrored = Array.from(run.text, (one) => bidi.getMirroredCharacter(one) ?? one);
    run.text = (rightToLeft.test(run.text) ? mirrored : mirrored.reverse()).join('');
  }
  return odd.length > 0 ? inOrder(runs) : runs;
}

/** From the highest level down to the lowest odd one, every sequence at or above it is reversed (UAX #9, rule L2). */
function inOrder<T extends { level: number }>(runs: T[]): T[] {
  const all = [...runs];
  for (let level = Math.max(...all.map((run) => run.level)); level > 0; level--)
    for (let from = 0; from < all.length; from++) {
      if (all[from]!.level < level) continue;
      let to = from;
      while (to + 1 < all.length && all[to + 1]!.level >= level) to++;
      all.splice(from, to - from + 1, ...all.slice(from, to + 1).reverse());
      from = to;
    }
  return all;
}

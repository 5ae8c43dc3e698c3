import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { create, type Font } from 'fontkit';
import subsetFont from 'subset-font';

export type Weight = 'regular' | 'bold';

/** A font that a document is written with, under the name that the document registers it by. */
export interface Face {
  name: string;
  font: Font;
}

const require = createRequire(import.meta.url);

/** Latin, Greek, Cyrillic, Hebrew, Arabic, and more: what nearly all documents need nothing besides. */
const base: Record<Weight, () => Face> = {
  regular: lazy(() => ({
    name: 'regular',
    font: parse(readFileSync(require.resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf'))),
  })),
  bold: lazy(() => ({
    name: 'bold',
    font: parse(readFileSync(require.resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf'))),
  })),
};

/** The features that place marks on letters, switched off. */
const WITHOUT_MARKS = { mark: false, mkmk: false, abvm: false, blwm: false };

/**
 * Parses a font. Where its table places a mark nowhere on a letter, as tables may, fontkit fails: such a word is laid out
 * without placing marks.
 */
function parse(bytes: Buffer): Font {
  const font = create(bytes) as Font;
  const layout = font.layout.bind(font);
  font.layout = (text, ...given) => {
    try {
      return layout(text, ...given);
    } catch {
      return layout(text, WITHOUT_MARKS);
    }
  };
  return font;
}

function lazy<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/**
 * The scripts that it lacks, each as the variable fonts of a package, cut by characters. Han characters are in several:
 * the first one that has a character draws it, and the package of a document's own language comes first.
 */
const FAMILIES = [
  'sans-sc',
  'sans-jp',
  'sans-kr',
  'sans-tc',
  'sans-devanagari',
  'sans-bengali',
  'sans-gurmukhi',
  'sans-gujarati',
  'sans-tamil',
  'sans-telugu',
  'sans-kannada',
  'sans-malayalam',
  'sans-sinhala',
  'sans-thai',
  'sans-khmer',
  'sans-myanmar',
  'sans-ethiopic',
  'emoji',
] as const;
type Family = (typeof FAMILIES)[number];

/** How many files of fonts one document may need: a text that is made to need all of them gets boxes instead. */
const MAX_FILES = 150;
/** How many stay in memory, of some 100 KB each. */
const MAX_KEPT = 200;

interface Part {
  key: string;
  file: string;
  text: string;
}
/** Which file has a character, by family. */
const partsOf = new Map(
  FAMILIES.map((family) => [
    family,
    lazy(() => {
      const parts = new Map<string, Part>();
      const listed = JSON.parse(
        readFileSync(require.resolve(`@fontsource-variable/noto-${family}/unicode.json`), 'utf8'),
      ) as Record<string, string>;
      for (const [subset, ranges] of Object.entries(listed)) {
        if (subset.startsWith('latin')) continue;
        const key = `noto-${family}-${subset.replaceAll(/[[\]]/g, '')}`;
        const points = ranges.split(',').flatMap((range) => {
          const [from = '', to = from] = range.slice(2).split('-');
          const first = Number.parseInt(from, 16);
          return Array.from({ length: Number.parseInt(to, 16) - first + 1 }, (_, at) =>
            String.fromCodePoint(first + at),
          );
        });
        const file = `@fontsource-variable/noto-${family}/files/${key}-wght-normal.woff2`;
        const part = { key, file, text: points.join('') };
        for (const point of points) if (!parts.has(point)) parts.set(point, part);
      }
      return parts;
    }),
  ]),
);

const WEIGHTS: Record<Weight, number> = { regular: 400, bold: 700 };
/** The faces made so far, the most recently used last. */
const kept = new Map<string, Promise<Face>>();

/** A file's font at one weight: fonts of documents cannot be variable. */
function faceOf({ key, file, text }: Part, weight: Weight): Promise<Face> {
  const name = `${key}-${weight}`;
  const made =
    kept.get(name) ??
    (async () => {
      const bytes = await subsetFont(await readFile(require.resolve(file)), text, {
        targetFormat: 'sfnt',
        variationAxes: { wght: WEIGHTS[weight] },
        noHinting: true,
      });
      return { name, font: parse(bytes) };
    })();
  kept.delete(name);
  kept.set(name, made);
  if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value!);
  return made;
}

/** In which order families are asked: Japanese and Korean have Han characters of their own shape. */
function ordered(text: string): readonly Family[] {
  const own = /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)
    ? 'sans-jp'
    : /\p{Script=Hangul}/u.test(text)
      ? 'sans-kr'
      : 'sans-sc';
  return [own, ...FAMILIES.filter((family) => family !== own)];
}

/** The faces of a document: which one draws a character at a weight. Undefined: none has it. */
export type Faces = (point: string, weight: Weight) => Face | undefined;

/**
 * Loads the fonts for all characters of a text, regular and bold.
 * @param text everything that the document may show
 */
export async function loadFaces(text: string): Promise<Faces> {
  const found = new Map<string, Face | undefined>();
  // What a font of ours draws, or nothing has to.
  const others = new Set(text.match(/[^\0-\u024f\p{C}]/gu));
  const files = new Set<string>();
  const families = ordered(text);
  for (const weight of ['regular', 'bold'] as const)
    for (const point of others) {
      if (hasGlyph(base[weight](), point)) continue;
      let face: Face | undefined;
      for (const family of families) {
        const part = partsOf.get(family)!().get(point);
        if (!part || (!files.has(part.file) && files.size >= MAX_FILES)) continue;
        files.add(part.file);
        const one = await faceOf(part, weight);
        if (!hasGlyph(one, point)) continue;
        face = one;
        break;
      }
      found.set(weight + point, face);
    }
  return (point, weight) => {
    if (found.has(weight + point)) return found.get(weight + point);
    const ours = base[weight]();
    return hasGlyph(ours, point) ? ours : undefined;
  };
}

/** Whether a font has a character; kept, because asking the font itself is slow. */
const known = new Map<string, boolean>();
export function hasGlyph({ name, font }: Face, point: string): boolean {
  let has = known.get(name + point);
  if (has === undefined) {
    has = font.hasGlyphForCodePoint(point.codePointAt(0)!);
    known.set(name + point, has);
  }
  return has;
}

/** The face of texts that need no other. */
export const baseFace = (weight: Weight): Face => base[weight]();

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { create, type Font } from 'fontkit';
import subsetFont from 'subset-font';
import { FONT_THEMES, type FontTheme } from '../../contract/accounts/fonts.ts';

const require = createRequire(import.meta.url);

const range = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, at) => String.fromCodePoint(from + at)).join('');

/** What every page shows: ASCII and the product's own punctuation. It travels with the first page. */
const BASIC = `${range(0x20, 0x7e)}\u00a0©·×–—‘’“”•…−\u202f`;

/** The rest of Latin, for names and languages; a browser loads a part only when a page has one of its characters. */
const PARTS = {
  latin: [BASIC, [...range(0xa1, 0xff), ...'€™ŒœŠšŽžŸ'].filter((one) => !BASIC.includes(one)).join('')],
  'latin-ext': [
    [...range(0x100, 0x17f), ...range(0x218, 0x21b)].filter((one) => !'ŒœŠšŽžŸ'.includes(one)).join(''),
  ],
} as const;

/** Weights that the product uses; bold text takes the heaviest. */
const WEIGHTS = { min: 400, max: 600 };

/** A text of usual letters, and how wide it is in Arial and in Times, in times its size. */
const SAMPLE = 'The quick brown fox jumps over the lazy dog and sees 34 leads of an agency in the state';
const LOCAL = {
  'sans-serif': { names: ['Arial', 'Liberation Sans', 'Arimo', 'Helvetica'], width: 39.219 },
  serif: { names: ['Times New Roman', 'Liberation Serif', 'Tinos', 'Times'], width: 35.312 },
};

const slug = (family: string): string => family.toLowerCase().replaceAll(' ', '-');

function source(family: string, part: keyof typeof PARTS): Buffer {
  const name = slug(family);
  return readFileSync(
    require.resolve(`@fontsource-variable/${name}/files/${name}-${part}-wght-normal.woff2`),
  );
}

/** A unicode-range of these characters. */
function codes(text: string): string {
  const points = [...text].map((one) => one.codePointAt(0)!).sort((a, b) => a - b);
  const runs: [number, number][] = [];
  for (const point of points) {
    const last = runs.at(-1);
    if (last && point === last[1] + 1) last[1] = point;
    else runs.push([point, point]);
  }
  const hex = (point: number) => point.toString(16);
  return runs.map(([from, to]) => `U+${hex(from)}${to > from ? `-${hex(to)}` : ''}`).join(',');
}

/**
 * The files of one offered font, and its @font-face rules. The first file is all that most pages need.
 * @param place stores a file under a name and returns its address
 */
export async function webFont(
  theme: FontTheme,
  place: (name: string, bytes: Buffer) => string,
): Promise<{ css: string; first: string }> {
  const { family, generic } = FONT_THEMES[theme];
  const addresses: string[] = [];
  const rules: string[] = [];
  for (const [part, texts] of Object.entries(PARTS) as [keyof typeof PARTS, readonly string[]][]) {
    const bytes = source(family, part);
    for (const text of texts) {
      const file = await subsetFont(bytes, text, {
        targetFormat: 'woff2',
        variationAxes: { wght: WEIGHTS },
        keepFeatures: ['kern', 'tnum', 'lnum'],
        noHinting: true,
      });
      addresses.push(place(`${slug(family)}.woff2`, file));
      rules.push(
        `@font-face{font-family:"${family}";src:url(${addresses.at(-1)})format("woff2");` +
          `font-weight:${WEIGHTS.min} ${WEIGHTS.max};font-display:swap;unicode-range:${codes(text)}}`,
      );
    }
  }
  return { css: [...rules, await fallbackRule(family, generic)].join(''), first: addresses[0]! };
}

/** A local font scaled to the size and lines of ours, shown until ours has arrived. */
async function fallbackRule(family: string, generic: keyof typeof LOCAL): Promise<string> {
  const font = create(
    await subsetFont(source(family, 'latin'), BASIC, { targetFormat: 'sfnt', variationAxes: { wght: 400 } }),
  ) as Font;
  const { names, width } = LOCAL[generic];
  const scale = font.layout(SAMPLE).advanceWidth / font.unitsPerEm / width;
  const share = (value: number) => `${((100 * value) / font.unitsPerEm / scale).toFixed(2)}%`;
  return (
    `@font-face{font-family:"${family} fallback";src:${names.map((name) => `local("${name}")`).join(',')};` +
    `size-adjust:${(100 * scale).toFixed(2)}%;ascent-override:${share(font.ascent)};` +
    `descent-override:${share(-font.descent)};line-gap-override:${share(font.lineGap)}}`
  );
}

/** Families that text in uploaded drawings is rendered with: those on offer, and the twin of Arial and Helvetica. */
const DRAWN = ['Arimo', ...Object.values(FONT_THEMES).map(({ family }) => family)];

/** Regular and bold TrueType files of all families for drawings, whose renderer knows no variable fonts, by file name. */
export async function* drawingFonts(): AsyncGenerator<[name: string, bytes: Buffer]> {
  const text = PARTS.latin.join('');
  for (const family of DRAWN)
    for (const wght of [400, 700])
      yield [
        `${slug(family)}-${wght}.ttf`,
        await subsetFont(source(family, 'latin'), text, {
          targetFormat: 'sfnt',
          variationAxes: { wght },
          keepFeatures: ['kern'],
          noHinting: true,
        }),
      ];
}

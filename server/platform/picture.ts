import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { renderAsync } from '@resvg/resvg-js';
import { disableTypes, imageSize, types } from 'image-size';

// Processes the bytes of an uploaded picture. This runs in a process of its own (picture-child.ts), since a decoder
// cannot be stopped once it is running; even so, every rule here reads its input only once, from front to end.

/** The requirements for a picture, and what is made of it. */
export interface PictureRules {
  /** Longest side of the stored picture, in pixels; a larger picture is scaled down, a smaller one is left as is. */
  maxSide: number;
  /** The same for a picture that is about as high as it is wide. */
  maxSymbol?: number;
  /** Crops to the center, so that width and height are the same. */
  square?: boolean;
  /** Most pixels (width x height) an upload may claim to have. */
  maxPixels: number;
  /** Takes a GIF, too, of which the first frame is kept. */
  withGif?: boolean;
}

/** A picture as we store it: our own encoding of its pixels, with nothing else from the original file. */
export interface Picture {
  bytes: Buffer;
  type: 'image/png' | 'image/jpeg';
  width: number;
  height: number;
}

/**
 * Why a file is not accepted, in words that follow the field's name. Any other error means that the file cannot be
 * read.
 */
export class PictureFault extends Error {}

/** An SVG larger than this is not a logo. */
const SVG_BYTES = 512 * 1024;
/** The fonts that the build made, and one with the letters of other scripts: what a device has makes no difference. */
const FONTS = join(import.meta.dirname, '../../dist/fonts');
const OTHER_SCRIPTS = createRequire(import.meta.url).resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf');
/** Families that devices bring along, and those among ours that are as wide or look alike. */
const TWINS: [family: string, names: RegExp][] = [
  // The files of these are named after the thinnest of their weights.
  ['Public Sans Thin', /\bPublic Sans\b/gi],
  ['Source Sans 3 ExtraLight', /\bSource Sans( 3| Pro)?\b/gi],
  ['Figtree Light', /\bFigtree\b/gi],
  ['Nunito ExtraLight', /\bNunito\b/gi],
  ['Arimo', /\b(Arial|Helvetica Neue|Helvetica|Liberation Sans)\b/gi],
  ['Inter', /\b(system-ui|Segoe UI|SF Pro Text|SF Pro Display|Roboto)\b(?! Condensed)/gi],
  ['Source Serif 4', /\b(Times New Roman|Times|Georgia|Cambria|Charter)\b/gi],
];
/** A logo up to this many times as wide as it is high is a symbol, beside which the name stands (BrandMark.tsx). */
const SYMBOL_RATIO = 1.6;
/** How far into a file the drawing itself has to begin. */
const PROLOG_CHARACTERS = 4096;

/** What is taken as it is, by its first bytes; a drawing becomes a PNG. */
const FORMATS = ['png', 'jpg', 'webp', 'gif'] as const;
disableTypes(types.filter((type) => !(FORMATS as readonly string[]).includes(type)));

/**
 * Decodes a picture (PNG, JPEG, WebP or SVG) and re-encodes its pixels. The size the file claims is read from its
 * header, and a picture that is too large is refused before anything is decoded. A drawing (SVG) becomes a PNG; its
 * scripts, external files and entities are never followed.
 * @throws PictureFault if it is not such a picture; Error if it cannot be read
 */
export async function redraw(file: Buffer, rules: PictureRules): Promise<Picture> {
  const format = claimOf(file)?.type;
  const text = format ? '' : file.toString('utf8');
  const begins = format ? -1 : drawingAt(text.slice(0, PROLOG_CHARACTERS));
  if ((!format && begins === -1) || (format === 'gif' && !rules.withGif))
    throw new PictureFault(`must be a PNG, JPEG, ${rules.withGif ? 'GIF, ' : ''}WebP, or SVG image`);
  const source = format ? file : await rasterise(text, begins, rules.maxSide);
  const size = claimOf(source);
  if (!size || size.width < 1 || size.height < 1) throw new Error('Its size cannot be determined.');
  if (size.width * size.height > rules.maxPixels)
    throw new PictureFault(
      `must not have more than ${Math.floor(rules.maxPixels / 1_000_000)} million pixels`,
    );

  const image = await loadImage(source);
  // A photo rotated by its metadata comes out rotated, so its sides may be swapped.
  const claimed = [size.width, size.height].sort((a, b) => a - b).join('x');
  if ([image.width, image.height].sort((a, b) => a - b).join('x') !== claimed)
    throw new Error('Its size cannot be determined.');
  const side = Math.min(image.width, image.height);
  const cut = rules.square
    ? { x: (image.width - side) / 2, y: (image.height - side) / 2, width: side, height: side }
    : { x: 0, y: 0, width: image.width, height: image.height };
  const longest = Math.max(cut.width, cut.height);
  const isSymbol = longest <= SYMBOL_RATIO * Math.min(cut.width, cut.height);
  const scale = Math.min(1, ((isSymbol && rules.maxSymbol) || rules.maxSide) / longest);
  const width = Math.max(1, Math.round(cut.width * scale));
  const height = Math.max(1, Math.round(cut.height * scale));
  const canvas = createCanvas(width, height);
  const pen = canvas.getContext('2d');
  pen.imageSmoothingQuality = 'high';
  pen.drawImage(image, cut.x, cut.y, cut.width, cut.height, 0, 0, width, height);
  return format === 'jpg'
    ? { bytes: await canvas.encode('jpeg', 88), type: 'image/jpeg', width, height }
    : { bytes: await canvas.encode('png'), type: 'image/png', width, height };
}

/**
 * A file's type, width, and height as its header claims them, before any pixel is decoded; undefined for other files.
 * @throws if the header is broken
 */
function claimOf(file: Buffer): { type: string; width: number; height: number } | undefined {
  try {
    const { type, width, height } = imageSize(file);
    return type ? { type, width, height } : undefined;
  } catch (error) {
    if (/^(unsupported|disabled) file type/.test((error as Error).message)) return undefined;
    throw error;
  }
}

/**
 * Where a drawing's `<svg` begins, after an XML declaration, comments and a document type without rules of its own; -1
 * if anything else comes first. Each character is read once.
 */
export function drawingAt(text: string): number {
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  for (;;) {
    while (at < text.length && text[at]!.trim() === '') at++;
    const begin = text.slice(at, at + 9).toLowerCase();
    if (/^<svg[\s>]/.test(begin)) return at;
    const end = begin.startsWith('<!--')
      ? '-->'
      : begin.startsWith('<?xml') || begin === '<!doctype'
        ? '>'
        : undefined;
    if (!end) return -1;
    const next = text.indexOf(end, at + 4);
    // A document type's own rules are in brackets.
    if (next === -1 || (begin === '<!doctype' && text.slice(at, next).includes('['))) return -1;
    at = next + end.length;
  }
}

/** Renders a drawing as a PNG whose longer side is `maxSide`. `begins` is where its `<svg` starts in its text. */
async function rasterise(text: string, begins: number, maxSide: number): Promise<Buffer> {
  if (Buffer.byteLength(text) > SVG_BYTES)
    throw new PictureFault('must not be larger than 512 KB when it is an SVG');
  if (/<!ENTITY/i.test(text)) throw new PictureFault('must not define entities');
  // Only what the drawing itself contains is drawn: the renderer would try to load any file name or address in it.
  for (const [, address = ''] of text.matchAll(/(?:href|src)\s*=\s*["']\s*([^"']*)/gi)) {
    if (!/^(#|data:image\/(png|jpe?g|webp|gif);base64,)/i.test(address.trim()) && address.trim() !== '')
      throw new PictureFault('must not reference other files or addresses');
  }
  if (/<image[\s>]/i.test(text))
    throw new PictureFault('must not contain embedded images; upload it as a PNG instead');
  const [width, height] = proportions(text.slice(begins, text.indexOf('>', begins)));
  if (!width || !height || width / height > 100 || height / width > 100)
    throw new Error('Its size cannot be determined.');
  const drawn = await renderAsync(withOurFonts(text), {
    fitTo: { mode: width >= height ? 'width' : 'height', value: maxSide },
    font: {
      loadSystemFonts: false,
      fontFiles: [
        ...(existsSync(FONTS) ? readdirSync(FONTS).map((name) => join(FONTS, name)) : []),
        OTHER_SCRIPTS,
      ],
      defaultFontFamily: 'Inter',
      sansSerifFamily: 'Inter',
      serifFamily: 'Source Serif 4',
    },
    logLevel: 'off',
  });
  return drawn.asPng();
}

/** The drawing with families that only devices have replaced by their twins, wherever it names a font. */
function withOurFonts(text: string): string {
  return text.replace(/font(-family)?\s{0,9}[:=][^;<>]{0,200}/gi, (found) =>
    TWINS.reduce((name, [family, names]) => name.replace(names, family), found),
  );
}

/**
 * Width and height of a drawing's own coordinates, from its root element: by its viewBox, or else by its width and
 * height.
 */
export function proportions(head: string): [number, number] | [] {
  const box = attributeAt(/\sviewBox\s*=\s*["']/i, head)
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  if (box.length === 4 && box.every(Number.isFinite)) return [box[2]!, box[3]!];
  const side = (name: RegExp) => Number(attributeAt(name, head).trim().replace(/px$/i, '') || Number.NaN);
  return [side(/\swidth\s*=\s*["']/i), side(/\sheight\s*=\s*["']/i)];
}

/** The quoted value after the opening quotation mark that a pattern ends with; '' if the pattern does not occur. */
function attributeAt(name: RegExp, head: string): string {
  const found = name.exec(head);
  const from = found ? found.index + found[0].length : head.length;
  return head.slice(from, from + 200).split(/["']/, 1)[0]!;
}

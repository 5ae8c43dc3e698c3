import { createCanvas, loadImage } from '@napi-rs/canvas';
import { Refusal, refusalOf } from '../../contract/errors.ts';
import { drawSvg } from './svg.ts';

/** The formats a picture may be uploaded in. */
export type PictureFormat = 'png' | 'jpeg' | 'webp' | 'svg';

/** What a picture has to be, and what is made of it. */
export interface PictureRules {
  /** Longest side of what is kept, in pixels; a larger picture is scaled down, a smaller one is left. */
  maxSide: number;
  /** Cuts the middle out, so that width and height are the same. */
  square?: boolean;
  /** Most pixels (width x height) an upload may claim to have. */
  maxPixels?: number;
  /** Most bytes an upload may have. */
  maxBytes?: number;
  /** Name of the field that a refusal names. */
  field?: string;
}

/** A picture as we keep it: our own encoding of its pixels, without anything else of the file it came from. */
export interface Picture {
  bytes: Buffer;
  type: 'image/png' | 'image/jpeg';
  width: number;
  height: number;
}

/** Most bytes an uploaded picture may have. */
export const PICTURE_BYTES = 2 * 1024 * 1024;
const PICTURE_PIXELS = 24_000_000;
/** An SVG beyond this is no logo; what it may nest and draw is bounded by the process that draws it (platform/svg.ts). */
const SVG_BYTES = 512 * 1024;

/**
 * Decodes an uploaded picture (PNG, JPEG, WebP or SVG) and encodes its pixels anew, so that nothing of the file survives
 * but what can be seen: no script, no metadata, no second file hidden in it. The size that the file claims is read from
 * its header and refused before anything is decoded. A drawing (SVG) becomes a PNG; its scripts, outside files and
 * entities are never followed.
 * @throws Refusal 422 that names the field and what is wrong.
 */
export async function reencodePicture(bytes: Uint8Array, rules: PictureRules): Promise<Picture> {
  const { field = 'file', maxBytes = PICTURE_BYTES, maxPixels = PICTURE_PIXELS } = rules;
  const refuse = (why: string): Refusal => refusalOf(field, why);
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (file.length === 0) throw refuse('is empty');
  if (file.length > maxBytes)
    throw refuse(`must not be larger than ${(maxBytes / 1024 / 1024).toFixed(0)} MB`);
  const format = formatOf(file);
  if (!format) throw refuse('must be a PNG, JPEG, WebP or SVG picture');
  const unreadable = refuse('cannot be read as a picture; export it anew and try again');
  const source = format === 'svg' ? await rasterise(file, rules.maxSide, refuse, unreadable) : file;
  const size = format === 'svg' ? headerSize(source, 'png') : headerSize(file, format);
  if (!size || size.width < 1 || size.height < 1) throw unreadable;
  if (size.width * size.height > maxPixels)
    throw refuse(`must not have more than ${Math.floor(maxPixels / 1_000_000)} million pixels`);

  const image = await loadImage(source).catch(() => {
    throw unreadable;
  });
  // A photo that is turned by its metadata comes out turned, so its sides may be swapped.
  const claimed = [size.width, size.height].sort((a, b) => a - b).join('x');
  if ([image.width, image.height].sort((a, b) => a - b).join('x') !== claimed) throw unreadable;
  const side = Math.min(image.width, image.height);
  const cut = rules.square
    ? { x: (image.width - side) / 2, y: (image.height - side) / 2, width: side, height: side }
    : { x: 0, y: 0, width: image.width, height: image.height };
  const scale = Math.min(1, rules.maxSide / Math.max(cut.width, cut.height));
  const width = Math.max(1, Math.round(cut.width * scale));
  const height = Math.max(1, Math.round(cut.height * scale));
  const canvas = createCanvas(width, height);
  const pen = canvas.getContext('2d');
  pen.imageSmoothingQuality = 'high';
  try {
    pen.drawImage(image, cut.x, cut.y, cut.width, cut.height, 0, 0, width, height);
  } catch {
    throw unreadable;
  }
  return format === 'jpeg'
    ? { bytes: await canvas.encode('jpeg', 88), type: 'image/jpeg', width, height }
    : { bytes: await canvas.encode('png'), type: 'image/png', width, height };
}

/** What a file is by its first bytes, whatever it is called. */
function formatOf(file: Buffer): PictureFormat | undefined {
  if (file.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex'))) return 'png';
  if (file.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex'))) return 'jpeg';
  if (file.toString('latin1', 0, 4) === 'RIFF' && file.toString('latin1', 8, 12) === 'WEBP') return 'webp';
  const start = file
    .toString('utf8', 0, 4096)
    .replace(/^\uFEFF/, '')
    .trimStart();
  return /^(<\?xml[^>]*>\s*)?((<!--[\s\S]*?-->|<!DOCTYPE[^>[]*>)\s*)*<svg[\s>]/i.test(start)
    ? 'svg'
    : undefined;
}

/** Width and height as the header claims them, before any pixel is decoded. */
function headerSize(
  file: Buffer,
  format: 'png' | 'jpeg' | 'webp',
): { width: number; height: number } | undefined {
  try {
    if (format === 'png') {
      return file.toString('latin1', 12, 16) === 'IHDR'
        ? { width: file.readUInt32BE(16), height: file.readUInt32BE(20) }
        : undefined;
    }
    if (format === 'webp') return webpSize(file);
    // JPEG: segment by segment to the frame header (SOF0-15, but for DHT, JPG and DAC).
    for (let at = 2; at < file.length; ) {
      if (file[at] !== 0xff) return undefined;
      const marker = file[at + 1]!;
      if (marker === 0xff) at += 1;
      else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
        return { height: file.readUInt16BE(at + 5), width: file.readUInt16BE(at + 7) };
      else if (marker === 0xd9 || marker === 0xda) return undefined;
      else at += 2 + (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8) ? 0 : file.readUInt16BE(at + 2));
    }
    return undefined;
  } catch {
    return undefined;
  }
}

function webpSize(file: Buffer): { width: number; height: number } | undefined {
  const kind = file.toString('latin1', 12, 16);
  if (kind === 'VP8X') return { width: file.readUIntLE(24, 3) + 1, height: file.readUIntLE(27, 3) + 1 };
  if (kind === 'VP8L') {
    const bits = file.readUInt32LE(21);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (kind === 'VP8 ')
    return { width: file.readUInt16LE(26) & 0x3fff, height: file.readUInt16LE(28) & 0x3fff };
  return undefined;
}

/** A drawing as a PNG whose longer side is `maxSide`. */
async function rasterise(
  file: Buffer,
  maxSide: number,
  refuse: (why: string) => Refusal,
  unreadable: Refusal,
): Promise<Buffer> {
  if (file.length > SVG_BYTES) throw refuse('must not be larger than 512 KB when it is an SVG');
  const text = file.toString('utf8');
  if (/<!ENTITY/i.test(text)) throw refuse('must not define entities');
  // Only what the drawing itself holds is drawn: a file's name or an address in it would be asked for by the renderer.
  for (const [, address = ''] of text.matchAll(/(?:href|src)\s*=\s*["']\s*([^"']*)/gi)) {
    if (!/^(#|data:image\/(png|jpe?g|webp|gif);base64,)/i.test(address.trim()) && address.trim() !== '')
      throw refuse('must not refer to other files or addresses');
  }
  if (/<image[\s>]/i.test(text))
    throw refuse('must not have pictures inside the drawing; upload those as PNG');
  const [width, height] = proportions(text);
  if (!width || !height || width / height > 100 || height / width > 100) throw unreadable;
  return drawSvg(file, width >= height ? 'width' : 'height', maxSide).catch((error: unknown) => {
    throw error instanceof Refusal ? error : unreadable;
  });
}

/** Width and height of a drawing's own coordinates, by its viewBox, else by its width and height. */
function proportions(text: string): [number, number] | [] {
  const [head = ''] = /<svg[\s\S]*?>/i.exec(text) ?? [];
  const box = /viewBox\s*=\s*["']\s*[-\d.e]+[\s,]+[-\d.e]+[\s,]+([\d.e]+)[\s,]+([\d.e]+)/i.exec(head);
  if (box) return [Number(box[1]), Number(box[2])];
  const of = (name: string) =>
    Number(new RegExp(`\\s${name}\\s*=\\s*["']\\s*([\\d.]+)(px)?\\s*["']`, 'i').exec(head)?.[1]);
  return [of('width'), of('height')];
}

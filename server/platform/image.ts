import { Refusal, refusalOf } from '../../contract/errors.ts';
import type { Picture, PictureRules } from './picture.ts';
import { redrawApart } from './picture-process.ts';

/** The requirements for an uploaded picture, and how it is converted. */
export interface UploadRules extends Omit<PictureRules, 'maxPixels'> {
  /** Maximum pixels (width x height) an upload may claim to have. */
  maxPixels?: number;
  /** Maximum bytes of an upload. */
  maxBytes?: number;
  /** Whose picture it is: a company gets one drawn at a time. */
  by: string;
  /** Name of the field that a refusal names. */
  field?: string;
}

/** Maximum bytes of an uploaded picture. */
export const PICTURE_BYTES = 2 * 1024 * 1024;
const UNREADABLE = 'cannot be read as an image; export it again and retry';
const PICTURE_PIXELS = 24_000_000;

/**
 * Decodes an uploaded picture (PNG, JPEG, WebP, or SVG) and re-encodes its pixels, so that only what is visible in the
 * file survives: no script, no metadata, no second file hidden in it. In this process, nothing but its length is looked
 * at.
 * @throws Refusal 422 that names the field and what is wrong, 429 if too many are already waiting
 */
export async function reencodePicture(bytes: Uint8Array, rules: UploadRules): Promise<Picture> {
  const { by, field = 'file', maxBytes = PICTURE_BYTES, maxPixels = PICTURE_PIXELS, ...kept } = rules;
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (file.length === 0) throw refusalOf(field, 'is empty');
  if (file.length > maxBytes)
    throw refusalOf(field, `must not be larger than ${(maxBytes / 1024 / 1024).toFixed(0)} MB`);
  const answer = await redrawApart(file, { ...kept, maxPixels }, by).catch((error: unknown) => {
    throw error instanceof Refusal ? error : refusalOf(field, UNREADABLE);
  });
  if ('fault' in answer) throw refusalOf(field, answer.fault);
  return answer;
}

import { FONT_THEMES, type FontTheme } from '../../../../contract/accounts/fonts.ts';
import type { AdSize } from '../../../../contract/ads/ad-rules.ts';
import { type BannerDesign, MOST_KILOBYTES } from '../../../../contract/ads/banner-rules.ts';
import { offerFont } from '../../../brand/font.ts';
import { canvasOf, createPainter, type Images, newRoot } from './paint.ts';

export const FORMATS = { png: 'PNG', jpg: 'JPG', html5: 'HTML5 (zip)' } as const;
export type Format = keyof typeof FORMATS;

/** The address of an image; its type is in the answer. */
export const mediaUrl = (id: string): string => `/a/v1/i/${id}.png`;

const blobOf = (canvas: HTMLCanvasElement, type: string, quality?: number): Promise<Blob> =>
  new Promise((done, failed) =>
    canvas.toBlob(
      (blob) => (blob ? done(blob) : failed(new Error('The image could not be drawn.'))),
      type,
      quality,
    ),
  );

/** A design in a size as a canvas. */
function drawnOf(design: BannerDesign, size: AdSize, images: Images, ratio = 1): HTMLCanvasElement {
  const root = newRoot();
  createPainter(root)(design, size, images, 0);
  const canvas = canvasOf(root, size, ratio);
  root.destroy();
  return canvas;
}

export const pngOf = (design: BannerDesign, size: AdSize, images: Images, ratio = 1): Promise<Blob> =>
  pngFrom(drawnOf(design, size, images, ratio));
export const pngFrom = (canvas: HTMLCanvasElement): Promise<Blob> => blobOf(canvas, 'image/png');

/** A JPG in the best quality that is within the weight of its size, but never a bad one. */
export async function jpgOf(design: BannerDesign, size: AdSize, images: Images): Promise<Blob> {
  const canvas = drawnOf(design, size, images);
  let blob = await blobOf(canvas, 'image/jpeg', 0.92);
  for (let quality = 0.85; blob.size > MOST_KILOBYTES[size] * 1024 && quality > 0.6; quality -= 0.08)
    blob = await blobOf(canvas, 'image/jpeg', quality);
  return blob;
}

const bytesOf = async (blob: Blob): Promise<Uint8Array> => new Uint8Array(await blob.arrayBuffer());

/** A banner in a size as a file, and the ending of its name. */
export async function fileOf(
  banner: { name: string; alt_text: string; click_url: string; design: BannerDesign },
  size: AdSize,
  format: Format,
  images: Images,
): Promise<[ending: string, bytes: Uint8Array]> {
  if (format === 'jpg') return ['jpg', await bytesOf(await jpgOf(banner.design, size, images))];
  if (format === 'png') return ['png', await bytesOf(await pngOf(banner.design, size, images))];
  const { html5Of } = await import('./zip.ts');
  // Sharp on dense screens, where that is not too heavy.
  const sharp = await pngOf(banner.design, size, images, 2);
  const png = sharp.size <= MOST_KILOBYTES[size] * 1024 ? sharp : await pngOf(banner.design, size, images);
  return ['zip', html5Of(banner, size, await bytesOf(png))];
}

/**
 * Loads the fonts of a design for the letters in it. A canvas would draw with another font what is not there yet.
 * @returns the names of those that could not be loaded
 */
export async function loadFonts(design: BannerDesign): Promise<string[]> {
  const wanted = new Map<FontTheme, string>();
  for (const layer of design.layers)
    if (layer.kind === 'text') wanted.set(layer.font, (wanted.get(layer.font) ?? '') + layer.text);
  const missing: string[] = [];
  for (const [theme, letters] of wanted) {
    const { family } = FONT_THEMES[theme];
    try {
      await offerFont(theme);
      const faces = await Promise.all(
        [400, 600].map((weight) => document.fonts.load(`${weight} 16px "${family}"`, letters || 'a')),
      );
      if (faces.some((found) => found.length === 0)) missing.push(family);
    } catch {
      missing.push(family);
    }
  }
  return missing;
}

/** Loads an image; undefined if it is gone. */
export async function loadImage(id: string): Promise<HTMLImageElement | undefined> {
  const image = new Image();
  image.src = mediaUrl(id);
  try {
    await image.decode();
    return image;
  } catch {
    return undefined;
  }
}

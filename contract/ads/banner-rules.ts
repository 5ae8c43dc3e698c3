// Plain rules of banners, shared by server and browser: no schema here, so that none is sent to the browser.
import type { FontTheme } from '../accounts/fonts.ts';
import { AD_SIZES, type AdSize, isClickUrl, MOST_ALT_TEXT } from './ad-rules.ts';

/** The most layers of a banner, and characters of one text. */
export const MOST_LAYERS = 200;
export const MOST_LAYER_TEXT = 500;
/** How far outside of a banner a layer may be, and how large, in pixels. */
export const FAR = 4000;

export const LAYER_KINDS = ['text', 'image', 'shape'] as const;
export type LayerKind = (typeof LAYER_KINDS)[number];
export const SHAPES = ['rectangle', 'ellipse', 'line'] as const;
export const ALIGNMENTS = ['left', 'center', 'right'] as const;
export const FITS = ['contain', 'cover'] as const;
/** The side that a layer keeps its distance to when a banner is wider or higher; 'stretch' keeps both. */
export const ANCHORS_X = ['left', 'center', 'right', 'stretch'] as const;
export const ANCHORS_Y = ['top', 'middle', 'bottom', 'stretch'] as const;

/** Where a layer is in one size of a banner, in its pixels. */
export interface Frame {
  x: number;
  y: number;
  width: number;
  height: number;
  /** Font size of a text. */
  text_size?: number | undefined;
  hidden?: boolean | undefined;
}

interface LayerBase {
  id: string;
  name: string;
  anchor_x: (typeof ANCHORS_X)[number];
  anchor_y: (typeof ANCHORS_Y)[number];
  opacity: number;
  /** By size. Where there is none, it follows from another one (frameOf). */
  frames: Partial<Record<AdSize, Frame>>;
}
export interface TextLayer extends LayerBase {
  kind: 'text';
  text: string;
  font: FontTheme;
  bold: boolean;
  color: string;
  align: (typeof ALIGNMENTS)[number];
  /** Behind the text, as of a button. */
  fill: string | null;
  radius: number;
}
export interface ImageLayer extends LayerBase {
  kind: 'image';
  media_id: string;
  fit: (typeof FITS)[number];
}
export interface ShapeLayer extends LayerBase {
  kind: 'shape';
  shape: (typeof SHAPES)[number];
  fill: string | null;
  stroke: string | null;
  stroke_width: number;
  radius: number;
}
export type Layer = TextLayer | ImageLayer | ShapeLayer;

/** What a banner looks like in all of its sizes. Layers are from back to front. */
export interface BannerDesign {
  background: string;
  border: string | null;
  sizes: AdSize[];
  layers: Layer[];
}

export const sidesOf = (size: AdSize): [width: number, height: number] =>
  size.split('x').map(Number) as [number, number];

/** Sizes of one form look alike. A new layer is placed in one size of each. */
export type Form = 'square' | 'wide' | 'tall';
export const FORM_SIZES = ['300x250', '728x90', '160x600'] as const satisfies readonly AdSize[];

export function formOf(size: AdSize): Form {
  const [width, height] = sidesOf(size);
  return width > height * 2 ? 'wide' : height > width * 1.4 ? 'tall' : 'square';
}

/** No text becomes smaller than this by itself. */
const LEAST_TEXT = 8;
const tenth = (value: number): number => Math.round(value * 10) / 10;

/** A side of a layer in another size: where it begins, and how long it is. */
function along(
  at: number,
  length: number,
  from: number,
  to: number,
  scale: number,
  anchor: 'start' | 'middle' | 'end' | 'stretch',
): [at: number, length: number] {
  const scaled = length * scale;
  if (anchor === 'stretch') {
    const begin = at * scale;
    const end = to - (from - at - length) * scale;
    return [begin, Math.max(1, end - begin)];
  }
  if (anchor === 'start') return [at * scale, scaled];
  if (anchor === 'end') return [to - (from - at) * scale, scaled];
  return [to / 2 + (at - from / 2) * scale, scaled];
}

/** A frame of one size in another: scaled by what fits both sides, at the same distance to where it is anchored. */
export function moved(
  frame: Frame,
  from: AdSize,
  to: AdSize,
  { anchor_x, anchor_y }: Pick<Layer, 'anchor_x' | 'anchor_y'>,
): Frame {
  if (from === to) return frame;
  const [width, height] = sidesOf(from);
  const [toWidth, toHeight] = sidesOf(to);
  const scale = Math.min(toWidth / width, toHeight / height);
  const across = { left: 'start', center: 'middle', right: 'end', stretch: 'stretch' } as const;
  const down = { top: 'start', middle: 'middle', bottom: 'end', stretch: 'stretch' } as const;
  const [x, w] = along(frame.x, frame.width, width, toWidth, scale, across[anchor_x]);
  const [y, h] = along(frame.y, frame.height, height, toHeight, scale, down[anchor_y]);
  return {
    x: tenth(x),
    y: tenth(y),
    width: Math.max(1, tenth(w)),
    height: Math.max(1, tenth(h)),
    ...(frame.text_size === undefined
      ? {}
      : { text_size: Math.max(LEAST_TEXT, tenth(frame.text_size * scale)) }),
    ...(frame.hidden ? { hidden: true } : {}),
  };
}

/** Which size a layer's frame in a size follows from: its own, or the most similar one that it has, first of its form. */
export function sourceOf(layer: Pick<Layer, 'frames'>, size: AdSize): AdSize | undefined {
  if (layer.frames[size]) return size;
  const [width, height] = sidesOf(size);
  const unlike = (one: AdSize): number => {
    const [w, h] = sidesOf(one);
    return (
      Math.abs(Math.log(w / width)) +
      Math.abs(Math.log(h / height)) +
      (formOf(one) === formOf(size) ? 0 : 100)
    );
  };
  return AD_SIZES.filter((one) => layer.frames[one]).sort((a, b) => unlike(a) - unlike(b))[0];
}

/** Where a layer is in a size. A layer without any frame is hidden. */
export function frameOf(layer: Layer, size: AdSize): Frame {
  const source = sourceOf(layer, size);
  if (!source) return { x: 0, y: 0, width: 1, height: 1, hidden: true };
  return moved(layer.frames[source]!, source, size, layer);
}

/** How many kilobytes an ad of each size may weigh (IAB, initial load). */
export const MOST_KILOBYTES: Record<AdSize, number> = {
  '300x250': 150,
  '728x90': 150,
  '160x600': 150,
  '300x600': 250,
  '320x50': 50,
  '300x50': 50,
  '970x250': 250,
  '970x90': 200,
};

/** What keeps a banner from being shown, or makes it worse. */
export interface BannerFault {
  level: 'error' | 'warning';
  /** Of which size; of all without one. */
  size?: AdSize;
  text: string;
}

/** How light a color is, 0 to 1, as eyes see it. */
function lightness(color: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255) as [
    number,
    number,
    number,
  ];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
const LIGHT = 0.85;
const LEAST_LEGIBLE = 9;

/**
 * Checks what is known without drawing it. `has` says whether an image is still in the library; `missingFonts` are those
 * that could not be loaded, `bytes` what each drawn size weighs.
 */
export function faultsOf(
  banner: { design: BannerDesign; alt_text: string; click_url: string },
  known: {
    has: (mediaId: string) => boolean;
    missingFonts?: readonly string[];
    bytes?: Partial<Record<AdSize, number>>;
  },
): BannerFault[] {
  const { design, alt_text, click_url } = banner;
  const faults: BannerFault[] = [];
  const fault = (level: BannerFault['level'], text: string, size?: AdSize) =>
    faults.push({ level, text, ...(size ? { size } : {}) });
  if (!alt_text.trim()) fault('error', 'Alternative text is missing.');
  else if (alt_text.trim().length > MOST_ALT_TEXT)
    fault('error', `Alternative text must not exceed ${MOST_ALT_TEXT} characters.`);
  if (!click_url.trim()) fault('error', 'Click address is missing.');
  else if (!isClickUrl(click_url.trim())) fault('error', 'Click address must start with https://.');
  for (const layer of design.layers)
    if (layer.kind === 'image' && !known.has(layer.media_id))
      fault('error', `The image of “${layer.name}” is missing. Choose another one.`);
  for (const font of known.missingFonts ?? [])
    fault('error', `The font ${font} could not be loaded. Reload the page, or choose another font.`);
  if (!design.border && lightness(design.background) > LIGHT)
    fault('warning', 'A light background needs a border, because many sites are white.');
  for (const size of design.sizes) {
    const [width, height] = sidesOf(size);
    const shown = design.layers
      .map((layer) => ({ layer, frame: frameOf(layer, size) }))
      .filter(({ frame }) => !frame.hidden);
    const isOut = ({ x, y, ...frame }: Frame) =>
      x >= width || y >= height || x + frame.width <= 0 || y + frame.height <= 0;
    if (shown.every(({ frame }) => isOut(frame))) fault('error', 'Nothing is shown.', size);
    for (const { layer, frame } of shown) {
      if (isOut(frame)) fault('warning', `“${layer.name}” is outside of the banner.`, size);
      else if (layer.kind === 'text' && (frame.text_size ?? LEAST_LEGIBLE) < LEAST_LEGIBLE)
        fault('warning', `“${layer.name}” is smaller than ${LEAST_LEGIBLE} px.`, size);
    }
    const bytes = known.bytes?.[size];
    if (bytes !== undefined && bytes > MOST_KILOBYTES[size] * 1024)
      fault(
        'warning',
        `Weighs ${Math.ceil(bytes / 1024)} KB. Most sites accept up to ${MOST_KILOBYTES[size]} KB.`,
        size,
      );
  }
  return faults;
}

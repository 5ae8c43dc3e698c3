import Konva from 'konva/lib/Core';
import { Ellipse } from 'konva/lib/shapes/Ellipse';
import { Image } from 'konva/lib/shapes/Image';
import { Line } from 'konva/lib/shapes/Line';
import { Rect } from 'konva/lib/shapes/Rect';
import { Text } from 'konva/lib/shapes/Text';
import { FONT_THEMES } from '../../../../contract/accounts/fonts.ts';
import type { AdSize } from '../../../../contract/ads/ad-rules.ts';
import {
  type BannerDesign,
  type Frame,
  frameOf,
  type Layer,
  sidesOf,
  type TextLayer,
} from '../../../../contract/ads/banner-rules.ts';

/** Loaded images, by their id. */
export type Images = ReadonlyMap<string, HTMLImageElement>;

/** Room between a text and the edge of its fill. */
const PADDING = 4;

function textOf(layer: TextLayer, frame: Frame, height?: number): Text {
  const { family, generic } = FONT_THEMES[layer.font];
  return new Text({
    text: layer.text,
    width: frame.width,
    ...(height === undefined ? {} : { height }),
    padding: layer.fill ? PADDING : 0,
    fontFamily: `"${family}", ${generic}`,
    fontSize: frame.text_size ?? 16,
    // The heaviest that the fonts have.
    fontStyle: layer.bold ? '600' : '400',
    lineHeight: 1.2,
    fill: layer.color,
    align: layer.align,
    verticalAlign: 'middle',
    wrap: 'word',
    listening: false,
  });
}

/** What was measured before, by size and fonts: layers do not change, they are replaced. */
const measured = new WeakMap<TextLayer, Map<string, boolean>>();

/** Whether a text needs more room than its frame in a size has. */
export function overflows(layer: TextLayer, size: AdSize, fonts: number): boolean {
  const known = measured.get(layer) ?? new Map<string, boolean>();
  measured.set(layer, known);
  const key = `${size} ${fonts}`;
  let isTooHigh = known.get(key);
  if (isTooHigh === undefined) {
    const frame = frameOf(layer, size);
    const text = textOf(layer, frame);
    isTooHigh = !frame.hidden && text.height() > frame.height + 1;
    text.destroy();
    known.set(key, isTooHigh);
  }
  return isTooHigh;
}

/** What a picture of other proportions shows in its frame. */
function imageIn(image: HTMLImageElement, frame: Frame, fit: 'contain' | 'cover'): Image {
  const [w, h] = [image.naturalWidth || 1, image.naturalHeight || 1];
  if (fit === 'cover') {
    const scale = Math.max(frame.width / w, frame.height / h);
    const [width, height] = [frame.width / scale, frame.height / scale];
    return new Image({
      ...{ image, width: frame.width, height: frame.height, listening: false },
      crop: { x: (w - width) / 2, y: (h - height) / 2, width, height },
    });
  }
  const scale = Math.min(frame.width / w, frame.height / h);
  const [width, height] = [w * scale, h * scale];
  return new Image({
    ...{ image, width, height, listening: false },
    x: (frame.width - width) / 2,
    y: (frame.height - height) / 2,
  });
}

function drawn(layer: Layer, frame: Frame, images: Images): Konva.Shape[] {
  const { width, height } = frame;
  const area = { width, height, listening: false };
  if (layer.kind === 'text')
    return [
      ...(layer.fill ? [new Rect({ ...area, fill: layer.fill, cornerRadius: layer.radius })] : []),
      textOf(layer, frame, height),
    ];
  if (layer.kind === 'image') {
    const image = images.get(layer.media_id);
    return image
      ? [imageIn(image, frame, layer.fit)]
      : [new Rect({ ...area, fill: '#8a8f9a', opacity: 0.4 })];
  }
  const look = {
    ...(layer.fill ? { fill: layer.fill } : {}),
    ...(layer.stroke && layer.stroke_width > 0
      ? { stroke: layer.stroke, strokeWidth: layer.stroke_width }
      : {}),
    listening: false,
  };
  if (layer.shape === 'ellipse')
    return [new Ellipse({ ...look, x: width / 2, y: height / 2, radiusX: width / 2, radiusY: height / 2 })];
  if (layer.shape === 'line') return [new Line({ ...look, points: [0, height / 2, width, height / 2] })];
  return [new Rect({ ...look, width, height, cornerRadius: layer.radius })];
}

/** Draws a layer in a frame into its group. */
export function place(group: Konva.Group, layer: Layer, frame: Frame, images: Images): void {
  const { x, y, width, height } = frame;
  group.destroyChildren();
  group.setAttrs({ x, y, width, height, scaleX: 1, scaleY: 1 });
  // Invisible, so that all of a layer can be grabbed, and its bounds are its frame's.
  group.add(new Rect({ width, height, fill: 'transparent' }), ...drawn(layer, frame, images));
}

/** Draws a design in a size. The groups of its layers are named by their ids. */
export type Painter = (design: BannerDesign, size: AdSize, images: Images, fonts: number) => void;

/** Draws designs into a container, one after another; layers that have not changed are kept as they are. */
export function createPainter(into: Konva.Group | Konva.Layer): Painter {
  const background = new Rect({ name: 'background' });
  const border = new Rect({ x: 0.5, y: 0.5, strokeWidth: 1, listening: false });
  const known = new Map<string, { layer: Layer; made: readonly unknown[]; group: Konva.Group }>();
  return (design, size, images, fonts) => {
    const [width, height] = sidesOf(size);
    background.setAttrs({ width, height, fill: design.background });
    const wanted: (Konva.Group | Konva.Shape)[] = [background];
    const gone = new Set(known.keys());
    for (const layer of design.layers) {
      const frame = frameOf(layer, size);
      if (frame.hidden) continue;
      const made = [layer, size, fonts, layer.kind === 'image' ? images.get(layer.media_id) : undefined];
      let one = known.get(layer.id);
      if (!one || one.made.some((part, at) => part !== made[at])) {
        one?.group.destroy();
        const group = new Konva.Group({ id: layer.id, opacity: layer.opacity });
        place(group, layer, frame, images);
        one = { layer, made, group };
        known.set(layer.id, one);
      }
      gone.delete(layer.id);
      wanted.push(one.group);
    }
    for (const id of gone) {
      known.get(id)!.group.destroy();
      known.delete(id);
    }
    if (design.border) {
      border.setAttrs({ width: width - 1, height: height - 1, stroke: design.border });
      wanted.push(border);
    }
    // Whatever is taken out is no longer dragged, so nothing is if it is there already.
    const children = into.getChildren();
    if (children.length === wanted.length && wanted.every((node, at) => node === children[at])) return;
    into.removeChildren();
    into.add(...wanted);
  };
}

/** What a group that a painter fills looks like in a size, `ratio` pixels for each of its own. */
export function canvasOf(root: Konva.Group, size: AdSize, ratio = 1): HTMLCanvasElement {
  const [width, height] = sidesOf(size);
  return root.toCanvas({ x: 0, y: 0, width, height, pixelRatio: ratio }) as HTMLCanvasElement;
}

export const newRoot = (): Konva.Group => new Konva.Group({ listening: false });

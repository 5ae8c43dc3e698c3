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

/** Whether a text needs more room than its frame has. */
export function overflows(layer: TextLayer, frame: Frame): boolean {
  const text = textOf(layer, frame);
  const isTooHigh = text.height() > frame.height + 1;
  text.destroy();
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

/** Draws a design in a size into a layer of a stage. The groups of its layers are named by their ids. */
export function paint(into: Konva.Layer, design: BannerDesign, size: AdSize, images: Images): void {
  const [width, height] = sidesOf(size);
  into.add(new Rect({ width, height, fill: design.background, name: 'background' }));
  for (const layer of design.layers) {
    const frame = frameOf(layer, size);
    if (frame.hidden) continue;
    const group = new Konva.Group({ id: layer.id, opacity: layer.opacity });
    place(group, layer, frame, images);
    into.add(group);
  }
  if (design.border)
    into.add(
      new Rect({
        ...{ x: 0.5, y: 0.5, width: width - 1, height: height - 1, listening: false },
        ...{ stroke: design.border, strokeWidth: 1 },
      }),
    );
}

/** A design in a size as a canvas, `ratio` pixels for each of its own. */
export function canvasOf(design: BannerDesign, size: AdSize, images: Images, ratio = 1): HTMLCanvasElement {
  const [width, height] = sidesOf(size);
  const stage = new Konva.Stage({ container: document.createElement('div'), width, height });
  const layer = new Konva.Layer({ listening: false });
  stage.add(layer);
  paint(layer, design, size, images);
  layer.draw();
  const canvas = stage.toCanvas({ pixelRatio: ratio });
  stage.destroy();
  return canvas;
}

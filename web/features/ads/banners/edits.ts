import type { AdSize } from '../../../../contract/ads/ad-rules.ts';
import {
  type BannerDesign,
  FORM_SIZES,
  type Frame,
  frameOf,
  type Layer,
  type LayerKind,
  MOST_LAYERS,
  sidesOf,
} from '../../../../contract/ads/banner-rules.ts';

/** What people edit, all of which can be undone. */
export interface Draft {
  name: string;
  alt_text: string;
  click_url: string;
  design: BannerDesign;
}

const withLayers = (draft: Draft, layers: Layer[]): Draft => ({
  ...draft,
  design: { ...draft.design, layers },
});

/** The draft with one layer changed. */
export const withLayer = (draft: Draft, id: string, change: (layer: Layer) => Layer): Draft =>
  withLayers(
    draft,
    draft.design.layers.map((layer) => (layer.id === id ? change(layer) : layer)),
  );

/** The draft with a layer somewhere else in a size; from then on it has its own place there. */
export const withFrame = (draft: Draft, id: string, size: AdSize, patch: Partial<Frame>): Draft =>
  withLayer(draft, id, (layer) => ({
    ...layer,
    frames: { ...layer.frames, [size]: { ...frameOf(layer, size), ...patch } },
  }));

/** The draft with a layer that follows another size again. It needs at least one place of its own. */
export const withoutFrame = (draft: Draft, id: string, size: AdSize): Draft =>
  withLayer(draft, id, (layer) => {
    const { [size]: _own, ...frames } = layer.frames;
    return Object.keys(frames).length > 0 ? { ...layer, frames } : layer;
  });

/** The draft with a layer that is in all sizes as it is in this one, by its anchors. */
export const withOneFrame = (draft: Draft, id: string, size: AdSize): Draft =>
  withLayer(draft, id, (layer) => ({ ...layer, frames: { [size]: frameOf(layer, size) } }));

export const withoutLayer = (draft: Draft, id: string): Draft =>
  withLayers(
    draft,
    draft.design.layers.filter((layer) => layer.id !== id),
  );

/** The draft with a layer moved by places toward the front (1) or the back (-1), as far as there are any. */
export function withOrder(draft: Draft, id: string, by: number): Draft {
  const layers = [...draft.design.layers];
  const from = layers.findIndex((layer) => layer.id === id);
  const to = Math.max(0, Math.min(layers.length - 1, from + by));
  if (from < 0 || from === to) return draft;
  const [layer] = layers.splice(from, 1);
  layers.splice(to, 0, layer!);
  return withLayers(draft, layers);
}

/** The draft with a copy of a layer in front of it, moved a little, and the copy's id. */
export function withCopy(draft: Draft, id: string, copyId: string): Draft {
  if (draft.design.layers.length >= MOST_LAYERS) return draft;
  const layers = draft.design.layers.flatMap((layer) => {
    if (layer.id !== id) return [layer];
    const frames = Object.fromEntries(
      Object.entries(layer.frames).map(([size, frame]) => [
        size,
        { ...frame, x: frame.x + 8, y: frame.y + 8 },
      ]),
    );
    return [layer, { ...layer, id: copyId, name: `${layer.name} copy`.slice(0, 80), frames }];
  });
  return withLayers(draft, layers);
}

/** The share of a banner that a new layer covers, across and down, where its own proportions do not say. */
const SHARE: Record<LayerKind, [number, number]> = { text: [0.7, 0.3], image: [0.6, 0.6], shape: [0.4, 0.3] };

/** The draft with a new layer in the middle of every size, in the proportions of `sides` if they are given. */
export function withNew(
  draft: Draft,
  layer: Omit<Layer, 'frames' | 'anchor_x' | 'anchor_y' | 'opacity'>,
  size: AdSize,
  sides?: { width: number; height: number },
): Draft {
  if (draft.design.layers.length >= MOST_LAYERS) return draft;
  const [across, down] = SHARE[layer.kind];
  const frames: Layer['frames'] = {};
  for (const one of new Set<AdSize>([...FORM_SIZES, size])) {
    const [w, h] = sidesOf(one);
    const scale = sides ? Math.min((w * across) / sides.width, (h * down) / sides.height) : 1;
    const width = Math.round(sides ? sides.width * scale : w * across);
    const height = Math.round(sides ? sides.height * scale : h * down);
    frames[one] = {
      x: Math.round((w - width) / 2),
      y: Math.round((h - height) / 2),
      width: Math.max(1, width),
      height: Math.max(1, height),
      ...(layer.kind === 'text' ? { text_size: Math.max(10, Math.min(28, Math.round(height * 0.5))) } : {}),
    };
  }
  const placed = { ...layer, anchor_x: 'center', anchor_y: 'middle', opacity: 1, frames } as Layer;
  return withLayers(draft, [...draft.design.layers, placed]);
}

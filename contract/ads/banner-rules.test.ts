import { describe, expect, test } from 'vitest';
import { AD_SIZES, type AdSize } from './ad-rules.ts';
import {
  type BannerDesign,
  faultsOf,
  frameOf,
  type Layer,
  moved,
  type ShapeLayer,
  sidesOf,
  sourceOf,
} from './banner-rules.ts';
import { designOf, TEMPLATES, type TemplateName } from './banner-templates.ts';
import { Design } from './banners.ts';

const shape = (frames: Layer['frames'], more: Partial<ShapeLayer> = {}): ShapeLayer => ({
  ...{ id: 'a', name: 'Box', kind: 'shape', shape: 'rectangle', fill: '#1f5c43', stroke: null },
  ...{ stroke_width: 0, radius: 0, anchor_x: 'left', anchor_y: 'top', opacity: 1 },
  frames,
  ...more,
});
const COLORS = { main: '#173f2f', onMain: '#ffffff', accent: '#d9480f', onAccent: '#ffffff' };

describe('[MED-01] one design in every size', () => {
  test('a layer keeps its distance to where it is anchored, scaled by what fits', () => {
    const frame = { x: 200, y: 10, width: 80, height: 20, text_size: 20 };
    const to = (anchor_x: Layer['anchor_x'], anchor_y: Layer['anchor_y'], size: AdSize) =>
      moved(frame, '300x250', size, { anchor_x, anchor_y });
    // 300x600 is as wide and higher: nothing is scaled.
    expect(to('left', 'top', '300x600')).toEqual(frame);
    expect(to('left', 'bottom', '300x600')).toMatchObject({ x: 200, y: 360, height: 20 });
    expect(to('left', 'middle', '300x600')).toMatchObject({ y: 185 });
    expect(to('left', 'stretch', '300x600')).toMatchObject({ y: 10, height: 370 });
    // 970x250 is wider: 20 px are left to the right of it.
    expect(to('right', 'top', '970x250')).toMatchObject({ x: 870, width: 80 });
    expect(to('center', 'top', '970x250')).toMatchObject({ x: 535 });
    expect(to('stretch', 'top', '970x250')).toMatchObject({ x: 200, width: 750 });
    // 728x90 is less high: everything becomes 0.36 of what it was, but text stays legible.
    expect(to('left', 'top', '728x90')).toEqual({ x: 72, y: 3.6, width: 28.8, height: 7.2, text_size: 8 });
  });

  test('a size without its own place follows the most similar one, first of the same form', () => {
    const at = { x: 0, y: 0, width: 10, height: 10 };
    const layer = shape({ '300x250': at, '728x90': at, '320x50': at });
    expect(AD_SIZES.map((size) => [size, sourceOf(layer, size)])).toEqual([
      ['300x250', '300x250'],
      ['728x90', '728x90'],
      ['160x600', '300x250'],
      ['300x600', '300x250'],
      ['320x50', '320x50'],
      ['300x50', '320x50'],
      ['970x250', '728x90'],
      ['970x90', '728x90'],
    ]);
    expect(sourceOf(shape({}), '300x250')).toBeUndefined();
    expect(frameOf(shape({}), '300x250').hidden).toBe(true);
  });

  test.each(AD_SIZES)('what is inside of one size is inside of %s, by any anchor', (size) => {
    const [width, height] = sidesOf(size);
    for (const from of AD_SIZES)
      for (const anchor_x of ['left', 'center', 'right', 'stretch'] as const)
        for (const anchor_y of ['top', 'middle', 'bottom', 'stretch'] as const) {
          const [w, h] = sidesOf(from);
          const frame = { x: w / 4, y: h / 5, width: w / 2, height: h / 2 };
          const there = moved(frame, from, size, { anchor_x, anchor_y });
          expect(there.x).toBeGreaterThanOrEqual(0);
          expect(there.y).toBeGreaterThanOrEqual(0);
          expect(there.x + there.width).toBeLessThanOrEqual(width + 0.2);
          expect(there.y + there.height).toBeLessThanOrEqual(height + 0.2);
        }
  });

  test.each(Object.keys(TEMPLATES) as TemplateName[])(
    'the template %s is accepted and fits every size',
    (name) => {
      const design = designOf(name, COLORS);
      expect(Design.safeParse(design).error).toBeUndefined();
      for (const size of AD_SIZES)
        for (const layer of design.layers) {
          const [width, height] = sidesOf(size);
          const frame = frameOf(layer, size);
          expect([size, layer.id, frame.x >= 0 && frame.x + frame.width <= width + 0.2]).toEqual([
            size,
            layer.id,
            true,
          ]);
          expect([size, layer.id, frame.y >= 0 && frame.y + frame.height <= height + 0.2]).toEqual([
            size,
            layer.id,
            true,
          ]);
        }
    },
  );
});

describe('[MED-01] checks of a banner', () => {
  const design: BannerDesign = {
    background: '#173f2f',
    border: null,
    sizes: ['300x250', '320x50'],
    layers: [shape({ '300x250': { x: 10, y: 10, width: 100, height: 50 } })],
  };
  const good = { design, alt_text: 'A pack', click_url: 'https://shop.example.com/' };
  const all = { has: () => true };
  const textsOf = (...given: Parameters<typeof faultsOf>) =>
    faultsOf(...given).map(({ level, size, text }) => `${level} ${size ?? 'all'}: ${text}`);

  test('a good one has no faults', () => expect(faultsOf(good, all)).toEqual([]));

  test('alternative text and a click address over https are needed', () => {
    expect(textsOf({ ...good, alt_text: ' ', click_url: '' }, all)).toEqual([
      'error all: Alternative text is missing.',
      'error all: Click address is missing.',
    ]);
    expect(textsOf({ ...good, click_url: 'http://shop.example.com/' }, all)).toEqual([
      'error all: Click address must start with https://.',
    ]);
    expect(textsOf({ ...good, click_url: 'javascript:alert(1)' }, all)).toHaveLength(1);
  });

  test('missing fonts and images keep it from being shown', () => {
    const photo = {
      ...shape(design.layers[0]!.frames),
      kind: 'image',
      media_id: 'x',
      fit: 'cover',
    } as unknown as Layer;
    const known = { has: () => false, missingFonts: ['Figtree'] };
    expect(textsOf({ ...good, design: { ...design, layers: [photo] } }, known)).toEqual([
      'error all: The image of “Box” is missing. Choose another one.',
      'error all: The font Figtree could not be loaded. Reload the page, or choose another font.',
    ]);
  });

  test('a light background wants a border', () => {
    const light = { ...design, background: '#fafafa' };
    expect(textsOf({ ...good, design: light }, all)).toEqual([
      'warning all: A light background needs a border, because many sites are white.',
    ]);
    expect(faultsOf({ ...good, design: { ...light, border: '#c9ccd3' } }, all)).toEqual([]);
  });

  test('weight, layers outside, and sizes without anything are told by size', () => {
    expect(textsOf(good, { ...all, bytes: { '300x250': 150 * 1024, '320x50': 50 * 1024 + 1 } })).toEqual([
      'warning 320x50: Weighs 51 KB. Most sites accept up to 50 KB.',
    ]);
    const out = shape({ '300x250': { x: 300, y: 0, width: 10, height: 10 } }, { id: 'b', name: 'Out' });
    expect(textsOf({ ...good, design: { ...design, layers: [...design.layers, out] } }, all)).toContain(
      'warning 300x250: “Out” is outside of the banner.',
    );
    expect(textsOf({ ...good, design: { ...design, layers: [] } }, all)).toEqual([
      'error 300x250: Nothing is shown.',
      'error 320x50: Nothing is shown.',
    ]);
  });
});

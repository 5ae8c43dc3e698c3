import { describe, expect, test } from 'vitest';
import type { Layer } from '../../../../contract/ads/banner-rules.ts';
import { designOf } from '../../../../contract/ads/banner-templates.ts';
import {
  type Draft,
  withCopy,
  withFrame,
  withNew,
  withOneFrame,
  withOrder,
  withoutFrame,
  withoutLayer,
} from './edits.ts';
import { changed, historyOf, redone, undone } from './history.ts';
import { snapped } from './snap.ts';

const COLORS = { main: '#173f2f', onMain: '#ffffff', accent: '#d9480f', onAccent: '#ffffff' };
const draft: Draft = { name: 'Spring', alt_text: '', click_url: '', design: designOf('bold', COLORS) };
const idsOf = ({ design }: Draft) => design.layers.map(({ id }) => id);
const layerOf = ({ design }: Draft, id: string) => design.layers.find((layer) => layer.id === id)!;

describe('[MED-01] edits of a banner', () => {
  test('moving a layer in one size leaves the others where they are, until it follows again', () => {
    const there = withFrame(draft, 'headline', '970x90', { x: 5 });
    expect(layerOf(there, 'headline').frames['970x90']).toMatchObject({ x: 5 });
    expect(layerOf(there, 'headline').frames['728x90']).toEqual(layerOf(draft, 'headline').frames['728x90']);
    expect(withoutFrame(there, 'headline', '970x90')).toEqual(draft);
    const only = withOneFrame(there, 'headline', '300x250');
    expect(Object.keys(layerOf(only, 'headline').frames)).toEqual(['300x250']);
    // The last place of a layer stays.
    expect(withoutFrame(only, 'headline', '300x250')).toEqual(only);
  });

  test('order, copies, and removal', () => {
    expect(idsOf(draft)).toEqual(['headline', 'line', 'button']);
    expect(idsOf(withOrder(draft, 'headline', 1))).toEqual(['line', 'headline', 'button']);
    expect(withOrder(draft, 'button', 1)).toBe(draft);
    expect(idsOf(withCopy(draft, 'line', 'copy'))).toEqual(['headline', 'line', 'copy', 'button']);
    expect(layerOf(withCopy(draft, 'line', 'copy'), 'copy')).toMatchObject({ name: 'Line copy' });
    expect(idsOf(withoutLayer(draft, 'line'))).toEqual(['headline', 'button']);
  });

  test('there are never more than 200 layers', () => {
    let full = draft;
    while (full.design.layers.length < 200)
      full = withCopy(full, 'line', `copy-${full.design.layers.length}`);
    expect(withCopy(full, 'line', 'more')).toBe(full);
    expect(withNew(full, { ...layerOf(draft, 'line'), id: 'more' }, '300x250')).toBe(full);
  });

  test('a new image is in the middle of every form, in its own proportions', () => {
    const photo = { id: 'p', name: 'Pack', kind: 'image', media_id: 'm', fit: 'contain' } as unknown as Layer;
    const { frames } = layerOf(withNew(draft, photo, '300x250', { width: 400, height: 100 }), 'p');
    expect(Object.keys(frames)).toEqual(['300x250', '728x90', '160x600']);
    expect(frames['300x250']).toEqual({ x: 60, y: 103, width: 180, height: 45 });
    for (const frame of Object.values(frames)) expect(frame.width / frame.height).toBeCloseTo(4, 0);
  });
});

describe('[MED-01] undo', () => {
  test('goes back and forth; a change after it ends what could be redone', () => {
    let history = historyOf('a');
    history = changed(changed(history, 'b'), 'c');
    history = undone(history);
    expect([history.now, redone(history).now]).toEqual(['b', 'c']);
    history = changed(history, 'd');
    expect(redone(history)).toBe(history);
    expect([undone(undone(history)).now, undone(undone(undone(history))).now]).toEqual(['a', 'a']);
  });

  test('letters typed one after another are one step, and so are arrow keys', () => {
    let history = historyOf('');
    for (const text of ['S', 'Sp', 'Spr']) history = changed(history, text, 'name');
    history = changed(history, 'Spr!', 'other');
    expect([undone(history).now, undone(undone(history)).now]).toEqual(['Spr', '']);
  });

  test('the first state is the same one again, so that nothing is unsaved', () => {
    const first = { name: 'a' };
    expect(undone(changed(historyOf(first), { name: 'b' })).now).toBe(first);
  });
});

describe('[MED-01] snapping', () => {
  const banner = { width: 300, height: 250 };
  test('edges and centers meet those of the banner and of other layers, if they are near', () => {
    const box = { x: 97, y: 40, width: 100, height: 20 };
    expect(snapped(box, banner, [], 5)).toEqual({ x: 100, y: 40, guides: [{ axis: 'x', at: 150 }] });
    expect(snapped({ ...box, x: 203, y: 229 }, banner, [], 5)).toMatchObject({ x: 200, y: 230 });
    const other = { x: 20, y: 43, width: 10, height: 100 };
    expect(snapped({ ...box, x: 60 }, banner, [other], 5)).toMatchObject({ x: 60, y: 43 });
    expect(snapped({ ...box, x: 60, y: 50 }, banner, [], 5)).toEqual({ x: 60, y: 50, guides: [] });
  });
});

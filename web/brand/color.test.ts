import { describe, expect, it } from 'vitest';
import { contrast, legible, parseColor, type Rgb } from './color.ts';
import { type BrandColors, brandTokens, SURFACES } from './tokens.ts';

const none: BrandColors = {
  box_bgcolor: null,
  text_color: null,
  link_color: null,
  template_bgcolor: null,
  sidebar_bgcolor: null,
};
const color = (text: string): Rgb => {
  const parsed = parseColor(text);
  if (!parsed) throw new Error(`${text} is no color`);
  return parsed;
};
const ratio = (a: string, b: string) => contrast(color(a), color(b));

describe('parseColor', () => {
  it('reads the ways tenants write a color, and refuses the rest', () => {
    expect(parseColor('#0af')).toEqual([0, 170, 255]);
    expect(parseColor(' #00AAFF80 ')).toEqual([0, 170, 255]);
    expect(parseColor('00aaff')).toEqual([0, 170, 255]);
    expect(parseColor('rgba(1, 2, 3, 0.5)')).toEqual([1, 2, 3]);
    for (const bad of ['', null, undefined, 'red', '#12', '#12345', 'rgb(300,0,0)', 'url(x)']) {
      expect(parseColor(bad)).toBeUndefined();
    }
  });
});

describe('legible', () => {
  it('leaves a color that reads and moves one that does not', () => {
    expect(legible([0, 0, 0], [[255, 255, 255]], 4.5)).toEqual([0, 0, 0]);
    const moved = legible([255, 255, 0], [[255, 255, 255]], 4.5);
    expect(contrast(moved, [255, 255, 255])).toBeGreaterThanOrEqual(4.5);
  });
});

describe('brandTokens', () => {
  const awkward = [
    '#ffffff',
    '#000000',
    '#ffff00',
    '#808080',
    '#777777',
    '#00ff00',
    '#0000ff',
    '#ff69b4',
    '#fefefe',
    '#1a1a1a',
    'nonsense',
  ];
  const sets: BrandColors[] = [
    none,
    ...awkward.map((one) => ({
      box_bgcolor: one,
      text_color: one,
      link_color: one,
      template_bgcolor: one,
      sidebar_bgcolor: one,
    })),
    ...awkward.flatMap((box) =>
      awkward.map((other) => ({
        ...none,
        box_bgcolor: box,
        text_color: other,
        link_color: other,
        sidebar_bgcolor: other,
      })),
    ),
  ];

  it.each(['light', 'dark'] as const)('keeps text at 4.5:1 and controls at 3:1 in the %s theme', (theme) => {
    for (const set of sets) {
      const tokens = brandTokens(set)[theme];
      const surface = SURFACES[theme];
      const failed = [
        ['onAccent', ratio(tokens.onAccent, tokens.accent), 4.5],
        ['onAccent hover', ratio(tokens.onAccent, tokens.accentHover), 4.5],
        ['accent on page', ratio(tokens.accent, surface.page), 3],
        ['accent on card', ratio(tokens.accent, surface.card), 3],
        ['link on page', ratio(tokens.link, surface.page), 4.5],
        ['link on raised', ratio(tokens.link, surface.raised), 4.5],
        ['onWash', ratio(tokens.onWash, tokens.wash), 4.5],
        ['line', ratio(tokens.line, surface.card), 3],
        ['sidebar', ratio(tokens.onSidebar, tokens.sidebar), 4.5],
        ['sidebar dim', ratio(tokens.onSidebarDim, tokens.sidebar), 4.5],
        ['sidebar active', ratio(tokens.onSidebar, tokens.sidebarActive), 4.5],
      ].filter(([, got, least]) => (got as number) < (least as number));
      expect({ set, failed }).toEqual({ set, failed: [] });
    }
  });

  it('uses a good color as it is and names what it corrected', () => {
    const good = brandTokens({ ...none, box_bgcolor: '#1d4ed8' });
    expect(good.light.accent).toBe('#1d4ed8');
    expect(good.corrections.filter((one) => one.theme === 'light')).toEqual([]);
    expect(
      brandTokens({ ...none, box_bgcolor: '#1d4ed8', text_color: '#1d4ed8' }).corrections,
    ).toContainEqual({
      theme: 'light',
      field: 'text_color',
      given: '#1d4ed8',
      used: good.light.onAccent,
    });
    const pale = brandTokens({ ...none, box_bgcolor: '#ffff00' });
    expect(pale.corrections).toContainEqual({
      theme: 'light',
      field: 'box_bgcolor',
      given: '#ffff00',
      used: pale.light.accent,
    });
  });
});

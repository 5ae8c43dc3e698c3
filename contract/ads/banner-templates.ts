import { AD_SIZES, type AdSize } from './ad-rules.ts';
import type { BannerDesign, Frame, Layer, ShapeLayer, TextLayer } from './banner-rules.ts';

/** The colors of a template, usually those of the company. */
export interface TemplateColors {
  main: string;
  onMain: string;
  accent: string;
  onAccent: string;
}

export const TEMPLATES = {
  bold: 'Headline on color',
  offer: 'Offer with a panel',
  light: 'Light with a border',
  blank: 'Blank',
} as const;
export type TemplateName = keyof typeof TEMPLATES;

/** The sizes in which templates are arranged; the others follow from these. */
const ARRANGED = ['300x250', '728x90', '160x600', '300x600', '970x250', '320x50'] as const;
/** x, y, width, height, and the size of its text, in each of ARRANGED. */
type Places = readonly (readonly [x: number, y: number, width: number, height: number, text?: number])[];

const framesOf = (places: Places): Partial<Record<AdSize, Frame>> =>
  Object.fromEntries(
    places.map(([x, y, width, height, text], at) => [
      ARRANGED[at],
      { x, y, width, height, ...(text ? { text_size: text } : {}) },
    ]),
  );
const base = { anchor_x: 'left', anchor_y: 'middle', opacity: 1 } as const;
const text = (
  id: string,
  name: string,
  words: string,
  color: string,
  places: Places,
  more: Partial<TextLayer> = {},
): TextLayer => ({
  ...{ id, name, kind: 'text', text: words, font: 'inter', bold: true, color, align: 'left' },
  ...{ fill: null, radius: 0 },
  ...base,
  frames: framesOf(places),
  ...more,
});
const shape = (id: string, name: string, fill: string, places: Places): ShapeLayer => ({
  ...{ id, name, kind: 'shape', shape: 'rectangle', fill, stroke: null, stroke_width: 0, radius: 0 },
  ...base,
  anchor_x: 'stretch',
  frames: framesOf(places),
});
const button = (words: string, colors: TemplateColors, places: Places): TextLayer =>
  text('button', 'Button', words, colors.onAccent, places, {
    align: 'center',
    fill: colors.accent,
    radius: 4,
    anchor_x: 'right',
  });

const LAYERS: Record<TemplateName, (colors: TemplateColors) => Layer[]> = {
  bold: (colors) => [
    text('headline', 'Headline', 'Say what you offer', colors.onMain, [
      [22, 26, 256, 100, 34],
      [28, 15, 400, 34, 26],
      [14, 40, 132, 190, 28],
      [28, 60, 244, 190, 46],
      [44, 40, 620, 112, 44],
      [10, 5, 196, 24, 16],
    ]),
    text(
      'line',
      'Line',
      'One sentence about why it matters',
      colors.onMain,
      [
        [22, 134, 256, 46, 16],
        [28, 50, 400, 24, 15],
        [14, 246, 132, 110, 16],
        [28, 270, 244, 100, 20],
        [44, 160, 620, 40, 24],
        [10, 28, 196, 17, 10],
      ],
      { bold: false },
    ),
    button('Learn more', colors, [
      [22, 192, 132, 38, 16],
      [566, 25, 136, 40, 16],
      [14, 536, 132, 42, 16],
      [28, 520, 244, 52, 20],
      [700, 93, 224, 64, 24],
      [220, 10, 90, 30, 13],
    ]),
  ],
  offer: (colors) => [
    shape('panel', 'Panel', colors.accent, [
      [0, 0, 300, 110],
      [0, 0, 200, 90],
      [0, 0, 160, 190],
      [0, 0, 300, 230],
      [0, 0, 320, 250],
      [0, 0, 92, 50],
    ]),
    text(
      'offer',
      'Offer',
      '20% off',
      colors.onAccent,
      [
        [16, 22, 268, 66, 52],
        [10, 20, 180, 50, 40],
        [10, 50, 140, 90, 36],
        [20, 70, 260, 90, 62],
        [20, 85, 280, 80, 66],
        [4, 11, 84, 28, 20],
      ],
      { align: 'center' },
    ),
    text('line', 'Line', 'For everyone who orders this month', colors.onMain, [
      [20, 122, 260, 58, 20],
      [222, 16, 320, 58, 20],
      [12, 214, 136, 150, 20],
      [24, 260, 252, 130, 28],
      [360, 70, 340, 110, 32],
      [100, 6, 118, 38, 13],
    ]),
    text(
      'button',
      'Button',
      'Order now',
      colors.main,
      [
        [20, 194, 130, 36, 16],
        [570, 25, 132, 40, 16],
        [14, 536, 132, 42, 16],
        [28, 520, 244, 52, 20],
        [722, 93, 204, 64, 24],
        [228, 10, 84, 30, 13],
      ],
      { align: 'center', fill: colors.onMain, radius: 20, anchor_x: 'right' },
    ),
  ],
  light: (colors) => [
    shape('stripe', 'Stripe', colors.main, [
      [0, 0, 300, 10],
      [0, 0, 728, 6],
      [0, 0, 160, 12],
      [0, 0, 300, 14],
      [0, 0, 970, 12],
      [0, 0, 320, 4],
    ]),
    text('headline', 'Headline', 'Good news, in a few words', '#1b1d22', [
      [22, 34, 256, 84, 30],
      [28, 18, 420, 34, 24],
      [14, 40, 132, 190, 26],
      [28, 60, 244, 180, 42],
      [44, 48, 620, 106, 42],
      [10, 7, 200, 22, 15],
    ]),
    text(
      'line',
      'Line',
      'What people should know about it',
      '#3f434d',
      [
        [22, 126, 256, 46, 16],
        [28, 52, 420, 24, 15],
        [14, 246, 132, 110, 16],
        [28, 256, 244, 100, 20],
        [44, 162, 620, 40, 24],
        [10, 29, 200, 16, 10],
      ],
      { bold: false },
    ),
    button('See more', colors, [
      [22, 190, 124, 38, 16],
      [576, 28, 126, 38, 16],
      [14, 536, 132, 42, 16],
      [28, 520, 244, 52, 20],
      [712, 93, 212, 64, 24],
      [222, 11, 88, 30, 13],
    ]),
  ],
  blank: () => [],
};

/** A new design of a template. */
export function designOf(name: TemplateName, colors: TemplateColors): BannerDesign {
  const isLight = name === 'light' || name === 'blank';
  return {
    background: isLight ? '#ffffff' : colors.main,
    border: isLight ? '#c9ccd3' : null,
    sizes: [...AD_SIZES],
    layers: LAYERS[name](colors),
  };
}

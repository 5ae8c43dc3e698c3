import type { TemplateColors } from '../../../../contract/ads/banner-templates.ts';
import type { Client } from '../../../../contract/index.ts';
import type { BrandColors } from '../../../brand/tokens.ts';
import { brandTokens } from '../../../brand/tokens.ts';

export type Banner = Awaited<ReturnType<Client['banners']['details']>>;
export type BannerRow = Awaited<ReturnType<Client['banners']['list']>>['data'][number];
export type Media = Awaited<ReturnType<Client['media']['ofCompany']>>['data'][number];

const HEX = /^#[0-9a-f]{6}$/i;
const NEUTRAL = ['#ffffff', '#f6f7f9', '#c9ccd3', '#3f434d', '#1b1d22'];

/** The colors of the company's brand, then some that go with any. */
export function swatchesOf(brand: BrandColors): string[] {
  const own = [
    brand.sidebar_bgcolor,
    brand.link_color,
    brand.box_bgcolor,
    brand.template_bgcolor,
    brand.text_color,
  ];
  const { accent, onAccent } = brandTokens(brand).light;
  const all = [accent, ...own, onAccent, ...NEUTRAL]
    .filter((color): color is string => color !== null && HEX.test(color))
    .map((color) => color.toLowerCase());
  return [...new Set(all)].slice(0, 14);
}

/** The colors that templates begin with. */
export function templateColors(brand: BrandColors): TemplateColors {
  const { accent, onAccent, sidebar, onSidebar } = brandTokens(brand).light;
  const isHex = [sidebar, onSidebar].every((color) => HEX.test(color));
  const isLight = (color: string) => Number.parseInt(color.slice(1, 3), 16) > 200;
  // A light sidebar is no color to put a headline on.
  const main = isHex && !isLight(sidebar) ? sidebar : '#20242e';
  return {
    main: main.toLowerCase(),
    onMain: isHex && main === sidebar ? onSidebar.toLowerCase() : '#ffffff',
    accent: accent.toLowerCase(),
    onAccent: onAccent.toLowerCase(),
  };
}

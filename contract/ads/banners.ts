import { z } from 'zod';
import { FONT_THEMES, type FontTheme } from '../accounts/fonts.ts';
import { call } from '../base.ts';
import { Done, hasControls, Id, Instant, Line, Page, PageQuery, Whole } from '../primitives.ts';
import { AltText, ClickUrl } from './ad-campaigns.ts';
import { AD_SIZES } from './ad-rules.ts';
import {
  ALIGNMENTS,
  ANCHORS_X,
  ANCHORS_Y,
  type BannerDesign,
  FAR,
  FITS,
  MOST_LAYER_TEXT,
  MOST_LAYERS,
  SHAPES,
} from './banner-rules.ts';

const tags = ['Ads'];
const Color = z.string().regex(/^#[0-9a-f]{6}$/, 'must be a color such as #1f5c43');
const Place = z.number().min(-FAR, `must be at least ${-FAR}`).max(FAR, `must not exceed ${FAR}`);
const Length = z.number().min(1, 'must be at least 1').max(FAR, `must not exceed ${FAR}`);
const Radius = z.number().min(0, 'must be at least 0').max(500, 'must not exceed 500');

const Frame = z.strictObject({
  x: Place,
  y: Place,
  width: Length,
  height: Length,
  text_size: z.number().min(4, 'must be at least 4').max(400, 'must not exceed 400').optional(),
  hidden: z.boolean().optional(),
});
const base = {
  id: z.string().regex(/^[\w-]{1,40}$/, 'must be up to 40 letters, digits, - or _'),
  name: Line.max(80, 'must not exceed 80 characters'),
  anchor_x: z.enum(ANCHORS_X),
  anchor_y: z.enum(ANCHORS_Y),
  opacity: z.number().min(0, 'must be at least 0').max(1, 'must not exceed 1'),
  frames: z.partialRecord(z.enum(AD_SIZES), Frame).describe('Where it is, by size'),
};
// What is not named here is refused: no address, script, or style of its own can get into a banner.
const Layer = z.discriminatedUnion('kind', [
  z.strictObject({
    ...base,
    kind: z.literal('text'),
    text: z
      .string()
      .max(MOST_LAYER_TEXT, `must not exceed ${MOST_LAYER_TEXT} characters`)
      .refine((text) => !hasControls(text.replaceAll('\n', '')), 'must not contain control characters'),
    font: z.enum(Object.keys(FONT_THEMES) as [FontTheme, ...FontTheme[]]),
    bold: z.boolean(),
    color: Color,
    align: z.enum(ALIGNMENTS),
    fill: Color.nullable(),
    radius: Radius,
  }),
  z.strictObject({ ...base, kind: z.literal('image'), media_id: Id, fit: z.enum(FITS) }),
  z.strictObject({
    ...base,
    kind: z.literal('shape'),
    shape: z.enum(SHAPES),
    fill: Color.nullable(),
    stroke: Color.nullable(),
    stroke_width: z.number().min(0, 'must be at least 0').max(100, 'must not exceed 100'),
    radius: Radius,
  }),
]);

/** What a banner looks like in all of its sizes. */
export const Design: z.ZodType<BannerDesign, BannerDesign> = z
  .strictObject({
    background: Color,
    border: Color.nullable(),
    sizes: z
      .array(z.enum(AD_SIZES))
      .min(1, 'must have at least one size')
      .max(AD_SIZES.length, `must not exceed ${AD_SIZES.length} sizes`)
      .refine((sizes) => new Set(sizes).size === sizes.length, 'must not repeat a size'),
    layers: z
      .array(Layer)
      .max(MOST_LAYERS, `must not exceed ${MOST_LAYERS} layers`)
      .refine(
        (layers) => new Set(layers.map(({ id }) => id)).size === layers.length,
        'must not repeat an id',
      ),
  })
  .describe('Layers are from back to front. Images refer to media of the same company');
const Texts = {
  name: Line,
  alt_text: z.union([z.literal(''), AltText]).describe('Needed before it is used in a campaign'),
  click_url: z.union([z.literal(''), ClickUrl]).describe('Needed before it is used in a campaign'),
};

/** A banner without its design, for lists. */
const BannerRow = z.object({
  id: Id,
  company_id: Id,
  company_name: z.string(),
  name: z.string(),
  alt_text: z.string(),
  click_url: z.string(),
  sizes: z.array(z.enum(AD_SIZES)),
  layers: z.int(),
  version: z.int(),
  created_at: Instant,
  updated_at: Instant,
});
export const Banner = BannerRow.omit({ sizes: true, layers: true }).extend({ design: Design });

const Which = z.object({ id: Id });

export const banners = {
  list: call
    .route({ method: 'GET', path: '/ads/banners', tags, summary: 'Lists banners, last changed first' })
    .meta({ access: 'banner.read' })
    .input(PageQuery.extend({ companyID: Id.optional() }))
    .output(Page(BannerRow)),
  details: call
    .route({ method: 'GET', path: '/ads/banners/{id}', tags, summary: 'Returns a banner with its design' })
    .meta({ access: 'banner.read' })
    .input(Which)
    .output(Banner),
  create: call
    .route({ method: 'POST', path: '/ads/banners', tags, summary: 'Creates a banner' })
    .meta({ access: 'banner.create' })
    .input(
      z.object({
        companyID: Id.optional().describe('The client it is for. If omitted, your own company'),
        ...Texts,
        design: Design,
      }),
    )
    .output(Done.extend({ data: Banner })),
  update: call
    .route({ method: 'PUT', path: '/ads/banners/{id}', tags, summary: 'Updates a banner' })
    .meta({ access: 'banner.write' })
    .input(
      Which.extend({
        name: Texts.name.optional(),
        alt_text: Texts.alt_text.optional(),
        click_url: Texts.click_url.optional(),
        design: Design.optional(),
        version: Whole(1, 2_147_483_647)
          .optional()
          .describe('The version that was edited. If omitted, the current version'),
      }),
    )
    .output(Done.extend({ data: Banner })),
  remove: call
    .route({ method: 'DELETE', path: '/ads/banners/{id}', tags, summary: 'Deletes a banner' })
    .meta({ access: 'banner.remove' })
    .input(Which)
    .output(Done),
};

import { z } from 'zod';
import { call } from '../base.ts';
import { CAMPAIGN_STATES, STATE_REASONS } from '../campaigns/campaigns.ts';
import { US_STATES } from '../choices.ts';
import { Paid } from '../money/invoices.ts';
import {
  Day,
  Dollars,
  Done,
  GivenDay,
  given,
  Id,
  Instant,
  Line,
  Micros,
  Page,
  PageQuery,
  Whole,
} from '../primitives.ts';
import { AD_PLATFORMS, CHANNELS, GOAL_TYPES, isClickUrl, MOST_ALT_TEXT } from './ad-rules.ts';
import {
  areaFault,
  MOST_AD_CITIES,
  MOST_AD_ZIPS,
  MOST_AREA_NAME,
  MOST_AREAS,
  MOST_CORNERS,
  openRing,
  roundedPoint,
} from './area-rules.ts';
import { MOST_AIMS } from './audience-rules.ts';

const tags = ['Ads'];
const Which = z.object({ leadspeekID: Id });
const Empty = z.union([z.literal(''), z.null()]).transform(() => null);
const Maybe = <T extends z.ZodType>(type: T) => z.union([Empty, type]).optional();
/** Dollars above 0. */
const Amount = given(Dollars.regex(/[1-9]/, 'must be above 0'));
const Budget = given(
  Dollars.regex(/[1-9]/, 'must be above 0').regex(/^\d+(\.\d{0,2}0*)?$/, 'must be in whole cents'),
);
const Percent = z.union([z.string(), z.number().transform(String)], 'must be a percentage such as 25').pipe(
  z
    .string()
    .regex(/^\d{1,4}(\.\d{1,2})?$/, 'must be a percentage such as 25, with up to 2 decimal places')
    .refine((text) => Number(text) <= 1000, 'must not exceed 1000'),
);

const Audiences = z.array(Id).max(MOST_AIMS, `must not exceed ${MOST_AIMS} entries`).optional();

const Degrees = z.number('must be a number');
const Point = z.object({ latitude: Degrees, longitude: Degrees });
const AreaName = Line.max(MOST_AREA_NAME, `must not exceed ${MOST_AREA_NAME} characters`);
/** An area as it is shown, and as it is set before its shape is checked. */
const AnyArea = z.discriminatedUnion(
  'kind',
  [
    z.object({
      kind: z.literal('circle'),
      name: AreaName,
      ...Point.shape,
      miles: z.number('must be a number').describe('Radius in miles'),
    }),
    z.object({
      kind: z.literal('polygon'),
      name: AreaName,
      // One more, because the first point may be repeated at the end.
      points: z
        .array(Point)
        .max(MOST_CORNERS + 1, `must not exceed ${MOST_CORNERS} entries`)
        .describe('Corners in order. The first may be repeated at the end'),
    }),
  ],
  'must be circle or polygon',
);
const Area = AnyArea.transform((area) =>
  area.kind === 'polygon'
    ? { ...area, points: openRing(area.points) }
    : { ...area, ...roundedPoint(area), miles: Math.round(area.miles * 100) / 100 },
).superRefine((area, context) => {
  const fault = areaFault(area);
  if (fault) context.addIssue({ code: 'custom', message: fault });
});

/** What a person sets on an ad campaign. */
const Fields = z.object({
  campaignName: Line,
  maxBid: given(
    Dollars.regex(/[1-9]/, 'must be above 0').regex(
      /^\d+(\.\d{0,3}0*)?$/,
      'must have up to 3 decimal places',
    ),
  ).describe('The most that the client pays for 1,000 impressions, in US dollars'),
  dailyBudget: Budget.describe('The most that the client pays a day, in its time zone'),
  monthlyBudget: Budget.describe('The most that the client pays a calendar month'),
  total_budget: Maybe(Budget).describe('The most that the client pays in all. Leave blank for no limit'),
  goalType: Maybe(z.enum(GOAL_TYPES)),
  goalValue: Maybe(Amount).describe('US dollars, or percent for ctr. Required with a goal type'),
  agencyMarkup: Percent.optional().describe(
    'What the agency adds to what ads cost, in percent. Set by agencies only',
  ),
  startDate: Maybe(GivenDay),
  endDate: Maybe(GivenDay),
  frequency_cap: Maybe(Whole(1, 1000)).describe('How often one viewer sees the campaign. Blank for no limit'),
  frequency_hours: Whole(1, 720).optional().describe('Within how many hours'),
  click_days: Whole(1, 90).optional().describe('How many days after a click a lead is credited to it'),
  view_hours: Whole(0, 720)
    .optional()
    .describe('How many hours after a viewable impression a lead is credited to it. 0: never'),
  states: z
    .array(z.string().refine((code) => code in US_STATES, 'must be the code of a US state'))
    .max(60, 'must not exceed 60 entries')
    .optional()
    .describe('Viewers in these states. Without states, ZIP codes, and areas: everyone'),
  zips: z
    .array(z.string().regex(/^\d{5}$/, 'must be five digits'))
    .max(MOST_AD_ZIPS, `must not exceed ${MOST_AD_ZIPS} entries`)
    .optional()
    .describe('Viewers in these ZIP codes, too. Without states, ZIP codes, and areas: everyone'),
  cities: z
    .array(z.string().regex(/^[^,]{1,100}, [A-Z]{2}$/, 'must be a city such as Austin, TX'))
    .max(MOST_AD_CITIES, `must not exceed ${MOST_AD_CITIES} entries`)
    .optional()
    .describe('Cities in the states. In a state with cities, only those count'),
  areas: z
    .array(Area)
    .max(MOST_AREAS, `must not exceed ${MOST_AREAS} entries`)
    .optional()
    .describe('Viewers in these areas, too, whose devices say where they are'),
  audiences: Audiences.describe('Only viewers in one of these audiences of the client. Empty for all'),
  excluded_audiences: Audiences.describe('No viewers in these audiences of the client'),
});

/** An ad campaign as it is shown. Amounts that were entered are US dollars. */
export const AdCampaign = z.object({
  leadspeekID: Id,
  leadspeek_api_id: z.int().describe('The campaign number shown to users'),
  company_id: Id,
  company_name: z.string(),
  campaignName: z.string(),
  status: z.enum(CAMPAIGN_STATES),
  statusReason: z.enum(STATE_REASONS).nullable(),
  channel: z.enum(CHANNELS),
  platform: z.enum(AD_PLATFORMS).describe('Who shows the ads. The sandbox shows them to no one'),
  maxBid: z.string(),
  dailyBudget: z.string(),
  monthlyBudget: z.string(),
  total_budget: z.string().nullable(),
  goalType: z.enum(GOAL_TYPES).nullable(),
  goalValue: z.string().nullable(),
  agencyMarkup: z.string().nullable().describe('In percent. null for clients'),
  remainingDays: z.int().describe('Days left in the month, including today, on which it can run'),
  totalSpend: Micros.describe('What the client has paid for ads'),
  balance_micros: Micros.describe('Remaining prepaid balance'),
  startDate: Day.nullable(),
  endDate: Day.nullable(),
  frequency_cap: z.int().nullable(),
  frequency_hours: z.int(),
  click_days: z.int(),
  view_hours: z.int(),
  states: z.array(z.string()),
  zips: z.array(z.string()),
  cities: z.array(z.string()),
  areas: z.array(AnyArea),
  audiences: z.array(Id),
  excluded_audiences: z.array(Id),
  creatives: z.int().describe('Active creatives'),
  sync_error: z.string().nullable().describe('Why the platform could not be told of the last change'),
  version: z.int(),
  created_at: Instant,
});

/** What is left of a budget. Micro-dollars; what may still be billed for impressions under way counts as spent. */
const Remaining = z.object({
  day_micros: Micros.describe('Of today’s budget'),
  month_micros: Micros,
  total_micros: Micros.nullable().describe('null without a total budget'),
  balance_micros: Micros.describe('Of the prepaid balance'),
  remaining_micros: Micros.describe('The least of these: what can be spent today'),
  remainingDays: z.int(),
  due_micros: Micros.describe('What the balance lacks for the daily budget on the remaining days'),
});

const Minimums = z.object({
  minimum_bid: z.string().describe('The least maximum bid, US dollars'),
  minimum_daily: z.string(),
  minimum_monthly: z.string(),
  platform_share: z
    .string()
    .nullable()
    .describe('What the platform adds to what media costs, in percent. Shown only to the root'),
});

export const adCampaigns = {
  create: call
    .route({
      method: 'POST',
      path: '/leadspeek/simplifi',
      tags,
      summary: 'Creates an ad campaign, paused until someone activates it',
    })
    .meta({ access: 'campaign.create' })
    .input(
      Fields.extend({
        companyID: Id.optional().describe('The client. Required when an agency calls'),
        channel: z.enum(CHANNELS).default('exchange'),
      }),
    )
    .output(Done.extend({ data: AdCampaign })),
  update: call
    .route({
      method: 'PUT',
      path: '/leadspeek/simplifi/{leadspeekID}',
      tags,
      summary: 'Updates an ad campaign; fields left out stay as they are',
      description:
        'What an ad exchange spent before is charged by the budgets and the markup of that day, even if it reports it later.',
    })
    .meta({ access: 'campaign.write' })
    .input(
      Fields.partial().extend({
        leadspeekID: Id,
        version: Whole(1, 2_147_483_647)
          .optional()
          .describe('The version that was edited. If omitted, the current version'),
      }),
    )
    .output(Done.extend({ data: AdCampaign })),
  list: call
    .route({ method: 'GET', path: '/leadspeek/simplifi', tags, summary: 'Lists ad campaigns, paginated' })
    .meta({ access: 'campaign.read' })
    .input(
      PageQuery.extend({
        companyID: Id.optional(),
        status: z.enum(['active', 'paused', 'archived']).optional(),
      }),
    )
    .output(Page(AdCampaign.omit({ zips: true, cities: true, areas: true }))),
  details: call
    .route({
      method: 'GET',
      path: '/leadspeek/simplifi/details/{leadspeekID}',
      tags,
      summary: 'Returns an ad campaign',
    })
    .meta({ access: 'campaign.read' })
    .input(Which)
    .output(AdCampaign),
  remainingBudget: call
    .route({
      method: 'GET',
      path: '/leadspeek/simplifi/remaining-budget/{leadspeekID}',
      tags,
      summary: 'Returns what is left of the budgets of an ad campaign',
    })
    .meta({ access: 'campaign.read' })
    .input(Which)
    .output(Remaining),
  checkBudgetIncrease: call
    .route({
      method: 'POST',
      path: '/leadspeek/simplifi/check-budget-increase',
      tags,
      summary: 'Says whether budgets could be changed, and what that would still cost this month',
    })
    .meta({ access: 'campaign.read' })
    .input(
      Which.extend({
        dailyBudget: Budget.optional(),
        monthlyBudget: Budget.optional(),
        total_budget: Maybe(Budget),
      }),
    )
    .output(
      z.object({
        is_increase: z.boolean(),
        allowed: z.boolean(),
        reason: z.string().describe('Why not. Empty if it is allowed'),
        daily_increase_micros: Micros.describe('Below 0 for a decrease'),
        remainingDays: z.int(),
        due_micros: Micros.describe('What the balance would lack for the remaining days'),
      }),
    ),
  costModule: call
    .route({
      method: 'PUT',
      path: '/leadspeek/simplifi/costmodule',
      tags,
      summary: 'Sets what the agency adds to what ads cost',
      description:
        'It applies to ads that are shown from now on. At an ad exchange, a higher markup applies from the next day.',
    })
    .meta({ access: 'campaign.price' })
    .input(Which.extend({ agencyMarkup: Percent }))
    .output(Done.extend({ data: AdCampaign })),
  minimums: call
    .route({
      method: 'GET',
      path: '/leadspeek/simplifi/minvaluesimplifi',
      tags,
      summary: 'Returns the minimums of ad campaigns',
    })
    .meta({ access: 'campaign.read' })
    .output(Minimums),
  saveMinimums: call
    .route({
      method: 'PUT',
      path: '/leadspeek/simplifi/minvaluesimplifi',
      tags,
      summary: 'Sets the minimums of ad campaigns and the platform’s share',
    })
    .meta({ access: 'cost.write' })
    .input(
      z.object({
        minimum_bid: given(
          Dollars.regex(/^\d+(\.\d{0,3}0*)?$/, 'must have up to 3 decimal places'),
        ).optional(),
        minimum_daily: given(Dollars).optional(),
        minimum_monthly: given(Dollars).optional(),
        platform_share: Percent.optional(),
      }),
    )
    .output(Done.extend({ data: Minimums })),
  charge: call
    .route({
      method: 'POST',
      path: '/leadspeek/simplifi/charge-campaign-by-remaining-days',
      tags,
      summary: 'Buys what the balance lacks for the remaining days of the month with the client’s card',
      description:
        'amount: due_micros of remaining-budget in US dollars, so that no one is charged an amount they have not seen.',
    })
    .meta({ access: 'prepaid.buy', notInView: true, fresh: true })
    .input(Which.extend({ amount: Budget, idempotencyKey: z.string().trim().min(8).max(100) }))
    .output(Paid.extend({ balance_micros: Micros })),
};

/** A creative: what is shown, and where a click leads. */
export const Creative = z.object({
  id: Id,
  leadspeekID: Id,
  name: z.string(),
  width: z.int(),
  height: z.int(),
  bytes: z.int(),
  alt_text: z.string(),
  click_url: z.string(),
  status: z.enum(['active', 'paused']),
  image_url: z.string(),
  created_at: Instant,
});

export const AltText = Line.max(MOST_ALT_TEXT, `must not exceed ${MOST_ALT_TEXT} characters`);
export const ClickUrl = z
  .string()
  .trim()
  .max(2000, 'must not exceed 2000 characters')
  .refine(isClickUrl, 'must be a URL that starts with https://');

/** The form of a new creative. */
export const CreativeForm = z
  .object({ leadspeekID: Id, name: Line, alt_text: AltText, click_url: ClickUrl })
  .describe(
    'Adds a creative to an ad campaign. Send a multipart form with the fields of CreativeForm and file, a PNG, JPEG, or GIF image of up to 2 MB in the size of an ad. Returns CreativeAdded',
  );
export const CreativeAdded = Done.extend({ data: Creative });

export const creatives = {
  list: call
    .route({ method: 'GET', path: '/ads/creatives', tags, summary: 'Lists the creatives of an ad campaign' })
    .meta({ access: 'campaign.read' })
    .input(Which)
    .output(z.object({ data: z.array(Creative) })),
  update: call
    .route({ method: 'PUT', path: '/ads/creatives/{id}', tags, summary: 'Updates a creative' })
    .meta({ access: 'campaign.write' })
    .input(
      z.object({
        id: Id,
        name: Line.optional(),
        alt_text: AltText.optional(),
        click_url: ClickUrl.optional(),
        status: z.enum(['active', 'paused', 'removed']).optional(),
      }),
    )
    .output(Done),
};

import { z } from 'zod';
import { call } from '../base.ts';
import { Done, Id, Instant, Line } from '../primitives.ts';
import { AltText, ClickUrl } from './ad-campaigns.ts';

const tags = ['Ads'];

/** How many files one download may have. */
export const MOST_DOWNLOADED = 50;

/** An image: one that banners use, or, in a campaign, a creative. */
export const Media = z.object({
  id: Id,
  company_id: Id,
  leadspeekID: Id.nullable().describe('The ad campaign that shows it'),
  name: z.string(),
  width: z.int(),
  height: z.int(),
  bytes: z.int(),
  alt_text: z.string().nullable(),
  click_url: z.string().nullable(),
  status: z.enum(['active', 'paused', 'removed']).describe('removed: only in the answer to its removal'),
  image_url: z.string(),
  created_at: Instant,
});

/** The form of a new image. */
export const MediaForm = z
  .object({ companyID: Id.optional(), name: Line })
  .describe(
    'Adds an image for banners. Send a multipart form with the fields of MediaForm and file, a PNG, JPEG, GIF, WebP, or SVG image of up to 2 MB, of which only the pixels are kept. Returns MediaAdded',
  );
export const MediaAdded = Done.extend({ data: Media });

export const media = {
  ofUser: call
    .route({
      method: 'GET',
      path: '/media/user/{id}',
      tags,
      summary: 'Lists the images that a user added, newest first, up to 500',
    })
    .meta({ access: 'banner.read' })
    .input(z.object({ id: Id }))
    .output(z.object({ data: z.array(Media) })),
  ofCampaign: call
    .route({
      method: 'GET',
      path: '/media/campaign/{id}',
      tags,
      summary: 'Lists the images of an ad campaign',
    })
    .meta({ access: 'banner.read' })
    .input(z.object({ id: Id }))
    .output(z.object({ data: z.array(Media) })),
  ofCompany: call
    .route({
      method: 'GET',
      path: '/media',
      tags,
      summary: 'Lists a company’s images for banners, newest first, up to 500',
    })
    .meta({ access: 'banner.read' })
    .input(z.object({ companyID: Id.optional() }))
    .output(z.object({ data: z.array(Media) })),
  update: call
    .route({
      method: 'PUT',
      path: '/media/{id}',
      tags,
      summary: 'Updates an image: its texts, and the ad campaign that shows it',
    })
    .meta({ access: 'banner.write' })
    .input(
      z.object({
        id: Id,
        name: Line.optional(),
        alt_text: AltText.optional(),
        click_url: ClickUrl.optional(),
        leadspeekID: Id.optional().describe(
          'An ad campaign of the same company. The image needs the size of an ad, an alternative text, and a click address',
        ),
        status: z.enum(['active', 'paused', 'removed']).optional(),
      }),
    )
    .output(Done.extend({ data: Media })),
  downloadToken: call
    .route({
      method: 'POST',
      path: '/media/generate-download-token/{ids}',
      tags,
      summary: 'Creates a one-time token to download images: one as it is, several as a zip file',
    })
    .meta({ access: 'banner.read' })
    .input(
      z.object({
        ids: z
          .string()
          .max(4000, 'must not exceed 4000 characters')
          .transform((text) => [...new Set(text.split(/[|,]/))])
          .pipe(
            z
              .array(Id)
              .min(1, 'is required')
              .max(MOST_DOWNLOADED, `must not exceed ${MOST_DOWNLOADED} images`),
          )
          .describe('One or more, separated by | or ,'),
      }),
    )
    .output(z.object({ url: z.string(), token: z.string(), expires_at: Instant })),
};

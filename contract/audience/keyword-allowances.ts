import { z } from 'zod';
import { call } from '../base.ts';
import { Done, hasControls, Id, Instant } from '../primitives.ts';
import type { Inside } from '../wire.ts';
import { KEYWORD_THEMES } from './keyword-themes.ts';

const tags = ['Keyword themes'];
const Theme = z.enum(KEYWORD_THEMES, 'must be health, minors, religion or distress');

/** A theme that a root allows although it is blocked. */
export const KeywordAllowance = z.object({
  id: Id,
  theme: Theme,
  company_id: Id,
  company_name: z.string(),
  company_kind: z.enum(['root', 'agency', 'client']).describe('root: it is allowed for everyone'),
  reason: z.string(),
  allowed_by_name: z.string().nullable(),
  created_at: Instant,
});
export type KeywordAllowance = Inside<z.output<typeof KeywordAllowance>>;

/** Which keyword themes a root allows (docs/decisions/0487-keyword-themes.md). */
export const keywordThemes = {
  list: call
    .route({
      method: 'GET',
      path: '/keyword-themes',
      tags,
      summary: 'Lists the keyword themes that are allowed, and for whom',
    })
    .meta({ access: 'privacy.decide' })
    .output(z.object({ data: z.array(KeywordAllowance) })),
  allow: call
    .route({
      method: 'POST',
      path: '/keyword-themes',
      tags,
      summary: 'Allows a blocked keyword theme for a client, an agency and its clients, or everyone',
    })
    .meta({ access: 'privacy.decide', notInView: true })
    .input(
      z.object({
        theme: Theme,
        company_id: Id.optional().describe('An agency or a client. If omitted, everyone'),
        reason: z
          .string()
          .trim()
          .min(1, 'is required')
          .max(500, 'must not exceed 500 characters')
          .refine((text) => !hasControls(text.replaceAll('\n', '')), 'must not contain control characters'),
      }),
    )
    .output(Done.extend({ id: Id })),
  revoke: call
    .route({
      method: 'DELETE',
      path: '/keyword-themes/{id}',
      tags,
      summary: 'Blocks a keyword theme again. Campaigns no longer look for such keywords',
    })
    .meta({ access: 'privacy.decide', notInView: true })
    .input(z.object({ id: Id }))
    .output(Done),
};

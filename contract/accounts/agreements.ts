import { z } from 'zod';
import { call } from '../base.ts';
import { Done, Flag, Id } from '../primitives.ts';
import { DocumentType } from './setup.ts';

/** The one-time cost of the developer API, US dollars (spec calls 9). */
export const DEVELOPER_FEE = 349;

/** The documents of the features in trial, by the feature's id (BETA-01). */
export const FEATURE_DOCUMENTS = { 1: 'data_wallet', 2: 'b2b_module', 3: 'simplifi_module' } as const;
export const FeatureId = z.coerce.number().pipe(z.union([z.literal(1), z.literal(2), z.literal(3)]));

const Accepted = Done.extend({ status: z.literal('T'), version: z.string() });
const Line255 = z.string().trim().max(255, 'must not exceed 255 characters').default('');
const Who = z.object({
  user_id: Id.describe('Your user ID'),
  company_id: Id.describe('Your company'),
  company_name: Line255.describe('The name at the time of acceptance, stored with the acceptance'),
  location_menu: Line255.describe('Where in the product it was accepted'),
  text_hash: z
    .string()
    .max(64)
    .optional()
    .describe('That of the text that was read. If given, refused if the text has changed since'),
  read_to_end: Flag.default('F').describe('Whether the text was read to its end, for the record'),
  timezone: z.string().max(64, 'must not exceed 64 characters').default('').describe('Yours, IANA name'),
});
const tags = ['Agreements'];

export const agreements = {
  marketingServicesAgreementFeature: call
    .route({
      method: 'POST',
      path: '/general/marketing-services-agreement-feature',
      tags,
      summary: 'Accepts the agreement for a beta feature',
    })
    .meta({ access: 'agreement.accept', notInView: true })
    .input(
      Who.extend({
        feature_id: FeatureId,
        feature_name: Line255,
        is_marketing_services_agreement_feature: Flag.describe('Must be T, or the request is refused'),
      }),
    )
    .output(Accepted),
  getMarketingServicesAgreementFeature: call
    .route({
      method: 'GET',
      path: '/general/marketing-services-agreement-feature',
      tags,
      summary: 'Returns whether your company has accepted the agreement for a beta feature',
    })
    .meta({ access: 'session.own' })
    .input(z.object({ user_id: Id.describe('Your user ID'), feature_id: FeatureId }))
    .output(
      z.object({
        status: Flag.describe('T: agreed'),
        version: z.string(),
        name: DocumentType,
        party: z.string().describe('The other party to the agreement'),
      }),
    ),
  getMarketingServicesAgreement: call
    .route({
      method: 'GET',
      path: '/general/marketing-services-agreement/{company_id}',
      tags,
      summary: "Returns your company's developer agreement and its costs",
    })
    .meta({ access: 'session.own' })
    .input(z.object({ company_id: Id }))
    .output(
      z.object({
        is_marketing_services_agreement_developer: Flag,
        first_time_charge: z.string().describe('US dollars'),
        minimum_spend_max: z.string().describe('The highest monthly amount, in US dollars'),
        minimum_spend_amount_list: z
          .array(z.string())
          .describe(
            "Amounts for an agency's first months, in US dollars. Empty if those months have no separate amounts",
          ),
        minimum_spend_flat: z.string().describe('Amount for every later month, in US dollars'),
      }),
    ),
  marketingServicesAgreement: call
    .route({
      method: 'POST',
      path: '/general/marketing-services-agreement',
      tags,
      summary: 'Accepts the developer agreement, or another document, on behalf of your company',
    })
    .meta({ access: 'agreement.accept', notInView: true })
    .input(
      Who.extend({
        is_marketing_services_agreement_developer: Flag.describe('Must be T, or the request is refused'),
        document_type: DocumentType.default('developer'),
      }),
    )
    .output(Accepted),
};

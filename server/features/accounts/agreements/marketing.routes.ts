import { DEVELOPER_FEE, FEATURE_DOCUMENTS } from '../../../../contract/accounts/agreements.ts';
import { Refusal } from '../../../../contract/errors.ts';
import type { contract } from '../../../../contract/index.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import { dollarsOf } from '../../../../contract/primitives.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import type { Agreements, Told } from './service.ts';

/**
 * The minimum spend asked of an agency, micro-dollars: for its first months, and for every month after; null if none.
 */
export type MinimumSpendOf = (
  rootId: string,
  agencyId: string,
) => Promise<{ months: readonly bigint[]; flat: bigint } | null>;

/** Accepts the developer's agreement, including its costs. Returns the version. */
export type AcceptDeveloper = (ctx: Ctx, told: Told) => Promise<string>;

const told = (input: {
  company_name: string;
  location_menu: string;
  text_hash?: string | undefined;
  read_to_end: 'T' | 'F';
  time_zone: string;
}): Told => ({
  companyName: input.company_name,
  location: input.location_menu,
  textHash: input.text_hash,
  isReadToEnd: input.read_to_end === 'T',
  timeZone: input.time_zone,
});

/** The calls for viewing and accepting agreements (BETA-03). */
export function marketingRoutes(
  agreements: Agreements,
  minimumSpendOf: MinimumSpendOf,
  acceptDeveloper: AcceptDeveloper,
): Handlers<typeof contract.agreements> {
  const ticked = (field: string, flag: 'T' | 'F'): void => {
    if (flag === 'F')
      throw new Refusal('invalid', messages.clickAgree, { errors: { [field]: [messages.clickAgree] } });
  };
  const done = (version: string) => ({
    result: 'success' as const,
    message: ownMessages.agreed,
    status: 'T' as const,
    version,
  });
  return {
    async marketingServicesAgreementFeature(ctx, input) {
      agreements.own(ctx, { userId: input.user_id, companyId: input.company_id });
      ticked('feature_agreed', input.feature_agreed);
      return done(await agreements.agree(ctx, FEATURE_DOCUMENTS[input.feature_id], told(input)));
    },
    async getMarketingServicesAgreementFeature(ctx, input) {
      agreements.own(ctx, { userId: input.user_id });
      const name = FEATURE_DOCUMENTS[input.feature_id];
      const { accepted, version } = await agreements.status(ctx, name);
      return { status: accepted ? 'T' : 'F', version, name, party: await agreements.party(ctx, name) };
    },
    async getMarketingServicesAgreement(ctx, input) {
      agreements.own(ctx, { companyId: input.company_id });
      const { accepted } = await agreements.status(ctx, 'developer');
      const { rootId, agencyId } = ctx.actor;
      const asked = agencyId ? await minimumSpendOf(rootId, agencyId) : null;
      const { months, flat } = asked ?? { months: [], flat: 0n };
      // biome-ignore lint/complexity/useMathMinMax: Math.max takes no bigint
      const most = months.reduce((max, one) => (one > max ? one : max), flat);
      return {
        developer_agreed: accepted ? 'T' : 'F',
        first_time_charge: dollarsOf(BigInt(DEVELOPER_FEE) * 1_000_000n),
        minimum_spend_max: dollarsOf(most),
        minimum_spend_amount_list: months.map((one) => dollarsOf(one)),
        minimum_spend_flat: dollarsOf(flat),
      };
    },
    async marketingServicesAgreement(ctx, input) {
      agreements.own(ctx, { userId: input.user_id, companyId: input.company_id });
      ticked('developer_agreed', input.developer_agreed);
      return done(
        input.document_type === 'developer'
          ? await acceptDeveloper(ctx, told(input))
          : await agreements.agree(ctx, input.document_type, told(input)),
      );
    },
  };
}

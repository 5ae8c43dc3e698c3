import {
  type Activity,
  COMPANY_FILTERS,
  type CompanyFilter,
  type CompanyNodeData,
} from '../../../../contract/accounts/companies.ts';
import { companyFieldsShown, companyFieldsStored } from '../../../../contract/accounts/company-fields.ts';
import type { Permission } from '../../../../contract/accounts/permissions.ts';
import { STAFF_FILTERS, type StaffFilter } from '../../../../contract/accounts/staff.ts';
import { Refusal } from '../../../../contract/errors.ts';
import type { contract } from '../../../../contract/index.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import { configMessages } from '../../../../contract/messages-config.ts';
import { type Ctx, isSales } from '../../../platform/ctx.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import { salesNames } from '../sales/index.ts';
import type { Entered } from './payload.service.ts';
import { refuse } from './policy.ts';
import type { Companies } from './service.ts';
import { type StaffWire, staffFromWire, staffToWire } from './staff.routes.ts';
import type { Staff } from './staff.service.ts';

type NodeRow = Awaited<ReturnType<Companies['create']>>;
type Above = Awaited<ReturnType<Companies['above']>>;
const flag = (value: boolean | null): 'T' | 'F' => (value ? 'T' : 'F');
const bit = (value: boolean | null): 0 | 1 => (value ? 1 : 0);
const isOn = (value: 'T' | 'F' | undefined): boolean | undefined =>
  value === undefined ? undefined : value === 'T';

/** How a company is doing; null for users who may not see leads and statements. */
function activityOf(ctx: Ctx, row: NodeRow): Activity | null {
  if (!ctx.may('lead.read') || !ctx.may('statement.read')) return null;
  const failing = row.payment_status === 'failed' ? 'payment' : row.topup_failing ? 'topup' : '';
  return {
    last_lead_at: row.last_lead_at?.toISOString() ?? null,
    balance_micros: row.balance === null ? null : Number(row.balance),
    failing,
    failing_since: row.failing_since?.toISOString() ?? null,
  };
}

/** Returns a row in its wire form (spec product 3, Agency or client node). */
export function nodeToWire(ctx: Ctx, row: NodeRow, above: Above): CompanyNodeData {
  const slug = (module: 'local' | 'locator') => row.slugs?.[module] ?? above.labels[module]?.slug ?? '';
  return {
    id: row.owner_id ?? '',
    company_id: row.id,
    root_id: row.root_id,
    company_name: row.name,
    kind: row.kind,
    name: row.owner_name,
    email: row.owner_email,
    user_type: row.kind === 'agency' ? 'userdownline' : 'client',
    package_id: row.package_id ?? '',
    created_at: row.created_at.toISOString(),
    phone: row.phone ?? '',
    phone_country: row.phone_country ?? '',
    phone_calling: row.phone_calling ?? '',
    subdomain: row.subdomain ?? '',
    subdomain_name: row.subdomain?.split('.')[0] ?? '',
    domain: row.domain ?? '',
    manual_bill: flag(row.manual_bill),
    white_labelling: flag(row.white_labelling ?? true),
    beta_user: flag(row.beta_user),
    api_mode: flag(row.api_mode),
    has_api_key: row.has_api_key,
    agreement_file: row.has_agreement ? 'download' : '',
    developer_agreed: flag(row.developer_agreed),
    excluded_minimum_spend: bit(row.excluded_minimum_spend),
    excluded_onboarding: bit(row.excluded_onboarding),
    onboarding_on: row.kind === 'agency' && !row.excluded_onboarding,
    onboarding_charged: row.onboarding_charged !== null,
    card_id: row.card_id ?? '',
    payment_status: row.payment_status ?? '',
    plan_id: row.plan_id ?? '',
    plan_name: row.plan_name ?? '',
    selected_terms: above.terms.map((term) => ({
      term: term as CompanyNodeData['selected_terms'][number]['term'],
      status: !row.terms || row.terms.includes(term),
    })),
    selected_modules: above.modules.map((type) => ({
      type,
      status: !row.modules || row.modules.includes(type),
    })),
    root_terms: above.terms.map((term) => ({ value: term, label: term })),
    root_modules: above.modules.map((value) => ({ value, label: above.labels[value]?.name ?? value })),
    profile_setup_completed: flag(row.profile_done),
    account_status: row.account_status === 'completed' ? 'completed' : '',
    local_url: slug('local'),
    locator_url: slug('locator'),
    campaigns_closed: flag(row.campaigns_closed),
    ...companyFieldsShown(row),
    is_default_admin: flag(row.is_default_admin),
    customer_care: flag(row.customer_care),
    gets_notices: flag(row.gets_notices),
    mail_off: flag(row.mail_off),
    two_factor_auth_type: row.factor ?? '',
    clients: Number(row.clients),
    active_campaigns: Number(row.active_campaigns),
    activity: activityOf(ctx, row),
    version: row.version,
    ...salesNames(row.sales),
  };
}

/** Companies directly below the actor's own by their ids, in wire form; for the list of salespeople. */
export const companyDetails =
  (companies: Companies) =>
  async (ctx: Ctx, ids: readonly string[]): Promise<Map<string, CompanyNodeData>> => {
    const { rows, above } = await companies.details(ctx, ids);
    return new Map(rows.map((row) => [row.id, nodeToWire(ctx, row, above)]));
  };

const done = (message: string) => ({ result: 'success' as const, message });
/** The message after a save, which says if an address was accepted but is pending. */
const saved = (email: string | undefined, is: string | null): string =>
  email !== undefined && email !== is
    ? `${messages.updated}. ${configMessages.addressHeld}`
    : messages.updated;

type Input<Call extends keyof Handlers<typeof contract.companies>> = Parameters<
  Handlers<typeof contract.companies>[Call]
>[1];
/** Whether it concerns a user of the actor's own company, and not an agency or client. */
const isPerson = <T extends { user_type: string }>(
  given: T,
): given is Extract<T, { user_type: 'administrator' | 'sales' }> =>
  given.user_type === 'administrator' || given.user_type === 'sales';

/** The calls of the feature. */
export function companiesRoutes(companies: Companies, staff: Staff): Handlers<typeof contract.companies> {
  type Given = Exclude<Input<'create'>, { user_type: 'administrator' | 'sales' }>;
  /** Filters apply either to companies or to people. */
  const filters = <T extends string>(given: readonly string[] | undefined, known: readonly T[]): T[] => {
    const strange = given?.find((one) => !(known as readonly string[]).includes(one));
    if (strange) throw refuse('filters', `${strange} is not a filter of this list`);
    return (given ?? []) as T[];
  };
  const entered = (given: Given): Entered => ({
    name: given.company_name,
    ownerName: given.full_name,
    email: given.email,
    phone: {
      number: given.phone,
      country: given.phone_country,
      calling: given.phone_calling,
    },
    whiteLabelling: isOn(given.white_labelling),
    apiMode: isOn(given.api_mode),
    campaignsClosed: isOn(given.campaigns_closed),
    fields: companyFieldsStored(given),
    ownerFlags: staffFromWire({
      user_type: 'administrator',
      is_default_admin: given.is_default_admin,
      customer_care: given.customer_care,
      gets_notices: given.gets_notices,
      mail_off: given.mail_off,
    }).flags,
    factor: given.two_factor_auth_type,
    sales: {
      sales_rep_id: given.sales_rep_id,
      account_executive_id: given.account_executive_id,
      referrer_id: given.referrer_id,
    },
    subdomain: given.subdomain_name,
    domain: domainIn(given),
  });
  /** Two names of one field. */
  const domainIn = ({ domain: one, client_domain: other }: Given): string | undefined => {
    if (one !== undefined && other !== undefined && one !== other)
      throw refuse('client_domain', 'does not match the other domain');
    return one ?? other;
  };
  /**
   * For an id that is not one of the company's own users: it belongs to a company directly below, and a client has
   * none.
   */
  const below = (ctx: Ctx, permission: Permission): void => {
    if (ctx.actor.kind === 'client') throw new Refusal('not_found', ownMessages.notFound);
    ctx.need(permission);
  };
  const ofRoot = (asked: string | undefined, rootId: string): void => {
    if (asked && asked !== rootId) throw refuse('root_id', 'is not this platform');
  };
  return {
    async list(ctx, input) {
      ofRoot(input.root_id, ctx.actor.rootId);
      if (input.type === 'administrator' || input.type === 'sales') {
        const { data, ...found } = await staff.list(ctx, input.company_id, {
          type: input.type,
          sort: input.sort === 'email' || input.sort === 'created_at' ? input.sort : 'full_name',
          order: input.order ?? 'asc',
          search: input.search ?? '',
          filters: filters<StaffFilter>(input.filters, STAFF_FILTERS),
          page: input.page,
          per_page: input.per_page,
        });
        const at = ctx.clock.now();
        return { ...found, data: data.map((row) => staffToWire(row, at)) };
      }
      ctx.need('company.list');
      const { above, ...found } = await companies.list(ctx, {
        parentId: input.company_id,
        kind: input.type === 'all' ? undefined : input.type === 'client' ? 'client' : 'agency',
        module: input.module,
        sort: input.sort,
        order: input.order ?? 'asc',
        search: input.search ?? '',
        card: input.card_status,
        campaigns: input.campaign_status,
        filters: filters<CompanyFilter>(input.filters, COMPANY_FILTERS),
        exclude: input.exclude ?? [],
        limit: input.per_page,
        offset: (input.page - 1) * input.per_page,
        page: input.page,
        per_page: input.per_page,
      });
      return { ...found, data: found.data.map((row) => nodeToWire(ctx, row, above)) };
    },
    async create(ctx, input) {
      ofRoot(input.root_id, ctx.actor.rootId);
      if (isPerson(input)) {
        const { name, email, phone, ...given } = staffFromWire(input satisfies StaffWire);
        const row = await staff.create(ctx, input.company_id, {
          ...given,
          name: name!,
          email: email!,
          phone: phone!,
        });
        return { ...done(messages.added), data: [staffToWire(row, ctx.clock.now())] };
      }
      ctx.need('company.create');
      const kind = input.user_type === 'client' ? 'client' : 'agency';
      const row = await companies.create(ctx, input.company_id, kind, entered(input));
      return {
        ...done(messages.added),
        data: [nodeToWire(ctx, row, await companies.above(ctx, input.company_id))],
      };
    },
    async update(ctx, input) {
      ofRoot(input.root_id, ctx.actor.rootId);
      if (isPerson(input)) {
        ctx.need('person.write');
        const isBack = input.action === 'restore';
        const row = isBack
          ? await staff.restore(ctx, input.company_id, input.id)
          : await staff.update(ctx, input.company_id, input.id, {
              ...staffFromWire(input satisfies StaffWire),
              version: input.version,
            });
        return {
          ...done(isBack ? configMessages.personRestored : saved(input.email, row.email)),
          data: [staffToWire(row, ctx.clock.now())],
        };
      }
      ctx.need('company.write');
      const row = await companies.update(ctx, input.company_id, input.id, {
        ...entered(input),
        terms: input.selected_terms,
        modules: input.selected_modules as { type: string; status: boolean }[] | undefined,
        planId: input.plan_id,
        betaUser: isOn(input.beta_user),
        version: input.version,
      });
      return {
        ...done(saved(input.email, row.owner_email)),
        // Salespeople see no more of a company than their own list shows.
        data: isSales(ctx.actor) ? [] : [nodeToWire(ctx, row, await companies.above(ctx, input.company_id))],
      };
    },
    async remove(ctx, input) {
      if (await staff.isOwn(ctx, input.user_id)) {
        await staff.remove(ctx, input.company_id, input.user_id);
        return { data: done(configMessages.personRemoved) };
      }
      below(ctx, 'company.remove');
      await companies.remove(ctx, input.company_id, input.user_id, input.keep_credit);
      return { data: done(ownMessages.companyRemoved) };
    },
    async resendInvitation(ctx, input) {
      const ids = [input.id].flat();
      if (ids.length > 1 || (await staff.isOwn(ctx, ids[0]!))) {
        const told = await staff.resend(ctx, input.company_id, ids);
        const one = ids.length === 1 && told.sent === 1;
        return {
          ...done(one ? ownMessages.invitationSent : told.words),
          sent: told.sent,
          signed_in: told.signedIn,
        };
      }
      below(ctx, 'company.write');
      await companies.resendInvitation(ctx, input.company_id, ids[0]!);
      return { ...done(ownMessages.invitationSent), sent: 1, signed_in: 0 };
    },
    async checkCampaignActive(ctx, input) {
      return {
        result: 'success',
        active_campaign_id: await companies.activeCampaigns(ctx, input.company_id, input.modules),
      };
    },
  };
}

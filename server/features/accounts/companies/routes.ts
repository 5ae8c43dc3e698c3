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
import { page } from '../../../platform/page.ts';
import { BAD_ACTIVITY } from '../auth/index.ts';
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
    company_root_id: row.root_id,
    company_name: row.name,
    kind: row.kind,
    name: row.owner_name,
    email: row.owner_email,
    user_type: row.kind === 'agency' ? 'userdownline' : 'client',
    package_id: row.package_id ?? '',
    created_at: row.created_at.toISOString(),
    phonenum: row.phonenum ?? '',
    phone_country_code: row.phone_country ?? '',
    phone_country_calling_code: row.phone_calling ?? '',
    subdomain: row.subdomain ?? '',
    orisubdomain: row.subdomain?.split('.')[0] ?? '',
    domain: row.domain ?? '',
    manual_bill: flag(row.manual_bill),
    is_whitelabeling: flag(row.white_labelling ?? true),
    beta_user: flag(row.beta_user),
    api_mode: flag(row.api_mode),
    is_user_generate_api: row.has_api_key,
    company_agreement_file: row.has_agreement ? 'download' : '',
    is_marketing_services_agreement_developer: flag(row.developer_agreed),
    exclude_minimum_spend: bit(row.excluded_minimum_spend),
    exclude_onboard_charge: bit(row.excluded_onboarding),
    agency_onboarding_status: row.kind === 'agency' && !row.excluded_onboarding,
    is_onboard_charged: row.onboarding_charged !== null,
    customer_payment_id: row.card_id ?? '',
    payment_status: row.payment_status ?? '',
    plan_minspend_id: row.plan_id ?? '',
    plan_minspend_name: row.plan_name ?? '',
    selected_payment_term: above.terms.map((term) => ({
      term: term as CompanyNodeData['selected_payment_term'][number]['term'],
      status: !row.terms || row.terms.includes(term),
    })),
    selected_modules: above.modules.map((type) => ({
      type,
      status: !row.modules || row.modules.includes(type),
    })),
    rootpaymentterm: above.terms.map((term) => ({ value: term, label: term })),
    rootmodules: above.modules.map((value) => ({ value, label: above.labels[value]?.name ?? value })),
    profile_setup_completed: flag(row.profile_done),
    status_acc: row.account_status === 'completed' ? 'completed' : '',
    leadlocalurl: slug('local'),
    leadlocatorurl: slug('locator'),
    disabledaddcampaign: flag(row.campaigns_closed),
    ...companyFieldsShown(row),
    defaultAdmin: flag(row.is_default_admin),
    customercare: flag(row.customer_care),
    adminGetNotification: flag(row.gets_notices),
    disabledreceivedemail: flag(row.mail_off),
    twoFactorAuth: row.factor ?? '',
    clients: Number(row.clients),
    active_campaigns: Number(row.active_campaigns),
    activity: activityOf(ctx, row),
    version: row.version,
    ...salesNames(row.sales),
  };
}

/** Companies directly below the actor's own by their ids, in wire form; for the list of sales people. */
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
const isPerson = <T extends { userType: string }>(
  given: T,
): given is Extract<T, { userType: 'administrator' | 'sales' }> =>
  given.userType === 'administrator' || given.userType === 'sales';

/** The calls of the feature. */
export function companiesRoutes(companies: Companies, staff: Staff): Handlers<typeof contract.companies> {
  type Given = Exclude<Input<'create'>, { userType: 'administrator' | 'sales' }>;
  /** Filters apply either to companies or to people. */
  const filters = <T extends string>(given: readonly string[] | undefined, known: readonly T[]): T[] => {
    const strange = given?.find((one) => !(known as readonly string[]).includes(one));
    if (strange) throw refuse('Filters', `${strange} is not a filter of this list`);
    return (given ?? []) as T[];
  };
  const entered = (given: Given): Entered => ({
    name: given.ClientCompanyName,
    ownerName: given.ClientFullName,
    email: given.ClientEmail,
    phone: {
      number: given.ClientPhone,
      country: given.ClientPhoneCountryCode,
      calling: given.ClientPhoneCountryCallingCode,
    },
    whiteLabelling: isOn(given.ClientWhiteLabeling),
    apiMode: isOn(given.ApiMode),
    campaignsClosed: isOn(given.disabledaddcampaign),
    fields: companyFieldsStored(given),
    ownerFlags: staffFromWire({
      userType: 'administrator',
      defaultAdmin: given.defaultAdmin,
      customercare: given.customercare,
      adminGetNotification: given.adminGetNotification,
      disabledreceivedemail: given.disabledreceivedemail,
    }).flags,
    factor: given.twoFactorAuth,
    sales: { salesRep: given.salesRep, salesAE: given.salesAE, salesRef: given.salesRef },
    subdomain: given.DownlineSubDomain,
    domain: domainIn(given),
  });
  /** Two names of one field. */
  const domainIn = ({ DownlineDomain: one, ClientDomain: other }: Given): string | undefined => {
    if (one !== undefined && other !== undefined && one !== other)
      throw refuse('ClientDomain', 'does not match DownlineDomain');
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
    if (asked && asked !== rootId) throw refuse('idsys', 'is not this platform');
  };
  return {
    async list(ctx, input) {
      ofRoot(input.idsys, ctx.actor.rootId);
      if (input.type === 'administrator' || input.type === 'sales') {
        const { data, ...found } = await staff.list(ctx, input.companyId, {
          type: input.type,
          sort: input.sortby === 'email' || input.sortby === 'created_at' ? input.sortby : 'full_name',
          order: input.order ?? 'asc',
          search: input.search ?? '',
          filters: filters<StaffFilter>(input.Filters, STAFF_FILTERS),
          Page: input.Page,
          PerPage: input.PerPage,
        });
        const at = ctx.clock.now();
        return { ...found, data: data.map((row) => staffToWire(row, at)) };
      }
      ctx.need('company.list');
      const { above, ...found } = await companies.list(ctx, {
        parentId: input.companyId,
        kind: input.type === 'all' ? undefined : input.type === 'client' ? 'client' : 'agency',
        module: input.module,
        sort: input.sortby,
        order: input.order ?? 'asc',
        search: input.search ?? '',
        card: input.CardStatus,
        campaigns: input.CampaignStatus,
        filters: filters<CompanyFilter>(input.Filters, COMPANY_FILTERS),
        exclude: input.Exclude ?? [],
        limit: input.PerPage,
        offset: (input.Page - 1) * input.PerPage,
        Page: input.Page,
        PerPage: input.PerPage,
      });
      return { ...found, data: found.data.map((row) => nodeToWire(ctx, row, above)) };
    },
    async create(ctx, input) {
      ofRoot(input.idsys, ctx.actor.rootId);
      if (isPerson(input)) {
        const { name, email, phone, ...given } = staffFromWire(input satisfies StaffWire);
        const row = await staff.create(ctx, input.companyID, {
          ...given,
          name: name!,
          email: email!,
          phone: phone!,
        });
        return { ...done(messages.added), data: [staffToWire(row, ctx.clock.now())] };
      }
      ctx.need('company.create');
      const kind = input.userType === 'client' ? 'client' : 'agency';
      const row = await companies.create(ctx, input.companyID, kind, entered(input));
      return {
        ...done(messages.added),
        data: [nodeToWire(ctx, row, await companies.above(ctx, input.companyID))],
      };
    },
    async update(ctx, input) {
      ofRoot(input.idsys, ctx.actor.rootId);
      if (isPerson(input)) {
        ctx.need('person.write');
        const isBack = input.action === 'restore';
        const row = isBack
          ? await staff.restore(ctx, input.companyID, input.ClientID)
          : await staff.update(ctx, input.companyID, input.ClientID, {
              ...staffFromWire(input satisfies StaffWire),
              version: input.version,
            });
        return {
          ...done(isBack ? configMessages.personRestored : saved(input.ClientEmail, row.email)),
          data: [staffToWire(row, ctx.clock.now())],
        };
      }
      ctx.need('company.write');
      const row = await companies.update(ctx, input.companyID, input.ClientID, {
        ...entered(input),
        terms: input.selectedterms,
        modules: input.selectedmodules as { type: string; status: boolean }[] | undefined,
        planId: input.planMinSpendId,
        betaUser: isOn(input.betaUser),
        version: input.version,
      });
      return {
        ...done(saved(input.ClientEmail, row.owner_email)),
        // Sales people see no more of a company than their own list shows.
        data: isSales(ctx.actor) ? [] : [nodeToWire(ctx, row, await companies.above(ctx, input.companyID))],
      };
    },
    async remove(ctx, input) {
      if (await staff.isOwn(ctx, input.userID)) {
        await staff.remove(ctx, input.companyID, input.userID);
        return { data: done(configMessages.personRemoved) };
      }
      below(ctx, 'company.remove');
      await companies.remove(ctx, input.companyID, input.userID);
      return { data: done(ownMessages.companyRemoved) };
    },
    async resendInvitation(ctx, input) {
      const ids = [input.ClientID].flat();
      if (ids.length > 1 || (await staff.isOwn(ctx, ids[0]!))) {
        const told = await staff.resend(ctx, input.companyID, ids);
        const one = ids.length === 1 && told.sent === 1;
        return {
          ...done(one ? ownMessages.invitationSent : told.words),
          sent: told.sent,
          signed_in: told.signedIn,
        };
      }
      below(ctx, 'company.write');
      await companies.resendInvitation(ctx, input.companyID, ids[0]!);
      return { ...done(ownMessages.invitationSent), sent: 1, signed_in: 0 };
    },
    async userLogs(ctx, input) {
      const { rows, total } = await companies.userLogs(ctx, input.company_id, input);
      const data = rows.map((row) => ({
        id: row.id,
        name: row.name ?? '',
        user_type: row.type_user ?? '',
        place: row.location,
        ip: row.ip,
        action: row.action,
        description: row.description ?? '',
        company_name: row.company_name ?? '',
        created_at: row.created_at.toISOString(),
        suspicious: BAD_ACTIVITY.has(row.action),
      }));
      return page(data, total, input);
    },
    async checkCampaignActive(ctx, input) {
      return {
        result: 'success',
        active_campaign_id: await companies.activeCampaigns(ctx, input.company_id, input.leadspeek_type),
      };
    },
  };
}

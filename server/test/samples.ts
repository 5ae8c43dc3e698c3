import type { Grade, Permission } from '../../contract/accounts/permissions.ts';
import { inScope } from '../platform/db/scope.ts';
import type { TestApp } from '../test/app.ts';
import type { Company, MadeCampaign } from '../test/factories.ts';

/**
 * What the samples of the matrix share (matrix.test.ts). Samples lie beside the routes of their feature, in samples.ts;
 * a route without one fails the build.
 */

/**
 * Every route x every role x own, sibling and foreign tenant. The routes come from the server itself: a route without a
 * sample below fails the build.
 */

export interface Target {
  name: string;
  client: Company;
  campaign: MadeCampaign;
  leadId: string;
  transferId: string;
  webhookId: string;
  deliveryId: string;
  connectionId: string;
  importId: string;
  exclusionListId: string;
  /** The client's owner. */
  personId: string;
  canary: string;
}

export interface Principal {
  userId: string;
  companyId: string;
  grade: Grade;
  host: string;
  token: string;
  sees: (target: Target) => boolean;
}

export interface Sample {
  /** For a download: the permission of its file. */
  permission?: Permission;
  /** The objects a request names belong to a target; false: it names none. */
  named: boolean;
  /** What it needs in addition to the route's permission, if the object belongs to someone else. */
  also?: Permission;
  /** Only a root's own objects (imports): visible to root principals of the target's root. */
  rootOnly?: boolean;
  request: (
    target: Target,
    /** The caller, for requests about their own account. */
    who?: Principal,
  ) =>
    | Promise<{ url: string; body?: unknown; headers?: Record<string, string>; payload?: string }>
    | { url: string; body?: unknown; headers?: Record<string, string>; payload?: string };
  /** Statuses that mean the guards let it through, besides 2xx. */
  passes?: number[];
}

/** Samples by method and address of their routes. */
export type Samples = Record<string, Sample>;

export let app: TestApp;
export let targets: Target[];
export let own: Target;
export let principals: Principal[];
export let fresh: (target: Target) => Promise<Target>;
/** Sets the stage that the samples' requests are made on. */
export function setStage(stage: {
  app?: TestApp;
  targets?: Target[];
  own?: Target;
  principals?: Principal[];
  fresh?: (target: Target) => Promise<Target>;
}): void {
  app = stage.app ?? app;
  targets = stage.targets ?? targets;
  own = stage.own ?? own;
  principals = stage.principals ?? principals;
  fresh = stage.fresh ?? fresh;
}

let serial = 0;
/** A number that was not used before. */
export const next = (): number => ++serial;
/** Another connection and a destination of it, to be changed or removed. */
export const freshConnection = (target: Target) =>
  app.make.connection(target.client, { name: target.canary, campaignId: target.campaign.id });

export const NOBODY = '00000000-0000-4000-8000-000000000000';

/** The target's company directly below the caller's. */
export const belowOf = (t: Target, who: Principal | undefined): string | null =>
  who?.grade.startsWith('root') ? t.client.agency_id : t.client.id;

/** Assigns a company to the sales person who is calling, and to no one else. */
export async function careFor(companyId: string | null, who: Principal | undefined): Promise<void> {
  if (!who?.grade.endsWith('.sales')) return;
  await app.admin.query(
    `insert into sales_assignment (company_id, root_id, agency_id, role, user_id, assigned_at)
     select id, root_id, agency_id, 'representative', $2, now() from company
     where id = $1 and root_id = (select root_id from user_account where id = $2)
     on conflict (company_id, role) do update set user_id = $2`,
    [companyId, who.userId],
  );
}

/** An exclusion list of the client with a bad row. */
export async function freshList(
  target: Pick<Target, 'client' | 'canary'>,
  state = 'active',
): Promise<string> {
  const { rows } = await app.admin.query(
    `with list as (insert into exclusion_list (id, root_id, agency_id, company_id, owner_id, level, name, state, created_at)
       values (gen_random_uuid(), $1, $2, $3, $3, 'client', $4, $5, now()) returning id)
     insert into exclusion_error (list_id, line, root_id, agency_id, company_id, reason, value)
     select id, 1, $1, $2, $3, 'is nothing', $4 from list returning list_id`,
    [target.client.root_id, target.client.agency_id, target.client.id, `${target.canary}.csv`, state],
  );
  return rows[0].list_id;
}

export const freshAdministrator = async (target: Target): Promise<string> =>
  (await app.make.user(target.client, { role: 'administrator', name: target.canary })).id;

/** A Search ID campaign of the client. */
export const searchCampaign = async (target: Target): Promise<string> =>
  (await app.make.campaign(target.client, { name: target.canary, search: { keywords: ['shoes'] } })).id;

export const fields = { campaignName: 'Matrix', urlCode: 'https://matrix.example/' };

/** Ends the charge that an invoice triggers itself. */
export const chargesOver = (invoiceId: string) =>
  app.admin.query(`update charge set state = 'canceled', next_ask_at = null where reference_id = $1`, [
    invoiceId,
  ]);

/** Makes the target's agency bill its clients here, whatever another sample changed. */
export const billsHere = ({ client }: Target): Promise<void> =>
  inScope(app.platform.db.app, { rootId: client.root_id }, (tx) =>
    app.features.billing.accounts.setTerms(
      tx,
      { root_id: client.root_id, agency_id: client.agency_id!, company_id: client.agency_id! },
      { manual_bill: false, updated_at: app.clock.now() },
    ),
  );

/** A lead of the target's campaign that its client and agency have paid for and that has not been refunded. */
export async function freshLead(target: Target): Promise<string> {
  const { make, features } = app;
  const { client, campaign, canary } = await fresh(target);
  await billsHere(target);
  await make.leadCost({ ...client, id: client.agency_id! }, 100_000n);
  const person = make.person({ last_name: canary });
  await make.people({ id: client.root_id, root_id: client.root_id, agency_id: null }, [person]);
  await make.visit(campaign, { email: person.email });
  await features.leads.resolver.resolveAll();
  const { rows } = await app.admin.query(
    'select id from lead where campaign_id = $1 order by created_at desc, id desc limit 1',
    [campaign.id],
  );
  return rows[0].id;
}

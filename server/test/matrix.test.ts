import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Grade, may, PERMISSIONS, type Permission } from '../../contract/accounts/permissions.ts';
import { hubspotStub } from '../integrations/hubspot/stub.ts';
import { type RunningStub, startStub } from '../integrations/stub.ts';
import { inScope } from '../platform/db/scope.ts';
import { EXPORTS } from '../services.ts';
import { PASSWORD, type TestApp, testApp } from './app.ts';
import { Authenticator } from './authenticator.ts';
import { duesOf } from './dues.ts';
import type { Company, MadeCampaign } from './factories.ts';

/**
 * Every route x every role x own, sibling and foreign tenant. The routes come from the server itself: a route without a
 * sample below fails the build.
 */

interface Target {
  name: string;
  client: Company;
  campaign: MadeCampaign;
  leadId: string;
  transferId: string;
  webhookId: string;
  connectionId: string;
  importId: string;
  exclusionListId: string;
  /** The client's owner. */
  personId: string;
  canary: string;
}
interface Principal {
  userId: string;
  companyId: string;
  grade: Grade;
  host: string;
  token: string;
  sees: (target: Target) => boolean;
}

interface Sample {
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

let serial = 0;
let app: TestApp;
let targets: Target[];
let own: Target;
let principals: Principal[];
let fresh: (target: Target) => Promise<Target>;
/** Another connection and a destination of it, to be changed or removed. */
const freshConnection = (target: Target) =>
  app.make.connection(target.client, { name: target.canary, campaignId: target.campaign.id });
const NOBODY = '00000000-0000-4000-8000-000000000000';

/** Another session of the user, to be ended. */
async function otherSession(who: Principal): Promise<string> {
  const { rows } = await app.admin.query(
    `insert into session (id, root_id, agency_id, company_id, user_id, rotated_at, created_at, expires_at, host)
     select gen_random_uuid(), root_id, agency_id, company_id, user_id, rotated_at, created_at, expires_at, host
     from session where user_id = $1 order by created_at limit 1 returning id`,
    [who.userId],
  );
  return rows[0].id;
}

/** What a browser sends to save a new passkey; earlier ones are removed, since their number is limited. */
async function newPasskey(who: Principal) {
  await app.admin.query('delete from passkey where user_id = $1', [who.userId]);
  const { body } = await app.call('GET', '/api/user/passkeys/new', { host: who.host, token: who.token });
  const { options, binding } = body as unknown as { options: { challenge: string }; binding: string };
  return {
    name: 'Laptop',
    binding,
    credential: options ? new Authenticator(`http://${who.host}`).create(options) : {},
  };
}
/** A passkey of a user, to be changed. */
async function passkeyOf(who: Principal): Promise<string> {
  const { rows } = await app.admin.query(
    `insert into passkey (id, root_id, agency_id, company_id, user_id, host, credential_id, public_key, counter, transports, is_synced,
       name, created_at)
     select gen_random_uuid(), root_id, agency_id, company_id, id, 'x.test', gen_random_uuid()::text, '', 0, '{}', false, 'Old', now()
     from user_account where id = $1 returning id`,
    [who.userId],
  );
  return rows[0].id;
}

/** Turns on a user's second factor. */
async function factorFor(who: Principal): Promise<void> {
  await app.admin.query(
    `insert into user_factor (user_id, root_id, agency_id, company_id, kind, updated_at)
     select id, root_id, agency_id, company_id, 'email', now() from user_account where id = $1
     on conflict (user_id) do update set kind = 'email', secret_sealed = null`,
    [who.userId],
  );
}

/** Ends a user's view, so that another may begin. */
async function endViewsOf(who: Principal): Promise<void> {
  await app.admin.query(
    `update session set revoked_at = now(), revoked_why = 'reverted' where viewer_id = $1 and revoked_at is null`,
    [who.userId],
  );
}
/** The target's company directly below the caller's. */
const belowOf = (t: Target, who: Principal | undefined): string | null =>
  who?.grade.startsWith('root') ? t.client.agency_id : t.client.id;

/** Assigns a company to the sales person who is calling, and to no one else. */
async function careFor(companyId: string | null, who: Principal | undefined): Promise<void> {
  if (!who?.grade.endsWith('.sales')) return;
  await app.admin.query(
    `insert into sales_assignment (company_id, root_id, agency_id, role, user_id, assigned_at)
     select id, root_id, agency_id, 'representative', $2, now() from company
     where id = $1 and root_id = (select root_id from user_account where id = $2)
     on conflict (company_id, role) do update set user_id = $2`,
    [companyId, who.userId],
  );
}

/** Makes the client have accepted its agreement. */
const agreed = ({ client, personId }: Target): Promise<void> =>
  app.make.accept(client, personId, 'default_client');

/** A role of the client that no one holds, to be changed. */
async function freshRole(target: Target): Promise<string> {
  const { rows } = await app.admin.query(
    `insert into role (id, root_id, agency_id, company_id, name, created_at, updated_at)
     values (gen_random_uuid(), $1, $2, $3, $4, now(), now()) returning id`,
    [target.client.root_id, target.client.agency_id, target.client.id, `${target.canary} ${++serial}`],
  );
  return rows[0].id;
}
/** An exclusion list of the client with a bad row. */
async function freshList(target: Pick<Target, 'client' | 'canary'>, state = 'active'): Promise<string> {
  const { rows } = await app.admin.query(
    `with list as (insert into exclusion_list (id, root_id, agency_id, company_id, owner_id, level, name, state, created_at)
       values (gen_random_uuid(), $1, $2, $3, $3, 'client', $4, $5, now()) returning id)
     insert into exclusion_error (list_id, line, root_id, agency_id, company_id, reason, value)
     select id, 1, $1, $2, $3, 'is nothing', $4 from list returning list_id`,
    [target.client.root_id, target.client.agency_id, target.client.id, `${target.canary}.csv`, state],
  );
  return rows[0].list_id;
}
/** An import of the root that is on hold. */
async function heldImport({ client, canary }: Target): Promise<string> {
  const { rows } = await app.admin.query(
    `insert into import_job (id, root_id, company_id, kind, file_name, file_path, file_bytes, mapping, state, created_at)
     values (gen_random_uuid(), $1, $1, 'people', $2, 'imports/none.csv', 1, '{}', 'held', now()) returning id`,
    [client.root_id, `${canary}.csv`],
  );
  return rows[0].id;
}
/** Held sign-ups of the target's campaign, in the form in which a decision refers to them. */
async function heldSignUp({ campaign }: Pick<Target, 'campaign'>) {
  const source = `192.0.2.${++serial}`;
  await app.admin.query(
    `insert into held_visit (day, event_id, root_id, agency_id, company_id, campaign_id, reason, source, event, received_at, state)
     values ('2026-03-10', gen_random_uuid(), $1, $2, $3, $4, 'address', $5, 'identify', '2026-03-10T12:00:00Z', 'held')`,
    [campaign.owner.root_id, campaign.owner.agency_id, campaign.owner.company_id, campaign.id, source],
  );
  return { leadspeekID: campaign.id, reason: 'address', source, until: '2026-03-10T12:00:00Z' };
}
/** A network that the target's client does not trust yet; the client trusts none, so there is room for one. */
async function freshNetwork({ client }: Pick<Target, 'client'>): Promise<string> {
  await app.admin.query('delete from trusted_address where company_id = $1', [client.id]);
  return `198.18.${++serial >> 8}.${serial & 255}`;
}
/** A trusted address of the target's campaign. */
async function trustedAddress({ client, campaign }: Pick<Target, 'client' | 'campaign'>): Promise<string> {
  const { rows } = await app.admin.query(
    `insert into trusted_address (id, root_id, agency_id, company_id, campaign_id, network, note, created_at, created_by)
     values (gen_random_uuid(), $1, $2, $3, $4, $5, '', now(), gen_random_uuid()) returning id`,
    [
      campaign.owner.root_id,
      campaign.owner.agency_id,
      campaign.owner.company_id,
      campaign.id,
      await freshNetwork({ client }),
    ],
  );
  return rows[0].id;
}
/** A rule for prices below cost other than the current one. */
async function otherRule(who: Principal | undefined): Promise<string> {
  const { rows } = await app.admin.query('select rule from margin_rule where company_id = $1', [
    who?.companyId,
  ]);
  return rows[0]?.rule === 'sell' ? 'hold' : 'sell';
}
/** An email of a client in the outbox. */
async function keptMail({ client }: Target): Promise<string> {
  const { rows } = await app.admin.query(
    `insert into mail (id, root_id, agency_id, company_id, kind, to_address, to_name, from_address, from_name, subject, state, created_at)
     select gen_random_uuid(), root_id, agency_id, id, 'test', 'a@b.test', 'A', 'c@d.test', 'C', 'Hello', 'kept', now()
     from company where id = $1 returning id`,
    [client.id],
  );
  return rows[0].id;
}
/** A background job of the root that was set aside. */
async function stoppedJob({ client }: Target): Promise<string> {
  const { rows } = await app.admin.query(
    `insert into job_run (key, kind, payload, root_id, worker, starts, set_aside_at)
     values (gen_random_uuid()::text, 'invoices.close', json_build_object('rootId', $1::text)::jsonb, $1::uuid, gen_random_uuid(), 2, now())
     returning key`,
    [client.root_id],
  );
  return rows[0].key;
}
/**
 * A group of campaigns: the caller's own if they can see the target, since groups can be changed only by their own
 * company.
 */
async function freshGroup(target: Target, who: Principal | undefined): Promise<string> {
  const company = who && !who.grade.startsWith('root') && who.sees(target) ? who.companyId : target.client.id;
  const { rows } = await app.admin.query(
    `insert into company_group (id, root_id, agency_id, company_id, name, created_at, updated_at)
     select gen_random_uuid(), root_id, agency_id, id, $2, now(), now() from company where id = $1 returning id`,
    [company, `${target.canary} ${++serial}`],
  );
  return rows[0].id;
}
const freshAdministrator = async (target: Target): Promise<string> =>
  (await app.make.user(target.client, { role: 'administrator', name: target.canary })).id;

/** A declined charge of the client, to be looked at. */
async function declinedCharge(target: Target): Promise<string> {
  const { rows } = await app.admin.query(
    `insert into charge (id, root_id, agency_id, company_id, purpose, reference_id, idempotency_key, amount_cents, description,
       provider, account, customer, card, brand, last4, state, created_at)
     values (gen_random_uuid(), $1, $2, $3, 'invoice', 'x', gen_random_uuid()::text, 100, $4, 'sandbox', '', 'none', 'none', 'visa',
       '4242', 'declined', now()) returning id`,
    [target.client.root_id, target.client.agency_id, target.client.id, target.canary],
  );
  return rows[0].id;
}
/** A Search ID campaign of the client. */
const searchCampaign = async (target: Target): Promise<string> =>
  (await app.make.campaign(target.client, { name: target.canary, search: { keywords: ['shoes'] } })).id;
/** A completed keyword count of the client. */
async function freshCount(target: Target): Promise<string> {
  const { rows } = await app.admin.query(
    `insert into intent_count (id, root_id, agency_id, company_id, location, keywords, state, people, placed, asked_at, created_at)
     values (gen_random_uuid(), $1, $2, $3, 'national', array[$4::text], 'done', 1, 1, now(), now()) returning id`,
    [target.client.root_id, target.client.agency_id, target.client.id, target.canary],
  );
  return rows[0].id;
}
/** A discrepancy with the provider concerning the client. */
async function difference(target: Target): Promise<string> {
  const { rows } = await app.admin.query(
    `insert into payment_mismatch (id, root_id, agency_id, company_id, provider_reference, kind, ours, theirs, found_at, seen_at)
     values (gen_random_uuid(), $1, $2, $3, gen_random_uuid()::text, 'not_here', $4, 'x', now(), now()) returning id`,
    [target.client.root_id, target.client.agency_id, target.client.id, target.canary],
  );
  return rows[0].id;
}

/** Gives a caller who may charge a wallet a card again, since other samples remove it. */
async function cardOf(who: Principal | undefined): Promise<void> {
  if (who?.grade !== 'agency.owner') return;
  const owner = { root_id: own.client.root_id, agency_id: who.companyId, company_id: who.companyId };
  await app.features.billing.accounts.sandboxCard(owner, 'works');
}
/** Lets the client be charged on its agency's account, and has it buy 10 leads of its campaign if requested. */
async function buyer(t: Target, leads = 0): Promise<void> {
  const { root_id, agency_id, id } = t.client;
  const owner = { root_id, agency_id: agency_id!, company_id: id };
  const { billing, payments } = app.features;
  await billing.accounts.sandboxAccount({ ...owner, company_id: owner.agency_id }, 'approve');
  await billing.accounts.sandboxCard(owner, 'works');
  if (leads === 0) return;
  await payments.charges.charge({
    owner,
    purpose: 'prepaid_top_up',
    referenceId: t.campaign.id,
    amountMicros: BigInt(leads) * 1_000_000n,
    key: `matrix-key-${++serial}`,
    description: 'Matrix',
    details: { leads: String(leads), price: '1000000', term: 'Prepaid' },
  });
}
const PREPAID = '/api/configuration/agencies/prepaid';
const walletOf = (t: Target, amount: string) => ({
  company_id: t.client.agency_id,
  amount,
  custom_amount: 'F',
  stop_continual: 'T',
});

/** An agency or client with its owner, as the caller would enter it. */
const companyFields = (who: Principal | undefined) => ({
  companyID: who?.companyId ?? NOBODY,
  userType: who?.grade.startsWith('root') ? 'userdownline' : 'client',
  ClientCompanyName: `Matrix ${++serial}`,
  ClientFullName: 'Mara Matrix',
  ClientEmail: `matrix${++serial}@people.test`,
  ClientPhone: '2025550123',
  ClientPhoneCountryCode: 'US',
});
/** A company directly below the caller's, next to the target's, with nothing that prevents its removal. */
async function freshCompany(target: Target, who: Principal | undefined): Promise<string> {
  const agency = { ...target.client, id: target.client.agency_id! };
  const given = { name: `${target.canary} ${++serial}` };
  const root = { id: target.client.root_id, root_id: target.client.root_id, agency_id: null };
  const made = who?.grade.startsWith('root')
    ? await app.make.agency(root, given)
    : await app.make.client(agency, given);
  return made.id;
}

/** Makes sure a company has an owner with this address. */
async function ownerFor(id: string, email: string): Promise<void> {
  const { rows } = await app.admin.query<Company>(
    'select id, root_id, agency_id from company where id = $1',
    [id],
  );
  await app.make.user(rows[0]!, { email });
}

const fields = { campaignName: 'Matrix', urlCode: 'https://matrix.example/' };
const planFields = () => ({ planName: `Plan ${++serial}`, months: ['100'], flatMonth: '349' });

/** A plan of minimum spend of a target's root. */
async function freshPlan(target: Target): Promise<string> {
  const { rows } = await app.admin.query(
    `with plan as (insert into minspend_plan (id, root_id, company_id, name, created_at)
       values (gen_random_uuid(), $1, $1, $2, now()) returning id)
     insert into minspend_amount (root_id, company_id, plan_id, valid_from, months, flat)
     select $1, $1, id, '2000-01-01', '{}', 0 from plan returning plan_id`,
    [target.client.root_id, `Plan ${++serial}`],
  );
  return rows[0].plan_id;
}

/** A minimum spend that was announced to a target's agency days ago. */
async function freshOffer({ client, canary }: Target): Promise<string> {
  await app.admin.query(
    'update minspend_offer set withdrawn_at = now() where company_id = $1 and accepted_at is null',
    [client.agency_id],
  );
  const { rows } = await app.admin.query(
    `insert into minspend_offer (id, root_id, agency_id, company_id, name, months, flat, announced_at)
     values (gen_random_uuid(), $1, $2, $2, $3, '{}', 1000000, '2000-01-01') returning id`,
    [client.root_id, client.agency_id, `${canary} plan`],
  );
  return rows[0].id;
}

/** Ends the charge that an invoice triggers itself. */
const chargesOver = (invoiceId: string) =>
  app.admin.query(`update charge set state = 'canceled', next_ask_at = null where reference_id = $1`, [
    invoiceId,
  ]);

/** A new open invoice: of the target's client, for a root of the target's agency. */
async function freshInvoice(t: Target, who: Principal | undefined): Promise<string> {
  const agency = {
    root_id: t.client.root_id,
    agency_id: t.client.agency_id!,
    company_id: t.client.agency_id!,
  };
  const root = { root_id: t.client.root_id, agency_id: null, company_id: t.client.root_id };
  const isRoot = who?.grade.startsWith('root');
  const owner = isRoot ? agency : { ...agency, company_id: t.client.id };
  const at = app.clock.now();
  const id = await inScope(app.platform.db.app, { rootId: t.client.root_id }, async (tx) => {
    const [event] = await app.features.ledger.post(
      tx,
      [
        {
          owner,
          kind: 'adjustment',
          referenceId: null,
          memo: `${t.canary} owes`,
          key: `matrix ${++serial}`,
          entries: [
            { account: { owner, kind: isRoot ? 'agency_payable' : 'client_unbilled' }, amount: -3_000_000n },
            {
              account: isRoot
                ? { owner: root, kind: 'root_revenue' }
                : { owner: agency, kind: 'agency_revenue' },
              amount: 3_000_000n,
            },
          ],
        },
      ],
      at,
    );
    const issued = await app.features.invoices.bill(
      tx,
      {
        owner,
        side: isRoot ? 'wholesale' : 'retail',
        kind: 'to_date',
        term: null,
        periodKey: `matrix ${serial}`,
        from: null,
        to: null,
        events: { transferIds: [event!] },
      },
      at,
    );
    return issued!.id;
  });
  await chargesOver(id);
  return id;
}

/** A credit note of such an invoice. */
async function freshNote(t: Target, who: Principal | undefined): Promise<{ invoice: string; note: string }> {
  const invoice = await freshInvoice(t, who);
  const { rows } = await app.admin.query(
    `insert into credit_note (id, root_id, agency_id, company_id, issuer_id, invoice_id, number, seq, amount_micros, reason,
       idempotency_key, transfer_id, created_at)
     select gen_random_uuid(), root_id, agency_id, company_id, issuer_id, id, 'CN-' || $2::int, 1000000 + $2::int, 10000, $3, 'matrix', transfer_id, now()
     from invoice where id = $1 returning id`,
    [invoice, ++serial, `${t.canary} credit`],
  );
  return { invoice, note: rows[0].id };
}

/** A coupon of a target's root. */
async function freshCoupon(target: Target): Promise<string> {
  const { rows } = await app.admin.query(
    `insert into coupon (id, root_id, company_id, code, percent, created_at)
     values (gen_random_uuid(), $1, $1, $2, 10, now()) returning id`,
    [target.client.root_id, `FRESH-${++serial}`],
  );
  return rows[0].id;
}

/** A tax rate of a target's root. */
async function freshTaxRate(target: Target): Promise<string> {
  const { rows } = await app.admin.query(
    `insert into tax_rate (id, root_id, company_id, country_code, state_code, name, rate_ppm, updated_at)
     values (gen_random_uuid(), $1, $1, 'FR', $2, 'VAT', 0, now()) returning id`,
    [target.client.root_id, `F${++serial}`],
  );
  return rows[0].id;
}

/** A person of the target's agency, for a root to settle. */
const agencyPersonOf = async ({ client, canary }: Target): Promise<string> =>
  (await app.make.user({ ...client, id: client.agency_id! }, { name: canary })).id;
/** Gives the target's agency a card to pay with again. */
const agencyCard = ({ client }: Target) =>
  app.features.billing.accounts.sandboxCard(
    { root_id: client.root_id, agency_id: client.agency_id!, company_id: client.agency_id! },
    'works',
  );
/** An open invoice that the target's client pays, or its agency if an agency is calling. */
async function openInvoice(target: Target, who: Principal | undefined): Promise<string> {
  const { client, campaign } = target;
  const isAgency = who?.grade.startsWith('agency') ?? false;
  if (isAgency) await agencyCard(target);
  const dues = duesOf(app, { id: client.root_id, root_id: client.root_id, agency_id: null });
  await dues.lead(campaign, 2_000_000n, 1_000_000n);
  const id = await dues.bill(isAgency ? { ...client, id: client.agency_id! } : client);
  await chargesOver(id);
  return id;
}

/** Makes the target's agency bill its clients here, whatever another sample changed. */
const billsHere = ({ client }: Target): Promise<void> =>
  inScope(app.platform.db.app, { rootId: client.root_id }, (tx) =>
    app.features.billing.accounts.setTerms(
      tx,
      { root_id: client.root_id, agency_id: client.agency_id!, company_id: client.agency_id! },
      { manual_bill: false, updated_at: app.clock.now() },
    ),
  );

/** A lead of the target's campaign that its client and agency have paid for and that has not been refunded. */
async function freshLead(target: Target): Promise<string> {
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

/** A key of the target's agency, with its canary as the name; the agency has developer mode. */
async function developerKey({ client, canary }: Target): Promise<string> {
  const { rows } = await app.admin.query('select id from user_account where company_id = $1 limit 1', [
    client.agency_id,
  ]);
  const agency = { ...client, id: client.agency_id! };
  const makerId = rows[0]?.id ?? (await app.make.user(agency)).id;
  await app.make.developer(agency, makerId);
  // Another sample may have made a payment fail; the number of keys is limited.
  await app.make.terms(agency, { payment_status: '' });
  await app.admin.query('delete from developer_key where company_id = $1', [agency.id]);
  const made = await app.admin.query(
    `insert into developer_key (id, root_id, agency_id, company_id, maker_id, name, mode, client_id, secret_hash, secret_end, scopes, created_at)
     values (gen_random_uuid(), $1, $2, $2, $3, $4, 'live', gen_random_uuid()::text, sha256(gen_random_uuid()::text::bytea), 'abcd', '{}', now())
     returning id`,
    [client.root_id, client.agency_id, makerId, canary],
  );
  return made.rows[0].id;
}

/** Two new people in a target's root, with its canary as their last names. */
async function twoPeople({ client, canary }: Target): Promise<[string, string]> {
  const { rows } = await app.admin.query(
    `insert into person (id, root_id, company_id, ref, last_name, keys, source, created_at, updated_at)
     select gen_random_uuid(), $1, $1, uuid_send(gen_random_uuid()), $2, '{}', 'matrix', now(), now() from generate_series(1, 2) returning id`,
    [client.root_id, canary],
  );
  return [rows[0].id, rows[1].id];
}

async function freshMerge(target: Target): Promise<string> {
  const { rows } = await app.admin.query(
    `insert into person_merge (id, root_id, company_id, person_id, into_id, top_id, merged_at)
     values (gen_random_uuid(), $1, $1, $2, $3, $3, now()) returning id`,
    [target.client.root_id, ...(await twoPeople(target))],
  );
  return rows[0].id;
}

let samples: Record<string, Sample> = {
  // Only for invoices of its own company: an agency does not pay those of its clients.
  'POST /api/billing/invoices/:id/pay': {
    named: true,
    request: async (t, who) => ({
      url: `/api/billing/invoices/${await openInvoice(t, who)}/pay`,
      body: { idempotencyKey: `matrix-${++serial}` },
    }),
  },
  'POST /api/general/manual-bill-settlement': {
    named: true,
    request: async (t, who) => ({
      url: '/api/general/manual-bill-settlement',
      body: { userID: who?.grade.startsWith('root') ? await agencyPersonOf(t) : t.personId },
    }),
  },
  'PUT /api/payment/set-billing-method': {
    named: true,
    also: 'subscription.write',
    request: async (t) => {
      await agencyCard(t);
      const { rows } = await app.admin.query(
        'select manual_bill from company_billing where company_id = $1',
        [t.client.agency_id],
      );
      return {
        url: '/api/payment/set-billing-method',
        body: { companyID: t.client.agency_id, manualBill: rows[0]?.manual_bill ? 'F' : 'T' },
      };
    },
    // The invoice that ends it may still be in progress.
    passes: [409],
  },
  'PUT /api/configuration/cancel-subscription': {
    named: true,
    request: (t) => ({
      url: '/api/configuration/cancel-subscription',
      body: { companyID: t.client.agency_id },
    }),
    passes: [409],
  },
  'GET /api/configuration/package': { named: false, request: () => ({ url: '/api/configuration/package' }) },
  'PUT /api/configuration/setting/package': {
    named: true,
    request: (t) => ({
      url: '/api/configuration/setting/package',
      body: { companyID: t.client.agency_id, packageID: 'standard' },
    }),
  },
  'GET /healthz': { named: false, request: () => ({ url: '/healthz' }) },
  'GET /readyz': { named: false, request: () => ({ url: '/readyz' }) },
  'POST /v': { named: false, request: () => ({ url: '/v', body: { k: 'nokey', e: [{}] } }), passes: [404] },
  'OPTIONS /v': { named: false, request: () => ({ url: '/v' }) },
  'GET /p/v1/:file': { named: false, request: () => ({ url: '/p/v1/abc.js' }) },
  'GET /*': { named: false, request: () => ({ url: '/login' }) },
  'GET /api/openapi.json': { named: false, request: () => ({ url: '/api/openapi.json' }) },
  'GET /api/reference': { named: false, request: () => ({ url: '/api/reference' }) },
  'GET /api/client.tgz': { named: false, request: () => ({ url: '/api/client.tgz' }) },
  'GET /api/keys': { named: false, request: () => ({ url: '/api/keys' }) },
  'POST /api/login': {
    named: false,
    request: () => ({ url: '/api/login', body: { username: 'no@body.test', password: 'x' } }),
    passes: [401],
  },
  'POST /api/auth/refresh-token': {
    named: false,
    request: () => ({ url: '/api/auth/refresh-token', body: {} }),
    passes: [401],
  },
  'POST /api/setup/first-owner': {
    named: false,
    request: () => ({
      url: '/api/setup/first-owner',
      body: { token: 'x', company_name: 'x', name: 'x', email: 'x@x.test', password: 'a long password' },
    }),
    passes: [410],
  },
  'POST /api/verifylogin': {
    named: false,
    request: () => ({
      url: '/api/verifylogin',
      body: { email: 'no@body.test', code: '000000', otp_token: 'x' },
    }),
    passes: [410],
  },
  'POST /api/resendcode': {
    named: false,
    request: () => ({ url: '/api/resendcode', body: { otp_token: 'x' } }),
    passes: [410],
  },
  'GET /api/general/access-options': {
    named: false,
    request: () => ({ url: '/api/general/access-options' }),
  },
  'GET /api/general/referral-link': { named: false, request: () => ({ url: '/api/general/referral-link' }) },
  'GET /api/general/captcha': { named: false, request: () => ({ url: '/api/general/captcha' }) },
  'POST /api/register': {
    named: false,
    request: () => ({
      url: '/api/register',
      body: { companyname: 'x', name: 'x', email: 'x@x.test', password: 'a long password' },
    }),
    passes: [403],
  },
  'POST /api/register/confirm': {
    named: false,
    request: () => ({ url: '/api/register/confirm', body: { token: 'x', email: 'x@x.test' } }),
    passes: [410],
  },
  'POST /api/forgetpass': {
    named: false,
    request: () => ({ url: '/api/forgetpass', body: { username: 'x@x.test' } }),
    passes: [422],
  },
  'POST /api/verify-reset-token': {
    named: false,
    request: () => ({ url: '/api/verify-reset-token', body: { token: 'x', email: 'x@x.test' } }),
  },
  'POST /api/setnewpassword': {
    named: false,
    request: () => ({
      url: '/api/setnewpassword',
      body: { token: 'x', email: 'x@x.test', newpassword: 'a long password' },
    }),
    passes: [410],
  },
  'POST /api/v1/developer/sso/validation': {
    named: false,
    request: () => ({ url: '/api/v1/developer/sso/validation', body: { token: 'x' } }),
    passes: [410],
  },
  // Only about the caller's own account: what others get is in features/accounts/auth/factors.test.ts.
  'POST /api/user/resetpassword': {
    named: false,
    request: (_, who) => ({
      url: '/api/user/resetpassword',
      body: { usrID: who?.userId ?? NOBODY, currpassword: PASSWORD, newpassword: PASSWORD },
    }),
  },
  'GET /api/setting/twofactorauth/:userId': {
    named: false,
    request: (_, who) => ({ url: `/api/setting/twofactorauth/${who?.userId ?? NOBODY}` }),
  },
  'GET /api/setting/get-google-tfa/:userId/:companyId': {
    named: false,
    request: (_, who) => ({
      url: `/api/setting/get-google-tfa/${who?.userId ?? NOBODY}/${who?.companyId ?? NOBODY}`,
    }),
  },
  'PUT /api/setting/twofactorauth/:userId': {
    named: false,
    request: (_, who) => ({
      url: `/api/setting/twofactorauth/${who?.userId ?? NOBODY}`,
      body: { two_factor_auth: true, two_factor_auth_type: 'email', currpassword: PASSWORD },
    }),
  },
  'GET /api/passkeys/sign-in': { named: false, request: () => ({ url: '/api/passkeys/sign-in' }) },
  'POST /api/passkeys/sign-in': {
    named: false,
    request: () => ({
      url: '/api/passkeys/sign-in',
      body: { credential: new Authenticator('http://root.test').nothing(), binding: 'x' },
    }),
    passes: [401],
  },
  'GET /api/user/confirm': { named: false, request: () => ({ url: '/api/user/confirm' }) },
  'GET /api/user/passkeys': { named: false, request: () => ({ url: '/api/user/passkeys' }) },
  'GET /api/user/passkeys/new': { named: false, request: () => ({ url: '/api/user/passkeys/new' }) },
  'POST /api/user/passkeys': {
    named: false,
    request: async (_, who) => ({ url: '/api/user/passkeys', body: who ? await newPasskey(who) : {} }),
  },
  'PUT /api/user/passkeys/:id': {
    named: false,
    request: async (_, who) => ({
      url: `/api/user/passkeys/${who ? await passkeyOf(who) : NOBODY}`,
      body: { name: 'Another' },
    }),
  },
  'DELETE /api/user/passkeys/:id': {
    named: false,
    request: async (_, who) => ({ url: `/api/user/passkeys/${who ? await passkeyOf(who) : NOBODY}` }),
  },
  'GET /api/user/recovery-codes': { named: false, request: () => ({ url: '/api/user/recovery-codes' }) },
  'POST /api/user/recovery-codes': {
    named: false,
    request: async (_, who) => {
      if (who) await factorFor(who);
      return { url: '/api/user/recovery-codes', body: {} };
    },
  },
  'GET /api/user/sessions': { named: false, request: () => ({ url: '/api/user/sessions' }) },
  'POST /api/user/confirm': {
    named: false,
    request: () => ({ url: '/api/user/confirm', body: { password: PASSWORD } }),
  },
  'GET /api/user/activity': { named: false, request: () => ({ url: '/api/user/activity' }) },
  'POST /api/user/sessions/end-others': {
    named: false,
    request: () => ({ url: '/api/user/sessions/end-others', body: {} }),
  },
  'DELETE /api/user/sessions/:id': {
    named: false,
    request: async (_, who) => ({ url: `/api/user/sessions/${who ? await otherSession(who) : NOBODY}` }),
  },
  // As the target's own user; only one view at a time, so the previous one is ended.
  'POST /api/user/switch': {
    named: true,
    request: async (t, who) => {
      if (who) await endViewsOf(who);
      await careFor(belowOf(t, who), who);
      return { url: '/api/user/switch', body: { usrID: t.personId, reason: 'Matrix test' } };
    },
  },
  'POST /api/user/switch/renew': {
    named: false,
    request: () => ({ url: '/api/user/switch/renew', body: {} }),
    passes: [409],
  },
  'POST /api/user/switch/revert': {
    named: false,
    request: () => ({ url: '/api/user/switch/revert', body: {} }),
    passes: [409],
  },
  'GET /api/user/views': { named: false, request: () => ({ url: '/api/user/views' }) },
  // A root's users assign an agency's sales people; an agency's users assign its clients'.
  'GET /api/configuration/sales/list': {
    named: true,
    request: (t, who) => ({ url: `/api/configuration/sales/list?companyID=${belowOf(t, who)}` }),
  },
  'PUT /api/configuration/sales': {
    named: true,
    request: (t, who) => ({
      url: '/api/configuration/sales',
      body: { companyID: belowOf(t, who), salesRep: '', salesAE: null },
    }),
  },
  'GET /api/configuration/sales/downline': {
    named: false,
    request: () => ({ url: '/api/configuration/sales/downline' }),
  },
  'GET /api/configuration/user/:companyId/:group/:idsys/:type/:module/:sortby/:order/:search': {
    named: true,
    request: (t, who) => ({
      url: who?.grade.startsWith('client')
        ? `/api/configuration/user/${t.client.id}/all/all/administrator/all/all/all/all`
        : `/api/configuration/user/${t.client.agency_id}/all/all/client/all/all/all/all`,
    }),
  },
  'POST /api/configuration/user/create': {
    named: false,
    request: (_, who) => ({
      url: '/api/configuration/user/create',
      body: {
        ...companyFields(who),
        ...(who?.grade.startsWith('client') ? { userType: 'administrator' } : {}),
        ...(who?.grade.startsWith('root') ? { DownlineSubDomain: `matrix-${++serial}` } : {}),
      },
    }),
  },
  'PUT /api/configuration/user/update': {
    named: true,
    request: async (t, who) => {
      const url = '/api/configuration/user/update';
      if (who?.grade.startsWith('client'))
        return {
          url,
          body: {
            companyID: who.companyId,
            userType: 'administrator',
            ClientID: await freshAdministrator(t),
          },
        };
      const ClientID = await freshCompany(t, who);
      const fields = companyFields(who);
      if (who?.grade.endsWith('.sales')) {
        // Sales people cannot change the address, so there must be an owner who has it.
        await careFor(ClientID, who);
        await ownerFor(ClientID, fields.ClientEmail);
      }
      return { url, body: { ...fields, ClientID } };
    },
  },
  'DELETE /api/configuration/user/remove/:companyID/:userID': {
    named: true,
    request: async (t, who) => ({
      url: `/api/configuration/user/remove/${who?.companyId ?? NOBODY}/${
        who?.grade.startsWith('client') ? await freshAdministrator(t) : await freshCompany(t, who)
      }`,
    }),
  },
  'POST /api/configuration/user/resendinvitation': {
    named: true,
    request: async (t, who) => ({
      url: '/api/configuration/user/resendinvitation',
      body: {
        companyID: who?.companyId ?? NOBODY,
        ClientID: who?.grade.startsWith('client') ? await freshAdministrator(t) : belowOf(t, who),
      },
    }),
    // The target's agency may have no owner.
    passes: [409],
  },
  'GET /api/configuration/root/list': {
    named: false,
    request: () => ({ url: '/api/configuration/root/list' }),
    // Roots other than the master's.
    passes: [404],
  },
  'POST /api/configuration/root/create': {
    named: false,
    request: () => ({
      url: '/api/configuration/root/create',
      body: {
        name: `Root ${++serial}`,
        host: `matrix${serial}.test`,
        owner_name: 'Mara Matrix',
        owner_email: `matrix${serial}@people.test`,
      },
    }),
    passes: [404],
  },
  'POST /api/configuration/user/testsmtp': {
    named: true,
    request: (t, who) => ({
      url: '/api/configuration/user/testsmtp',
      body: {
        companyID: belowOf(t, who) === t.client.id ? (t.client.agency_id ?? NOBODY) : belowOf(t, who),
        smtp: {
          host: '127.0.0.1',
          port: 2525,
          security: 'none',
          username: '',
          password: '',
          from_name: '',
          from_address: 'a@x.test',
        },
      },
    }),
    // Tried often enough to reach the limit.
    passes: [429],
  },
  'POST /api/configuration/setting/test-email': {
    named: true,
    request: (t) => ({
      url: '/api/configuration/setting/test-email',
      body: { companyID: t.client.agency_id },
    }),
    passes: [429],
  },
  'POST /api/leadspeek/check-campaign-active': {
    named: true,
    request: (t) => ({
      url: '/api/leadspeek/check-campaign-active',
      body: { company_id: t.client.id, leadspeek_type: 'local' },
    }),
  },
  'GET /api/configuration/company/list': {
    named: true,
    request: (t) => ({ url: `/api/configuration/company/list?companyID=${t.client.agency_id}` }),
  },
  'GET /api/user': { named: false, request: () => ({ url: '/api/user' }) },
  // Only about the caller's own account: what others get is in features/accounts/setup/profile.test.ts.
  'POST /api/user/update': {
    named: false,
    request: () => {
      const at = 'matrixboundary';
      const payload = `--${at}\r\nContent-Disposition: form-data; name="city"\r\n\r\nChicago\r\n--${at}--\r\n`;
      return {
        url: '/api/user/update',
        payload,
        headers: { 'content-type': `multipart/form-data; boundary=${at}` },
      };
    },
  },
  'GET /profile-picture/:file': {
    named: false,
    request: () => ({ url: `/profile-picture/${NOBODY}.png` }),
    passes: [404],
  },
  'POST /api/user/confirm-email': {
    named: false,
    request: () => ({ url: '/api/user/confirm-email', body: { token: 'x' } }),
    passes: [410],
  },
  'POST /api/user/stop-email': {
    named: false,
    request: () => ({ url: '/api/user/stop-email', body: { token: 'x' } }),
    passes: [410],
  },
  'GET /api/user/questionnaire': { named: false, request: () => ({ url: '/api/user/questionnaire' }) },
  'PUT /api/user/questionnaire': {
    named: false,
    request: () => ({
      url: '/api/user/questionnaire',
      body: {
        industry_id: 'legal',
        business_type: 'direct',
        client_count: '1',
        lead_volume: 'none',
        verticals: ['legal'],
        channels: ['email'],
        crm: 'none',
        experience: 'none',
        goals: ['resell'],
        how_heard: 'event',
      },
    }),
  },
  'GET /api/general/states': { named: false, request: () => ({ url: '/api/general/states' }) },
  'GET /api/general/cities': { named: false, request: () => ({ url: '/api/general/cities?state=IL' }) },
  'GET /api/general/timezones': { named: false, request: () => ({ url: '/api/general/timezones' }) },
  'GET /api/general/visitor-country': {
    named: false,
    request: () => ({ url: '/api/general/visitor-country' }),
  },
  'GET /api/user/retrieve': { named: false, request: () => ({ url: '/api/user/retrieve' }) },
  'GET /api/user/:id': {
    named: true,
    also: 'person.read',
    request: (t) => ({ url: `/api/user/${t.personId}` }),
  },
  'POST /api/user/getuserdata': {
    named: true,
    also: 'person.read',
    request: (t) => ({ url: '/api/user/getuserdata', body: { usrID: t.personId } }),
  },
  'GET /api/user/checksetupcomplete/:id': {
    named: true,
    also: 'person.read',
    request: (t) => ({ url: `/api/user/checksetupcomplete/${t.personId}` }),
  },
  // The agencies in this test have nothing to pay.
  'POST /api/user/onboarding-charge': {
    named: false,
    request: () => ({ url: '/api/user/onboarding-charge', body: {} }),
    passes: [404, 409],
  },
  'GET /api/user/onboarding-status/:id': {
    named: true,
    also: 'person.read',
    request: (t) => ({ url: `/api/user/onboarding-status/${t.personId}` }),
  },
  // The users in this test have no phone number.
  'PUT /api/leadspeek/user/setupcomplete': {
    named: false,
    request: () => ({ url: '/api/leadspeek/user/setupcomplete', body: {} }),
    passes: [422],
  },
  'PUT /api/payment/sandbox-card': {
    named: false,
    request: () => ({ url: '/api/payment/sandbox-card', body: {} }),
    // A client's card needs an account of its agency.
    passes: [409],
  },
  'POST /api/general/sandbox-account/:step': {
    named: false,
    request: () => ({ url: '/api/general/sandbox-account/approve', body: {} }),
  },
  'GET /api/general/document/:name': {
    named: false,
    request: () => ({ url: '/api/general/document/privacy-policy' }),
  },
  'GET /api/configuration/agreement/:companyID/file': {
    named: true,
    request: async (t) => {
      await agreed(t);
      return { url: `/api/configuration/agreement/${t.client.id}/file` };
    },
  },
  'GET /api/general/document/:name/file': {
    named: false,
    request: () => ({ url: '/api/general/document/default_agency/file' }),
  },
  'GET /api/payment/card': { named: false, request: () => ({ url: '/api/payment/card' }) },
  'POST /api/payment/card/start': {
    named: false,
    request: () => ({ url: '/api/payment/card/start', body: {} }),
    passes: [409],
  },
  'PUT /api/payment/card': {
    named: false,
    request: () => ({ url: '/api/payment/card', body: { setup: 'none' } }),
    passes: [404, 409],
  },
  'POST /api/payment/customer': {
    named: false,
    request: () => ({ url: '/api/payment/customer', body: { setup: 'none' } }),
    passes: [404],
  },
  'POST /api/payment/customer-direct': {
    named: false,
    request: () => ({ url: '/api/payment/customer-direct', body: { setup: 'none' } }),
    passes: [404, 409],
  },
  'DELETE /api/payment/card': {
    named: false,
    request: () => ({ url: '/api/payment/card' }),
    passes: [404],
  },
  // Only the caller's own charges: no caller here has one.
  'POST /api/payment/charge/:id/authentication': {
    named: false,
    request: () => ({ url: `/api/payment/charge/${NOBODY}/authentication`, body: {} }),
    passes: [404],
  },
  'POST /api/payment/charge/:id/check': {
    named: false,
    request: () => ({ url: `/api/payment/charge/${NOBODY}/check`, body: {} }),
    passes: [404],
  },
  'POST /api/general/connected-account/create': {
    named: false,
    request: () => ({ url: '/api/general/connected-account/create', body: {} }),
  },
  'POST /api/general/connected-account/link': {
    named: false,
    request: () => ({ url: '/api/general/connected-account/link', body: {} }),
    passes: [409],
  },
  'GET /api/general/connected-account/check': {
    named: false,
    request: () => ({ url: '/api/general/connected-account/check' }),
  },
  'POST /api/general/connected-account/keep': {
    named: false,
    request: () => ({ url: '/api/general/connected-account/keep', body: {} }),
    passes: [409],
  },
  'POST /api/general/reset-payment-connection': {
    named: false,
    request: () => ({ url: '/api/general/reset-payment-connection', body: {} }),
  },
  'POST /api/payment/sandbox/card': {
    named: false,
    request: () => ({
      url: '/api/payment/sandbox/card',
      body: { client_secret: 'none', number: '4242424242424242', exp_month: 1, exp_year: 30, cvc: '123' },
    }),
    passes: [404],
  },
  'POST /api/payment/sandbox/authentication': {
    named: false,
    request: () => ({
      url: '/api/payment/sandbox/authentication',
      body: { client_secret: 'none', passed: 'T' },
    }),
    passes: [404],
  },
  'POST /api/payment/sandbox/account/open': {
    named: false,
    request: () => ({ url: '/api/payment/sandbox/account/open', body: { token: 'none' } }),
    passes: [404, 409],
  },
  'POST /api/payment/sandbox/account/submit': {
    named: false,
    request: () => ({ url: '/api/payment/sandbox/account/submit', body: { verdict: 'approve' } }),
    passes: [409],
  },
  'POST /api/payment/notice': {
    named: false,
    request: () => ({ url: '/api/payment/notice', body: {} }),
    passes: [400],
  },
  'GET /.well-known/security.txt': {
    named: false,
    request: () => ({ url: '/.well-known/security.txt' }),
  },
  'GET /api/configuration/margins': { named: false, request: () => ({ url: '/api/configuration/margins' }) },
  'PUT /api/configuration/margins': {
    named: false,
    request: async (_, who) => ({
      url: '/api/configuration/margins',
      body: { rule: await otherRule(who) },
    }),
  },
  'GET /api/configuration/user-logs': {
    named: true,
    request: (t) => ({ url: `/api/configuration/user-logs?company_id=${t.client.id}` }),
  },
  'GET /api/background/stopped': {
    named: false,
    request: () => ({ url: '/api/background/stopped' }),
  },
  'POST /api/background/stopped/again': {
    named: true,
    rootOnly: true,
    request: async (t) => ({ url: '/api/background/stopped/again', body: { id: await stoppedJob(t) } }),
  },
  // Without the demo there is no outbox for agencies and clients.
  'GET /api/outbox': { named: false, request: () => ({ url: '/api/outbox' }), passes: [404] },
  'GET /api/outbox/:id': {
    named: true,
    rootOnly: true,
    request: async (t) => ({ url: `/api/outbox/${await keptMail(t)}` }),
    passes: [404],
  },
  'GET /api/payment/problems': {
    named: false,
    request: () => ({ url: '/api/payment/problems' }),
  },
  'POST /api/payment/problems/:id/ask': {
    named: true,
    rootOnly: true,
    request: async (t) => ({ url: `/api/payment/problems/${await declinedCharge(t)}/ask`, body: {} }),
  },
  'POST /api/payment/problems/:id/settle': {
    named: true,
    rootOnly: true,
    request: async (t) => ({
      url: `/api/payment/problems/${await declinedCharge(t)}/settle`,
      body: { state: 'declined', reason: 'matrix' },
    }),
    // No one here takes charges, so only closed cases can be tried.
    passes: [409],
  },
  'POST /api/payment/problems/:id/refund': {
    named: true,
    rootOnly: true,
    request: async (t) => ({
      url: `/api/payment/problems/${await declinedCharge(t)}/refund`,
      body: { reason: 'matrix', idempotencyKey: NOBODY },
    }),
    passes: [409],
  },
  'POST /api/payment/problems/difference/:id/resolve': {
    named: true,
    rootOnly: true,
    request: async (t) => ({
      url: `/api/payment/problems/difference/${await difference(t)}/resolve`,
      body: { reason: 'matrix' },
    }),
  },
  'POST /api/payment/problems/compare': {
    named: false,
    request: () => ({ url: '/api/payment/problems/compare', body: {} }),
  },
  'GET /api/configuration/role-module/get': {
    named: true,
    also: 'role.read',
    request: (t) => ({ url: `/api/configuration/role-module/get?getType=getrole&companyID=${t.client.id}` }),
  },
  'POST /api/configuration/role-module/add': {
    named: true,
    request: (t) => ({
      url: '/api/configuration/role-module/add',
      body: { companyID: t.client.id, roleName: `Matrix ${++serial}`, roleModule: [] },
    }),
  },
  'PUT /api/configuration/role-module/update': {
    named: true,
    request: async (t) => ({
      url: '/api/configuration/role-module/update',
      body: { roleID: await freshRole(t), roleName: `Matrix ${++serial}`, roleModule: [] },
    }),
  },
  'DELETE /api/configuration/role-module/remove/:roleID': {
    named: true,
    request: async (t) => ({ url: `/api/configuration/role-module/remove/${await freshRole(t)}` }),
  },
  'PUT /api/configuration/role-module/assign': {
    named: true,
    request: async (t) => ({
      url: '/api/configuration/role-module/assign',
      body: { usrID: await freshAdministrator(t), roleID: await freshRole(t) },
    }),
  },
  'POST /api/general/agreement/confirm': {
    named: false,
    request: (_, who) => ({
      url: '/api/general/agreement/confirm',
      body: { document_type: who?.grade.startsWith('client') ? 'default_client' : 'default_agency' },
    }),
  },
  'GET /api/general/agreement/:document_type': {
    named: false,
    request: () => ({ url: '/api/general/agreement/default_agency' }),
  },
  'POST /api/general/download-token': {
    named: false,
    request: () => ({
      url: '/api/general/download-token',
      body: { path: '/api/leadspeek/report/lead/export' },
    }),
  },
  'GET /api/general/domain-info': { named: false, request: () => ({ url: '/api/general/domain-info' }) },
  'GET /api/general/domain-info/:domainorsub': {
    named: false,
    request: () => ({ url: '/api/general/domain-info/root.test' }),
  },
  'GET /brand/:file': { named: false, request: () => ({ url: `/brand/${NOBODY}.png` }), passes: [404] },
  // About the caller's own company; what a root may do for its agencies is in features/accounts/settings.
  'GET /api/configuration/setting': { named: false, request: () => ({ url: '/api/configuration/setting' }) },
  'GET /api/configuration/setting/:companyID/:settingname': {
    named: false,
    request: async (t, who) => {
      if (who?.grade !== 'root.sales')
        return { url: `/api/configuration/setting/${who?.companyId ?? NOBODY}/branding` };
      await careFor(t.client.agency_id, who);
      return { url: `/api/configuration/setting/${t.client.agency_id}/costagency` };
    },
  },
  'PUT /api/configuration/setting': {
    named: false,
    request: async (t, who) => {
      if (who?.grade === 'root.sales') await careFor(t.client.agency_id, who);
      return {
        url: '/api/configuration/setting',
        body:
          who?.grade === 'root.sales'
            ? { companyID: t.client.agency_id, comsetname: 'costagency', comsetval: { dpay: 'Prepaid' } }
            : { comsetname: 'registration', comsetval: { open: false } },
      };
    },
  },
  'POST /api/configuration/setting/picture': {
    named: false,
    request: () => ({
      url: '/api/configuration/setting/picture?purpose=logo',
      payload: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2 2"><rect width="2" height="2"/></svg>',
      headers: { 'content-type': 'image/svg+xml' },
    }),
  },
  'GET /api/configuration/custom-domain': {
    named: false,
    request: () => ({ url: '/api/configuration/custom-domain' }),
  },
  // Only agencies can choose hosts: a root gets an error saying so.
  'PUT /api/configuration/subdomain': {
    named: false,
    request: () => ({ url: '/api/configuration/subdomain', body: { subdomain: `matrix-${++serial}` } }),
    passes: [422],
  },
  'PUT /api/configuration/update-custom-domain': {
    named: false,
    request: () => ({
      url: '/api/configuration/update-custom-domain',
      body: { domain: `m${++serial}.customer.test` },
    }),
    passes: [422],
  },
  'POST /api/configuration/custom-domain/check': {
    named: false,
    request: async (_, who) => {
      if (who)
        await app.admin.query(`update domain_claim set checked_at = null where company_id = $1`, [
          who.companyId,
        ]);
      return { url: '/api/configuration/custom-domain/check', body: {} };
    },
    passes: [409],
  },
  // A wallet belongs to an agency: here, the target's agency.
  'GET /api/configuration/agencies/prepaid/direct-payment/:company_id': {
    named: true,
    request: (t) => ({ url: `${PREPAID}/direct-payment/${t.client.agency_id}` }),
  },
  'GET /api/configuration/agencies/prepaid/transaction-history-direct-payment/:company_id': {
    named: true,
    request: (t) => ({ url: `${PREPAID}/transaction-history-direct-payment/${t.client.agency_id}` }),
  },
  'GET /api/configuration/agencies/prepaid/download-transaction-history-direct-payment/:company_id/:date': {
    named: true,
    request: (t) => ({
      url: `${PREPAID}/download-transaction-history-direct-payment/${t.client.agency_id}/2026-03`,
    }),
  },
  'POST /api/configuration/agencies/prepaid/stop-continual-topup-direct-payment': {
    named: true,
    request: (t) => ({
      url: `${PREPAID}/stop-continual-topup-direct-payment`,
      body: { company_id: t.client.agency_id, stop_continual: 'T' },
    }),
  },
  'POST /api/configuration/agencies/prepaid/save-direct-payment': {
    named: true,
    request: async (t, who) => {
      await cardOf(who);
      return { url: `${PREPAID}/save-direct-payment`, body: walletOf(t, '0') };
    },
  },
  'POST /api/configuration/agencies/prepaid/charge-direct-payment': {
    named: true,
    request: async (t, who) => {
      await cardOf(who);
      const idempotencyKey = `matrix-key-${++serial}`;
      return { url: `${PREPAID}/charge-direct-payment`, body: { ...walletOf(t, '250'), idempotencyKey } };
    },
  },
  'POST /api/general/marketing-services-agreement-feature': {
    named: false,
    request: (_, who) => ({
      url: '/api/general/marketing-services-agreement-feature',
      body: {
        feature_id: 1,
        user_id: who?.userId ?? NOBODY,
        company_id: who?.companyId ?? NOBODY,
        is_marketing_services_agreement_feature: 'T',
      },
    }),
    // Clients have no feature in trial.
    passes: [422],
  },
  'GET /api/general/marketing-services-agreement-feature': {
    named: false,
    request: (_, who) => ({
      url: `/api/general/marketing-services-agreement-feature?feature_id=1&user_id=${who?.userId ?? NOBODY}`,
    }),
  },
  'GET /api/general/marketing-services-agreement/:company_id': {
    named: false,
    request: (_, who) => ({ url: `/api/general/marketing-services-agreement/${who?.companyId ?? NOBODY}` }),
  },
  'POST /api/general/marketing-services-agreement': {
    named: false,
    request: (_, who) => ({
      url: '/api/general/marketing-services-agreement',
      body: {
        user_id: who?.userId ?? NOBODY,
        company_id: who?.companyId ?? NOBODY,
        is_marketing_services_agreement_developer: 'T',
        // The developer document costs money and is for owners: server/features/developer/api/developer.test.ts.
        document_type: 'minimum_spend',
      },
    }),
    passes: [422],
  },
  'GET /api/general/search': { named: false, request: () => ({ url: '/api/general/search?q=CANARY' }) },
  'GET /api/configuration/client/list': {
    named: false,
    request: () => ({ url: '/api/configuration/client/list?PerPage=100' }),
  },
  'GET /api/dashboard': { named: true, request: (t) => ({ url: `/api/dashboard?companyID=${t.client.id}` }) },
  'POST /api/leadspeek/client/create': {
    named: true,
    request: (t) => ({ url: '/api/leadspeek/client/create', body: { ...fields, companyID: t.client.id } }),
  },
  'PUT /api/leadspeek/client/update': {
    named: true,
    request: async (t) => ({
      url: '/api/leadspeek/client/update',
      body: { ...fields, leadspeekID: (await fresh(t)).campaign.id, version: 1 },
    }),
  },
  'PUT /api/leadspeek/client/locator/update': {
    named: true,
    request: async (t) => ({
      url: '/api/leadspeek/client/locator/update',
      body: {
        ...fields,
        leadspeekID: await searchCampaign(t),
        version: 1,
        nationaltargeting: 'T',
        locatorkeyword: 'shoes',
      },
    }),
  },
  'POST /api/leadspeek/keyword-to-tags': {
    named: false,
    request: () => ({ url: '/api/leadspeek/keyword-to-tags', body: { keyword: 'shoes, boots' } }),
  },
  'POST /api/bigdbm/services/queuecount': {
    named: true,
    request: (t) => ({
      url: '/api/bigdbm/services/queuecount',
      body: { companyID: t.client.id, target_location: 'National Targeting', keyword: 'shoes' },
    }),
  },
  'GET /api/bigdbm/services/getcountcampaign/:id': {
    named: true,
    request: async (t) => ({ url: `/api/bigdbm/services/getcountcampaign/${await freshCount(t)}` }),
  },
  'GET /api/bigdbm/services/getcountcampaignhistory': {
    named: false,
    request: () => ({ url: '/api/bigdbm/services/getcountcampaignhistory?PerPage=100' }),
  },
  'POST /api/bigdbm/services/applycampaign': {
    named: true,
    request: async (t) => ({
      url: '/api/bigdbm/services/applycampaign',
      body: { id: await freshCount(t), leadspeekID: await searchCampaign(t) },
    }),
  },
  'GET /api/leadspeek/client/forecast/:leadspeekID': {
    named: true,
    request: async (t) => ({ url: `/api/leadspeek/client/forecast/${await searchCampaign(t)}` }),
  },
  'POST /api/leadspeek/client/activepause': {
    named: true,
    request: async (t) => ({
      url: '/api/leadspeek/client/activepause',
      body: { leadspeekID: (await fresh(t)).campaign.id, status: 'paused' },
    }),
  },
  'POST /api/leadspeek/client/archive': {
    named: true,
    request: async (t) => ({
      url: '/api/leadspeek/client/archive',
      body: { leadspeekID: (await fresh(t)).campaign.id },
    }),
  },
  'POST /api/leadspeek/client/remove': {
    named: true,
    request: async (t) => ({
      url: '/api/leadspeek/client/remove',
      body: { leadspeekID: (await fresh(t)).campaign.id },
    }),
  },
  'GET /api/leadspeek/client/list': {
    named: false,
    request: () => ({ url: '/api/leadspeek/client/list?PerPage=100' }),
  },
  'PUT /api/leadspeek/client/local/update': {
    named: true,
    request: async (t) => ({
      url: '/api/leadspeek/client/local/update',
      body: { ...fields, leadspeekID: (await fresh(t)).campaign.id, version: 1 },
    }),
  },
  'POST /api/leadspeek/client/duplicate': {
    named: true,
    request: (t) => ({ url: '/api/leadspeek/client/duplicate', body: { leadspeekID: t.campaign.id } }),
  },
  'GET /api/leadspeek/getcampaignresource': {
    named: true,
    request: (t) => ({ url: `/api/leadspeek/getcampaignresource?companyID=${t.client.id}` }),
  },
  'POST /api/leadspeek/client/send-test-lead': {
    named: true,
    request: async (t) => ({
      url: '/api/leadspeek/client/send-test-lead',
      body: { leadspeekID: (await fresh(t)).campaign.id },
    }),
  },
  'GET /api/dashboard/home': { named: false, request: () => ({ url: '/api/dashboard/home' }) },
  'GET /api/leadspeek/report/clients': {
    named: false,
    request: () => ({ url: '/api/leadspeek/report/clients?PerPage=100' }),
  },
  'GET /api/leadspeek/report/chart': {
    named: true,
    request: (t) => ({ url: `/api/leadspeek/report/chart?companyID=${t.client.id}` }),
  },
  'GET /api/leadspeek/report/initdate': {
    named: true,
    request: (t) => ({ url: `/api/leadspeek/report/initdate?companyID=${t.client.id}` }),
  },
  'GET /api/leadspeek/report/invoice': {
    named: true,
    request: (t) => ({ url: `/api/leadspeek/report/invoice?companyID=${t.client.id}` }),
  },
  'GET /api/leadspeek/company-group': {
    named: true,
    request: (t) => ({ url: `/api/leadspeek/company-group?companyID=${t.client.id}` }),
  },
  'POST /api/leadspeek/company-group': {
    named: false,
    request: () => ({ url: '/api/leadspeek/company-group', body: { group_name: `Matrix ${++serial}` } }),
  },
  'PUT /api/leadspeek/company-group/:id': {
    named: true,
    request: async (t, who) => ({
      url: `/api/leadspeek/company-group/${await freshGroup(t, who)}`,
      body: { group_name: `Matrix ${++serial}` },
    }),
  },
  'DELETE /api/leadspeek/company-group/:id': {
    named: true,
    request: async (t, who) => ({ url: `/api/leadspeek/company-group/${await freshGroup(t, who)}` }),
  },
  'GET /api/leadspeek/getcampaign/:leadspeekID': {
    named: true,
    request: (t) => ({ url: `/api/leadspeek/getcampaign/${t.campaign.id}` }),
  },
  'GET /api/leadspeek/client/embedded-code/:leadspeekID': {
    named: true,
    request: (t) => ({ url: `/api/leadspeek/client/embedded-code/${t.campaign.id}` }),
  },
  'POST /api/leadspeek/client/check-embedded-code': {
    named: true,
    request: (t) => ({
      url: '/api/leadspeek/client/check-embedded-code',
      body: { leadspeekID: t.campaign.id },
    }),
    passes: [504],
  },
  'POST /api/leadspeek/client/topup': {
    named: true,
    request: (t) => ({
      url: '/api/leadspeek/client/topup',
      body: { leadspeekID: t.campaign.id, amount: '1.00', idempotencyKey: `matrix-key-${++serial}` },
    }),
  },
  'POST /api/leadspeek/client/topup-estimate': {
    named: true,
    request: (t) => ({
      url: '/api/leadspeek/client/topup-estimate',
      body: { leadspeekID: t.campaign.id, leadsbuy: 10 },
    }),
  },
  'POST /api/leadspeek/client/topup-card': {
    named: true,
    request: async (t) => {
      await buyer(t);
      // Whatever other calls have changed: its clients are billed here.
      await app.admin.query(
        "update company_billing set manual_bill = false, cancelled_at = null, payment_status = '', access_module = '' where root_id = $1",
        [t.client.root_id],
      );
      return {
        url: '/api/leadspeek/client/topup-card',
        body: {
          leadspeekID: t.campaign.id,
          leadsbuy: 10,
          amount: '10.00',
          idempotencyKey: `matrix-key-${++serial}`,
        },
      };
    },
    passes: [409],
  },
  'GET /api/leadspeek/client/current-topup/:leadspeekID': {
    named: true,
    request: (t) => ({ url: `/api/leadspeek/client/current-topup/${t.campaign.id}` }),
  },
  'POST /api/leadspeek/client/stop-continual-topup': {
    named: true,
    request: (t) => ({
      url: '/api/leadspeek/client/stop-continual-topup',
      body: { leadspeekID: t.campaign.id },
    }),
  },
  'GET /api/leadspeek/client/remaining-balance/:leadspeekID': {
    named: true,
    request: (t) => ({ url: `/api/leadspeek/client/remaining-balance/${t.campaign.id}` }),
  },
  'POST /api/leadspeek/client/refund': {
    named: true,
    request: async (t) => {
      await buyer(t, 10);
      return {
        url: '/api/leadspeek/client/refund',
        body: { leadspeekID: t.campaign.id, amount: '1.00', idempotencyKey: `matrix-key-${++serial}` },
      };
    },
  },
  'GET /api/leadspeek/client/foreign-hosts/:leadspeekID': {
    named: true,
    request: (t) => ({ url: `/api/leadspeek/client/foreign-hosts/${t.campaign.id}` }),
  },
  'GET /api/leadspeek/client/held': {
    named: true,
    request: async (t) => {
      await heldSignUp(t);
      return { url: `/api/leadspeek/client/held?leadspeekID=${t.campaign.id}` };
    },
  },
  'POST /api/leadspeek/client/held/release': {
    named: true,
    request: async (t) => ({ url: '/api/leadspeek/client/held/release', body: await heldSignUp(t) }),
  },
  'POST /api/leadspeek/client/held/discard': {
    named: true,
    request: async (t) => ({ url: '/api/leadspeek/client/held/discard', body: await heldSignUp(t) }),
  },
  'POST /api/leadspeek/client/held/ask': {
    named: true,
    request: async (t) => ({ url: '/api/leadspeek/client/held/ask', body: await heldSignUp(t) }),
  },
  'GET /api/leadspeek/client/trusted-addresses': {
    named: true,
    request: async (t) => {
      await trustedAddress(t);
      return { url: `/api/leadspeek/client/trusted-addresses?leadspeekID=${t.campaign.id}` };
    },
  },
  'POST /api/leadspeek/client/trusted-addresses': {
    named: true,
    request: async (t) => ({
      url: '/api/leadspeek/client/trusted-addresses',
      body: { leadspeekID: t.campaign.id, network: await freshNetwork(t) },
    }),
  },
  'POST /api/leadspeek/client/trusted-addresses/ask': {
    named: true,
    request: async (t) => ({
      url: '/api/leadspeek/client/trusted-addresses/ask',
      body: { leadspeekID: t.campaign.id, network: await freshNetwork(t) },
    }),
  },
  'DELETE /api/leadspeek/client/trusted-addresses/:id': {
    named: true,
    request: async (t) => ({ url: `/api/leadspeek/client/trusted-addresses/${await trustedAddress(t)}` }),
  },
  'GET /api/leadspeek/client/refusals/:leadspeekID': {
    named: true,
    request: (t) => ({ url: `/api/leadspeek/client/refusals/${t.campaign.id}` }),
  },
  'GET /api/leadspeek/report/lead': {
    named: false,
    request: () => ({ url: '/api/leadspeek/report/lead?PerPage=100' }),
  },
  'GET /api/credits/lead/:id': {
    named: true,
    request: (t) => ({ url: `/api/credits/lead/${t.leadId}` }),
  },
  'POST /api/credits/lead/:id': {
    named: true,
    request: async (t) => ({ url: `/api/credits/lead/${await freshLead(t)}`, body: { reason: 'duplicate' } }),
  },
  // For the company directly below the caller's.
  'GET /api/credits': {
    named: true,
    request: (t, who) => ({ url: `/api/credits?companyID=${belowOf(t, who)}` }),
  },
  'POST /api/credits': {
    named: true,
    request: async (t, who) => {
      await billsHere(t);
      return {
        url: '/api/credits',
        body: {
          companyID: belowOf(t, who),
          ...(who?.grade.startsWith('root') ? {} : { leadspeekID: t.campaign.id }),
          amount: '1.00',
          reason: 'goodwill',
          idempotencyKey: `matrix-key-${++serial}`,
        },
      };
    },
  },
  'GET /api/leadspeek/report/lead/:id': {
    named: true,
    request: (t) => ({ url: `/api/leadspeek/report/lead/${t.leadId}` }),
  },
  'GET /api/leadspeek/report/lead/export': {
    named: false,
    request: () => ({ url: '/api/leadspeek/report/lead/export' }),
  },
  'GET /api/integrations/custom/:leadspeekID': {
    named: true,
    request: (t) => ({ url: `/api/integrations/custom/${t.campaign.id}` }),
  },
  'POST /api/integrations/custom': {
    named: true,
    request: async (t) => ({
      url: '/api/integrations/custom',
      body: { leadspeekID: (await fresh(t)).campaign.id, url: 'https://hooks.example.com/x' },
    }),
  },
  'PUT /api/integrations/custom/:id': {
    named: true,
    request: async (t) => ({
      url: `/api/integrations/custom/${(await fresh(t)).webhookId}`,
      body: { state: 'disabled' },
    }),
  },
  'DELETE /api/integrations/custom/:id': {
    named: true,
    request: async (t) => ({ url: `/api/integrations/custom/${(await fresh(t)).webhookId}` }),
  },
  'POST /api/integrations/custom/:id/test': {
    named: true,
    request: async (t) => ({ url: `/api/integrations/custom/${(await fresh(t)).webhookId}/test`, body: {} }),
  },
  'GET /api/integrations/custom/:id/payload': {
    named: true,
    request: (t) => ({ url: `/api/integrations/custom/${t.webhookId}/payload` }),
  },
  'PUT /api/integrations/custom/:id/payload': {
    named: true,
    request: async (t) => ({
      url: `/api/integrations/custom/${(await fresh(t)).webhookId}/payload`,
      body: { format: 'flat' },
    }),
  },
  'POST /api/integrations/custom/:id/payload/preview': {
    named: true,
    request: (t) => ({
      url: `/api/integrations/custom/${t.webhookId}/payload/preview`,
      body: { format: 'form' },
    }),
  },
  'GET /api/integrations/custom/:id/deliveries': {
    named: true,
    request: (t) => ({ url: `/api/integrations/custom/${t.webhookId}/deliveries` }),
  },
  'POST /api/integrations/custom/:id/replay': {
    named: true,
    request: (t) => ({ url: `/api/integrations/custom/${t.webhookId}/replay`, body: {} }),
  },
  'GET /api/integrations/vendors': { named: false, request: () => ({ url: '/api/integrations/vendors' }) },
  'GET /api/integrations/connections': {
    named: true,
    request: (t) => ({ url: `/api/integrations/connections?companyID=${t.client.id}` }),
  },
  'POST /api/integrations/connections': {
    named: true,
    request: (t) => ({
      url: '/api/integrations/connections',
      body: { companyID: t.client.id, vendor: 'hubspot', credentials: { token: 'pat-na1-stub' } },
    }),
  },
  'PUT /api/integrations/connections/:id': {
    named: true,
    request: async (t) => ({
      url: `/api/integrations/connections/${(await freshConnection(t)).id}`,
      body: { state: 'paused' },
    }),
  },
  'DELETE /api/integrations/connections/:id': {
    named: true,
    request: async (t) => ({ url: `/api/integrations/connections/${(await freshConnection(t)).id}` }),
  },
  'POST /api/integrations/connections/:id/test': {
    named: true,
    request: async (t) => ({
      url: `/api/integrations/connections/${(await freshConnection(t)).id}/test`,
      body: {},
    }),
  },
  'GET /api/integrations/connections/:id/choices': {
    named: true,
    request: (t) => ({ url: `/api/integrations/connections/${t.connectionId}/choices` }),
  },
  'POST /api/integrations/destinations': {
    named: true,
    request: async (t) => ({
      url: '/api/integrations/destinations',
      body: { leadspeekID: (await fresh(t)).campaign.id, connectionID: t.connectionId },
    }),
  },
  'PUT /api/integrations/destinations/:id': {
    named: true,
    request: async (t) => ({
      url: `/api/integrations/destinations/${(await freshConnection(t)).destinationId}`,
      body: { settings: {}, mapping: { city: 'state' } },
    }),
  },
  'PUT /api/integrations/destinations/:id/rules': {
    named: true,
    request: async (t) => ({
      url: `/api/integrations/destinations/${(await fresh(t)).webhookId}/rules`,
      body: { rules: { conditions: [{ field: 'state', op: 'is_one_of', value: 'TX, OK' }] } },
    }),
  },
  'POST /api/integrations/destinations/:id/rules/try': {
    named: true,
    request: (t) => ({
      url: `/api/integrations/destinations/${t.webhookId}/rules/try`,
      body: { rules: { conditions: [{ field: 'state', op: 'is', value: 'TX' }] } },
    }),
  },
  'POST /api/integrations/destinations/preview': {
    named: true,
    request: (t) => ({
      url: '/api/integrations/destinations/preview',
      body: { leadspeekID: t.campaign.id, connectionID: t.connectionId, mapping: {} },
    }),
  },
  'GET /api/integrations/undelivered': {
    named: true,
    request: (t) => ({ url: `/api/integrations/undelivered?companyID=${t.client.id}` }),
  },
  'GET /api/identity/imports': {
    named: false,
    rootOnly: true,
    request: () => ({ url: '/api/identity/imports?PerPage=100' }),
  },
  'POST /api/identity/imports': {
    named: false,
    request: () => ({
      url: '/api/identity/imports?file_name=m.csv',
      payload: 'email\na@b.example\n',
      headers: { 'content-type': 'text/csv' },
    }),
  },
  'GET /api/identity/imports/:id': {
    named: true,
    rootOnly: true,
    request: (t) => ({ url: `/api/identity/imports/${t.importId}` }),
  },
  'GET /api/identity/duplicates': {
    named: false,
    rootOnly: true,
    request: () => ({ url: '/api/identity/duplicates' }),
  },
  'GET /api/identity/merges': {
    named: false,
    rootOnly: true,
    request: () => ({ url: '/api/identity/merges?PerPage=100' }),
  },
  'POST /api/identity/merges': {
    named: true,
    rootOnly: true,
    request: async (t) => {
      const [kept, absorbed] = await twoPeople(t);
      return { url: '/api/identity/merges', body: { kept, absorbed } };
    },
  },
  'POST /api/identity/merges/:id/undo': {
    named: true,
    rootOnly: true,
    request: async (t) => ({ url: `/api/identity/merges/${await freshMerge(t)}/undo`, body: {} }),
  },
  'GET /api/leadspeek/report/least-confidence': {
    named: true,
    request: (t) => ({ url: `/api/leadspeek/report/least-confidence?companyID=${t.client.id}` }),
  },
  'GET /api/identity/imports/:id/preview': {
    named: true,
    rootOnly: true,
    request: (t) => ({ url: `/api/identity/imports/${t.importId}/preview` }),
    passes: [409],
  },
  'POST /api/identity/imports/:id/start': {
    named: true,
    rootOnly: true,
    request: (t) => ({
      url: `/api/identity/imports/${t.importId}/start`,
      body: { mapping: { email: 'email' } },
    }),
    passes: [409],
  },
  'POST /api/identity/imports/:id/cancel': {
    named: true,
    rootOnly: true,
    request: (t) => ({ url: `/api/identity/imports/${t.importId}/cancel`, body: {} }),
    passes: [409],
  },
  'POST /api/identity/imports/:id/again': {
    named: true,
    rootOnly: true,
    request: async (t) => ({ url: `/api/identity/imports/${await heldImport(t)}/again`, body: {} }),
  },
  'GET /api/identity/imports/:id/errors.csv': {
    named: true,
    rootOnly: true,
    request: (t) => ({ url: `/api/identity/imports/${t.importId}/errors.csv` }),
  },
  'POST /api/tools/optout-client/upload': {
    named: true,
    request: (t) => {
      const at = 'matrixboundary';
      const part = (name: string, text: string) =>
        `--${at}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;
      const file = `--${at}\r\nContent-Disposition: form-data; name="clientoptoutfile"; filename="m.csv"\r\n\r\na@b.example\r\n`;
      return {
        url: '/api/tools/optout-client/upload',
        payload: `${part('ClientCompanyID', t.client.id)}${part('campaigntype', 'client')}${file}--${at}--\r\n`,
        headers: { 'content-type': `multipart/form-data; boundary=${at}` },
      };
    },
  },
  'POST /api/exclusions/upload': {
    named: true,
    request: (t) => ({
      url: `/api/exclusions/upload?campaigntype=campaign&paramID=${t.campaign.id}&file_name=m.csv`,
      payload: 'a@b.example\n',
      headers: { 'content-type': 'text/csv' },
    }),
  },
  'POST /api/tools/optout/upload': {
    named: false,
    request: () => ({
      url: '/api/tools/optout/upload?file_name=m.csv',
      payload: 'a@b.example\n',
      headers: { 'content-type': 'text/csv' },
    }),
  },
  'POST /api/tools/optout/purge': {
    named: false,
    request: () => ({ url: '/api/tools/optout/purge', body: {} }),
  },
  'GET /api/leadspeek/suppressionlist/progress': {
    named: true,
    request: (t) => ({
      url: `/api/leadspeek/suppressionlist/progress?companyId=${t.client.id}&campaignType=client`,
    }),
  },
  'POST /api/leadspeek/suppressionlist/purge': {
    named: true,
    request: (t) => ({
      url: '/api/leadspeek/suppressionlist/purge',
      body: { paramID: t.campaign.id, campaignType: 'campaign' },
    }),
  },
  'GET /api/exclusions/lists': {
    named: true,
    request: (t) => ({ url: `/api/exclusions/lists?campaignType=client&paramID=${t.client.id}` }),
  },
  'GET /api/exclusions/lists/:id': {
    named: true,
    request: (t) => ({ url: `/api/exclusions/lists/${t.exclusionListId}` }),
  },
  'POST /api/exclusions/lists/:id/undo': {
    named: true,
    request: async (t) => ({ url: `/api/exclusions/lists/${await freshList(t)}/undo`, body: {} }),
  },
  'POST /api/exclusions/lists/:id/again': {
    named: true,
    request: async (t) => ({ url: `/api/exclusions/lists/${await freshList(t, 'held')}/again`, body: {} }),
  },
  'GET /api/exclusions/lists/:id/report.csv': {
    named: true,
    request: (t) => ({ url: `/api/exclusions/lists/${t.exclusionListId}/report.csv` }),
  },
  'GET /api/identity/totals': { named: false, request: () => ({ url: '/api/identity/totals' }) },
  'GET /api/configuration/list-advance-information': {
    named: true,
    request: (t) => ({ url: `/api/configuration/list-advance-information?companyID=${t.client.id}` }),
  },
  'GET /api/configuration/list-advance-information/:type': {
    named: true,
    request: (t) => ({ url: `/api/configuration/list-advance-information/b2b?companyID=${t.client.id}` }),
  },
  'GET /api/configuration/data-enrichment': {
    named: true,
    request: (t) => ({ url: `/api/configuration/data-enrichment?companyID=${t.client.id}` }),
  },
  'PUT /api/configuration/data-enrichment': {
    named: true,
    request: (t, who) => ({
      url: '/api/configuration/data-enrichment',
      body: { companyID: belowOf(t, who), information: [1, 101], providers: ['embedded'] },
    }),
  },
  'GET /api/configuration/data-enrichment/sources': {
    named: false,
    request: () => ({ url: '/api/configuration/data-enrichment/sources' }),
  },
  'PUT /api/configuration/data-enrichment/sources': {
    named: false,
    request: () => ({
      url: '/api/configuration/data-enrichment/sources',
      body: { provider: 'pdl', key: 'key-of-the-matrix' },
    }),
  },
  'GET /api/bigdbm/services/configdata': {
    named: true,
    request: (t) => ({ url: `/api/bigdbm/services/configdata?companyID=${t.client.id}` }),
  },
  'GET /api/general/enhance/location': {
    named: false,
    request: () => ({ url: '/api/general/enhance/location?search=aus' }),
  },
  'GET /api/ledger/statement': {
    named: true,
    request: (t) => ({ url: `/api/ledger/statement?companyID=${t.client.id}` }),
  },
  'GET /api/ledger/statement/balances': {
    named: true,
    request: (t) => ({ url: `/api/ledger/statement/balances?companyID=${t.client.id}` }),
  },
  'GET /api/ledger/margins': {
    named: true,
    request: (t) => ({ url: `/api/ledger/margins?companyID=${t.client.id}` }),
  },
  'GET /api/ledger/margins/lines': {
    named: true,
    request: (t) => ({ url: `/api/ledger/margins/lines?companyID=${t.client.id}` }),
  },
  'GET /api/ledger/statement/:id': {
    named: true,
    request: (t) => ({ url: `/api/ledger/statement/${t.transferId}` }),
  },
  'GET /api/ledger/statement/pdf': {
    named: true,
    request: (t) => ({ url: `/api/ledger/statement/pdf?month=2026-03&companyID=${t.client.id}` }),
  },
  'GET /api/ledger/statement/export': {
    named: true,
    request: (t) => ({ url: `/api/ledger/statement/export?companyID=${t.client.id}` }),
  },
  'GET /api/billing/invoices': {
    named: true,
    request: (t) => ({ url: `/api/billing/invoices?companyID=${t.client.id}` }),
  },
  'GET /api/billing/invoices/:id/pdf': {
    named: true,
    request: async (t, who) => ({ url: `/api/billing/invoices/${await freshInvoice(t, who)}/pdf` }),
  },
  'GET /api/billing/invoices/:id/credit-notes/:note/pdf': {
    named: true,
    request: async (t, who) => {
      const { invoice, note } = await freshNote(t, who);
      return { url: `/api/billing/invoices/${invoice}/credit-notes/${note}/pdf` };
    },
  },
  'GET /api/billing/upcoming': {
    named: true,
    request: (t) => ({ url: `/api/billing/upcoming?companyID=${t.client.id}` }),
  },
  'GET /api/billing/invoices/:id': {
    named: true,
    request: async (t, who) => ({ url: `/api/billing/invoices/${await freshInvoice(t, who)}` }),
  },
  'GET /api/billing/invoices/:id/lines/:line/events': {
    named: true,
    request: async (t, who) => ({
      url: `/api/billing/invoices/${await freshInvoice(t, who)}/lines/1/events`,
    }),
  },
  'POST /api/billing/invoices/:id/credit': {
    named: true,
    request: async (t, who) => ({
      url: `/api/billing/invoices/${await freshInvoice(t, who)}/credit`,
      body: { amount: '1.00', reason: 'matrix', idempotencyKey: NOBODY },
    }),
  },
  'POST /api/billing/invoices/:id/write-off': {
    named: true,
    request: async (t, who) => ({
      url: `/api/billing/invoices/${await freshInvoice(t, who)}/write-off`,
      body: { reason: 'matrix' },
    }),
  },
  'GET /api/ledger/caps': { named: false, request: () => ({ url: '/api/ledger/caps' }) },
  'PUT /api/ledger/caps': {
    named: true,
    request: (t) => ({
      url: '/api/ledger/caps',
      body: { subject: 'campaign', subjectID: t.campaign.id, period: 'day', hard: '1000', soft: '' },
    }),
  },
  'GET /api/configuration/user/costmodule/:companyID': {
    named: true,
    request: (t) => ({ url: `/api/configuration/user/costmodule/${t.client.id}` }),
  },
  'PUT /api/configuration/user/costmodule': {
    named: true,
    request: (t) => ({
      url: '/api/configuration/user/costmodule',
      body: { companyID: t.client.id, CostSet: '1' },
    }),
  },
  'GET /api/configuration/setting/onboarding-charge/:companyID': {
    named: true,
    request: (t) => ({ url: `/api/configuration/setting/onboarding-charge/${t.client.agency_id}` }),
  },
  'PUT /api/configuration/setting/onboarding-charge': {
    named: true,
    request: (t) => ({
      url: '/api/configuration/setting/onboarding-charge',
      body: { CompanyID: t.client.agency_id, amount: '100', enable_coupon: 'F' },
    }),
  },
  'POST /api/configuration/setting/minimum-spend-offer/:id/accept': {
    named: true,
    request: async (t) => ({
      url: `/api/configuration/setting/minimum-spend-offer/${await freshOffer(t)}/accept`,
    }),
  },
  'GET /api/configuration/setting/minimum-spend-offers': {
    named: false,
    request: () => ({ url: '/api/configuration/setting/minimum-spend-offers' }),
  },
  'POST /api/configuration/setting/minimum-spend-offer/:id/remind': {
    named: true,
    request: async (t) => ({
      url: `/api/configuration/setting/minimum-spend-offer/${await freshOffer(t)}/remind`,
    }),
  },
  'GET /api/payment/payouts': { named: false, request: () => ({ url: '/api/payment/payouts' }) },
  // For the caller's own account: any other account's id is unknown there.
  'GET /api/payment/payouts/:id': {
    named: false,
    request: () => ({ url: '/api/payment/payouts/po_none' }),
    passes: [404],
  },
  'GET /api/general/minimum-spend-config': {
    named: false,
    request: () => ({ url: '/api/general/minimum-spend-config' }),
  },
  'POST /api/general/minimum-spend-config': {
    named: false,
    request: () => ({ url: '/api/general/minimum-spend-config', body: planFields() }),
  },
  'PUT /api/general/minimum-spend-config/:id': {
    named: true,
    request: async (t) => ({
      url: `/api/general/minimum-spend-config/${await freshPlan(t)}`,
      body: { ...planFields(), version: 1 },
    }),
  },
  'PUT /api/general/minimum-spend-config/:id/default': {
    named: true,
    request: async (t) => ({
      url: `/api/general/minimum-spend-config/${await freshPlan(t)}/default`,
      body: {},
    }),
  },
  'DELETE /api/general/minimum-spend-config/:id': {
    named: true,
    request: async (t) => ({ url: `/api/general/minimum-spend-config/${await freshPlan(t)}` }),
  },
  'PUT /api/configuration/setting/minimum-spend-plan': {
    named: true,
    request: (t) => ({
      url: '/api/configuration/setting/minimum-spend-plan',
      body: { companyID: t.client.agency_id, planMinSpendId: null },
    }),
  },
  'GET /api/configuration/setting/minimum-spend/:company_id': {
    named: true,
    request: (t) => ({ url: `/api/configuration/setting/minimum-spend/${t.client.agency_id}` }),
  },
  'GET /api/general/minimum-spend/:company_id': {
    named: true,
    request: (t) => ({ url: `/api/general/minimum-spend/${t.client.agency_id}` }),
  },
  'PUT /api/configuration/exclude-include-mininum-spend': {
    named: true,
    request: (t) => ({
      url: '/api/configuration/exclude-include-mininum-spend',
      body: { CompanyID: t.client.agency_id },
    }),
  },
  'GET /api/configuration/taxes': { named: false, request: () => ({ url: '/api/configuration/taxes' }) },
  'PUT /api/configuration/taxes': {
    named: false,
    request: () => ({
      url: '/api/configuration/taxes',
      body: { country: 'DE', state: `M${++serial % 90}`, name: 'VAT', rate: '0' },
    }),
  },
  'PUT /api/configuration/taxes/calculator': {
    named: false,
    request: () => ({ url: '/api/configuration/taxes/calculator', body: { calculator: 'table' } }),
  },
  'DELETE /api/configuration/taxes/:id': {
    named: true,
    request: async (t) => ({ url: `/api/configuration/taxes/${await freshTaxRate(t)}` }),
  },
  'GET /api/configuration/taxes/payers': {
    named: false,
    request: () => ({ url: '/api/configuration/taxes/payers' }),
  },
  'PUT /api/configuration/taxes/payers': {
    named: false,
    request: (t, who) => ({
      url: '/api/configuration/taxes/payers',
      body: { companyID: belowOf(t, who), tax_id: `T-${++serial}` },
    }),
    passes: [404],
  },
  'GET /api/configuration/supplier-costs': {
    named: false,
    request: () => ({ url: '/api/configuration/supplier-costs' }),
  },
  'PUT /api/configuration/supplier-costs': {
    named: false,
    request: () => ({
      url: '/api/configuration/supplier-costs',
      body: { module: 'local', cost: `0.${++serial}` },
    }),
  },
  'GET /api/configuration/coupon': { named: false, request: () => ({ url: '/api/configuration/coupon' }) },
  'POST /api/configuration/coupon': {
    named: false,
    request: () => ({
      url: '/api/configuration/coupon',
      body: { coupon_code: `MATRIX-${++serial}`, percent: '10' },
    }),
  },
  'DELETE /api/configuration/coupon/:id': {
    named: true,
    request: async (t) => ({ url: `/api/configuration/coupon/${await freshCoupon(t)}` }),
  },
  // No agency of this test may use coupons.
  'POST /api/configuration/coupon/get-coupon': {
    named: true,
    request: (t) => ({
      url: '/api/configuration/coupon/get-coupon',
      body: { coupon_code: 'MATRIX', companyID: t.client.agency_id },
    }),
    passes: [422],
  },
  'GET /api/general/open-api/:companyID': {
    named: true,
    request: (t) => ({ url: `/api/general/open-api/${t.client.agency_id}` }),
  },
  'POST /api/general/open-api': {
    named: true,
    request: async (t, who) => {
      await developerKey(t);
      const { rows } = await app.admin.query('select email from user_account where id = $1', [who?.userId]);
      await app.admin.query('update developer_key set disabled_at = now() where company_id = $1', [
        t.client.agency_id,
      ]);
      const email = rows[0]?.email ?? 'nobody@x.test';
      return { url: '/api/general/open-api', body: { companyID: t.client.agency_id, email } };
    },
  },
  'GET /api/developer/keys': { named: false, request: () => ({ url: '/api/developer/keys' }) },
  'POST /api/developer/keys': {
    named: false,
    request: async () => {
      for (const target of targets) await developerKey(target);
      return { url: '/api/developer/keys', body: { name: 'M', mode: 'test', scopes: ['leads.read'] } };
    },
  },
  'POST /api/developer/keys/:id/rotate': {
    named: true,
    request: async (t) => ({ url: `/api/developer/keys/${await developerKey(t)}/rotate`, body: {} }),
  },
  'PUT /api/developer/keys/:id': {
    named: true,
    request: async (t) => ({
      url: `/api/developer/keys/${await developerKey(t)}`,
      body: { disabled: 'T' },
    }),
  },
  'DELETE /api/developer/keys/:id': {
    named: true,
    request: async (t) => ({ url: `/api/developer/keys/${await developerKey(t)}` }),
  },
  // Needs a key or a token obtained with one; a user session does not count.
  'POST /api/general/unsubscribe': {
    named: false,
    request: () => ({ url: '/api/general/unsubscribe', body: { token: 'x' } }),
    passes: [410],
  },
  'POST /unsubscribe/:token': {
    named: false,
    request: () => ({ url: '/unsubscribe/x', body: {} }),
    passes: [410],
  },
  'POST /oauth/token': {
    named: false,
    request: () => ({ url: '/oauth/token', body: {} }),
    passes: [400],
  },
  'POST /mcp': {
    named: false,
    request: () => ({ url: '/mcp', body: { jsonrpc: '2.0', id: 1, method: 'ping' } }),
    passes: [401],
  },
  'GET /mcp': { named: false, request: () => ({ url: '/mcp' }), passes: [405] },
  'DELETE /mcp': { named: false, request: () => ({ url: '/mcp' }), passes: [405] },
  'GET /v1/me': { named: false, request: () => ({ url: '/v1/me' }), passes: [401] },
  // Only with an API key: what keys of others get is in features/developer/api/v1.test.ts.
  'GET /v1/clients': { named: false, request: () => ({ url: '/v1/clients' }), passes: [401] },
  'GET /v1/clients/:id': {
    named: false,
    request: (t) => ({ url: `/v1/clients/${t.client.id}` }),
    passes: [401],
  },
  'GET /v1/campaigns': { named: false, request: () => ({ url: '/v1/campaigns' }), passes: [401] },
  'GET /v1/campaigns/:id': {
    named: false,
    request: (t) => ({ url: `/v1/campaigns/${t.campaign.id}` }),
    passes: [401],
  },
  'GET /v1/leads': { named: false, request: () => ({ url: '/v1/leads' }), passes: [401] },
  'GET /v1/keyword-counts': { named: false, request: () => ({ url: '/v1/keyword-counts' }), passes: [401] },
  'GET /v1/keyword-counts/:id': {
    named: false,
    request: () => ({ url: `/v1/keyword-counts/${NOBODY}` }),
    passes: [401],
  },
  'GET /v1/exclusion-lists': {
    named: false,
    request: (t) => ({ url: `/v1/exclusion-lists?client_id=${t.client.id}` }),
    passes: [401],
  },
  'GET /v1/deliveries': {
    named: false,
    request: (t) => ({ url: `/v1/deliveries?campaign_id=${t.campaign.id}` }),
    passes: [401],
  },
  'GET /v1/wallet': { named: false, request: () => ({ url: '/v1/wallet' }), passes: [401] },
  'GET /v1/statement': { named: false, request: () => ({ url: '/v1/statement' }), passes: [401] },
  'GET /v1/leads/:id': { named: false, request: (t) => ({ url: `/v1/leads/${t.leadId}` }), passes: [401] },
  // Must be last: it ends the session it is called with.
  'POST /api/logout': { named: false, request: () => ({ url: '/api/logout', body: {} }) },
};

const downloads: Record<string, Permission> = {
  'GET /api/leadspeek/report/lead/export': 'lead.read',
  'GET /api/exclusions/lists/:id/report.csv': 'exclusion.read',
  'GET /api/general/document/:name/file': 'document.read',
  'GET /api/configuration/agreement/:companyID/file': 'document.read',
  'GET /api/identity/imports/:id/errors.csv': 'people.import',
  'GET /api/ledger/statement/export': 'statement.read',
  'GET /api/ledger/statement/pdf': 'statement.read',
  'GET /api/billing/invoices/:id/pdf': 'invoice.read',
  'GET /api/billing/invoices/:id/credit-notes/:note/pdf': 'invoice.read',
  'GET /api/configuration/agencies/prepaid/download-transaction-history-direct-payment/:company_id/:date':
    'wallet.read',
};

// A list's export can be requested by anyone who may request the list, under the same rules: each has its call's sample
// and permission.
for (const { name, call } of EXPORTS) {
  const { route, meta } = call['~orpc'] as { route: { path: string }; meta: { access: Permission } };
  const path = `/api${route.path}`;
  const sample = samples[`GET ${path.replace(/\{(\w+)\}/g, ':$1')}`]!;
  samples[`GET /api/export/${name}`] = {
    ...sample,
    async request(target, who) {
      const url = new URL((await sample.request(target, who)).url, 'http://x');
      const values = url.pathname.split('/');
      for (const [at, part] of path.split('/').entries())
        if (part.startsWith('{')) url.searchParams.set(part.slice(1, -1), decodeURIComponent(values[at]!));
      return { url: `/api/export/${name}?${url.searchParams}` };
    },
  };
  downloads[`GET /api/export/${name}`] = meta.access;
}
const last = 'POST /api/logout';
const { [last]: logout, ...others } = samples;
samples = { ...others, [last]: logout! };

let hubspot: RunningStub;
afterAll(() => hubspot?.stop());

beforeAll(async () => {
  hubspot = await startStub(hubspotStub(), 'hubspot');
  app = await testApp({ outboundExceptions: [hubspot.host], standIns: { hubspot: { base: hubspot.base } } });
  const { make } = app;
  const passwordHash = await app.features.users.hashPassword(PASSWORD);
  const root1 = await make.root({ host: 'root.test', isMaster: true });
  const root2 = await make.root({ host: 'other.test' });
  const agency1 = await make.agency(root1, { host: 'one.test' });
  const agency2 = await make.agency(root1, { host: 'two.test' });
  const agency3 = await make.agency(root2, { host: 'three.test' });
  const build = async (name: string, agency: Company, root: Company): Promise<Target> => {
    const canary = `CANARY${name}`;
    const client = await make.client(agency, { name: canary });
    const campaign = await make.campaign(client, {
      name: `${canary} campaign`,
      price: 1_000_000n,
      balance: 50_000_000n,
    });
    const person = make.person({ last_name: canary });
    await make.people(root, [person]);
    await make.visit(campaign, { email: person.email });
    await app.features.leads.resolver.resolveAll();
    const { rows } = await app.admin.query('select id, transfer_id from lead where campaign_id = $1', [
      campaign.id,
    ]);
    const importId = (
      await app.admin.query(
        `insert into import_job (id, root_id, company_id, kind, file_name, file_path, file_bytes, state, created_at)
         values (gen_random_uuid(), $1, $1, 'people', $2, 'none.csv', 1, 'done', now()) returning id`,
        [root.id, `${canary}.csv`],
      )
    ).rows[0].id;
    const webhookId = (
      await app.admin.query(
        `insert into integration (id, root_id, agency_id, company_id, campaign_id, kind, url, secret_sealed, state, created_at, updated_at)
         values (gen_random_uuid(), $1, $2, $3, $4, 'webhook', $5, $6, 'enabled', now(), now()) returning id`,
        [
          root.id,
          agency.id,
          client.id,
          campaign.id,
          `https://127.0.0.1/${canary}`,
          app.platform.vault.seal('whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', 'integration.secret'),
        ],
      )
    ).rows[0].id;
    const personId = (await make.user(client, { name: canary })).id;
    const connection = await make.connection(client, { name: canary, campaignId: campaign.id });
    return {
      name,
      client,
      campaign,
      leadId: rows[0].id,
      transferId: rows[0].transfer_id,
      webhookId,
      connectionId: connection.id,
      importId,
      exclusionListId: await freshList({ client, canary }),
      personId,
      canary,
    };
  };
  fresh = async (target) => {
    const campaign = await make.campaign(target.client, {
      name: `${target.canary} fresh`,
      price: 1_000_000n,
      balance: 5_000_000n,
    });
    const { rows } = await app.admin.query(
      `insert into integration (id, root_id, agency_id, company_id, campaign_id, kind, url, secret_sealed, state, created_at, updated_at)
       select gen_random_uuid(), root_id, agency_id, company_id, $2, kind, url, secret_sealed, state, now(), now() from integration where id = $1 returning id`,
      [target.webhookId, campaign.id],
    );
    return { ...target, campaign, webhookId: rows[0].id };
  };
  own = await build('Own', agency1, root1);
  targets = [
    own,
    await build('SiblingClient', agency1, root1),
    await build('SiblingAgency', agency2, root1),
    await build('OtherRoot', agency3, root2),
  ];
  // The agency is in the Data Wallet trial, with an agreement and a card.
  const agencyOwner = { root_id: root1.id, agency_id: agency1.id, company_id: agency1.id };
  const { id: signer } = await make.user(agency1);
  await inScope(app.platform.db.app, { rootId: root1.id }, async (tx) => {
    const at = app.clock.now();
    await app.features.tenants.products.setBetaUser(tx, agencyOwner, true, at);
  });
  await make.accept(agency1, signer, 'data_wallet');
  const companies = {
    root: { company: root1, host: 'root.test' },
    agency: { company: agency1, host: 'one.test' },
    client: { company: own.client, host: 'one.test' },
  };
  principals = [];
  for (const grade of [
    'root.owner',
    'root.administrator',
    'root.sales',
    'agency.owner',
    'agency.administrator',
    'agency.sales',
    'client.owner',
    'client.administrator',
  ] as const) {
    const [kind, role] = grade.split('.') as ['root' | 'agency' | 'client', 'owner'];
    const { company, host } = companies[kind];
    const user = await make.user(company, { role, passwordHash });
    principals.push({
      grade,
      host,
      userId: user.id,
      companyId: company.id,
      token: await app.signIn(user.email, host),
      sees: (t) =>
        t.client.root_id === root1.id &&
        (kind === 'root' || t.client.agency_id === agency1.id) &&
        (kind !== 'client' || t.client.id === own.client.id),
    });
  }
});
afterAll(() => app.close());

const routes = () => app.server.routeList.filter((route) => route.method !== 'HEAD');
const leaks = (text: string, principal: Principal): string[] =>
  targets.filter((t) => !principal.sees(t) && text.includes(t.canary)).map((t) => t.name);

async function ask(key: string, target: Target, who: Principal | { host: string; token?: string }) {
  const [method = ''] = key.split(' ');
  const { url, body, headers, payload } = await samples[key]!.request(
    target,
    'userId' in who ? who : undefined,
  );
  const response = await app.server.inject({
    method: method as 'GET',
    url,
    headers: {
      host: who.host,
      'user-agent': 'matrix',
      ...(who.token ? { authorization: `Bearer ${who.token}` } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? (payload === undefined ? {} : { payload }) : { payload: JSON.stringify(body) }),
  });
  return { status: response.statusCode, text: response.body };
}

/** Requests a browser download with a token that the user has just obtained. */
async function download(url: string, principal: Principal) {
  const { body } = await app.call('POST', '/api/general/download-token', {
    host: principal.host,
    token: principal.token,
    body: { path: url },
  });
  const response = await app.server.inject({
    method: 'GET',
    url: String(body.url),
    headers: { host: principal.host },
  });
  return { status: response.statusCode, text: response.body };
}

describe('[TEN-02] every route, every role, own and foreign tenants', () => {
  test('every route has a policy and a sample', () => {
    const listed = routes().map((route) => `${route.method} ${route.url}`);
    expect(listed.filter((key) => !samples[key])).toEqual([]);
    expect(Object.keys(samples).filter((key) => !listed.includes(key))).toEqual([]);
    expect(routes().filter((route) => !route.access)).toEqual([]);
  });

  test('nobody passes a guarded route without a login, with a forged one, or at a foreign host', async () => {
    for (const route of routes()) {
      const key = `${route.method} ${route.url}`;
      const guarded = route.access === 'download' || (route.access ?? '') in PERMISSIONS;
      const anonymous = await ask(key, own, { host: 'root.test' });
      if (guarded) expect([key, anonymous.status]).toEqual([key, 401]);
      else
        expect([key, [200, 204, 304, ...(samples[key]!.passes ?? [])].includes(anonymous.status)]).toEqual([
          key,
          true,
        ]);
      expect([key, targets.filter((t) => anonymous.text.includes(t.canary))]).toEqual([key, []]);
      if (!guarded || route.access === 'download') continue;
      expect([key, (await ask(key, own, { host: 'root.test', token: 'not.a.token' })).status]).toEqual([
        key,
        401,
      ]);
      for (const host of ['other.test', 'three.test']) {
        expect([key, host, (await ask(key, own, { host, token: principals[0]!.token })).status]).toEqual([
          key,
          host,
          401,
        ]);
      }
    }
  });

  test('each role reaches what its permission and scope allow, and nothing else', async () => {
    for (const route of routes()) {
      const key = `${route.method} ${route.url}`;
      const sample = samples[key]!;
      if (!((route.access ?? '') in PERMISSIONS) || key === 'POST /api/logout') continue;
      for (const principal of principals) {
        for (const target of sample.named ? targets : [own]) {
          const { status, text } = await ask(key, target, principal);
          const at = [key, principal.grade, target.name];
          expect([...at, leaks(text, principal)]).toEqual([...at, []]);
          if (
            !may(principal.grade, route.access as Permission) ||
            (sample.also && !may(principal.grade, sample.also))
          )
            expect([...at, status]).toEqual([...at, 403]);
          else if (
            sample.named &&
            !(sample.rootOnly ? target.client.root_id === own.client.root_id : principal.sees(target))
          ) {
            expect([...at, status]).toEqual([...at, 404]);
          } else
            expect([
              ...at,
              status,
              (status >= 200 && status < 300) || (sample.passes ?? []).includes(status),
            ]).toEqual([...at, status, true]);
        }
      }
    }
  });

  test('downloads: the token is for one person, one file, one use', async () => {
    for (const [key, permission] of Object.entries(downloads)) {
      const sample = samples[key]!;
      for (const principal of principals) {
        for (const target of sample.named ? targets : [own]) {
          const { url } = await sample.request(target, principal);
          const { status, text } = await download(url, principal);
          const at = [key, principal.grade, target.name];
          expect([...at, leaks(text, principal)]).toEqual([...at, []]);
          const seen =
            !sample.named ||
            (sample.rootOnly ? target.client.root_id === own.client.root_id : principal.sees(target));
          const needs = [permission, ...(sample.also ? [sample.also] : [])];
          const expected = !needs.every((one) => may(principal.grade, one)) ? 403 : seen ? 200 : 404;
          expect([...at, sample.passes?.includes(status) ? expected : status]).toEqual([...at, expected]);
        }
      }
    }
    const { host, token } = principals[3]!;
    const { body } = await app.call('POST', '/api/general/download-token', {
      host,
      token,
      body: { path: '/api/leadspeek/report/lead/export' },
    });
    const get = (url: string, at = host) =>
      app.server.inject({ method: 'GET', url, headers: { host: at } }).then((r) => r.statusCode);
    const url = String(body.url);
    expect(await get(url.replace('/lead/export', '/lead/export?companyID=x&'))).toBe(401);
    expect(await get(url, 'two.test')).toBe(401);
    const again = await app.call('POST', '/api/general/download-token', {
      host,
      token,
      body: { path: '/api/leadspeek/report/lead/export' },
    });
    expect(await get(String(again.body.url))).toBe(200);
    expect(await get(String(again.body.url))).toBe(401);
    const late = await app.call('POST', '/api/general/download-token', {
      host,
      token,
      body: { path: '/api/leadspeek/report/lead/export' },
    });
    app.clock.advance(61_000);
    expect(await get(String(late.body.url))).toBe(401);
    app.clock.advance(-61_000);
  });

  test('the database alone keeps tenants apart: a scope sees its rows whatever a query forgets', async () => {
    const { rows: tables } = await app.admin.query(
      `select c.relname, c.relrowsecurity and c.relforcerowsecurity as walled from pg_class c
       join pg_attribute a on a.attrelid = c.oid and a.attname = 'root_id'
       where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace and not c.relispartition`,
    );
    expect(tables.length).toBeGreaterThan(20);
    expect(tables.filter((table) => !table.walled)).toEqual([]);
    const { rows: parts } = await app.admin.query(
      `select relname from pg_class where relispartition and relkind = 'r' and not relrowsecurity and relnamespace = 'public'::regnamespace`,
    );
    expect(parts).toEqual([]);
    const { appPool } = app.platform.db;
    const { rows: me } = await appPool.query(
      `select rolsuper or rolbypassrls as strong, exists (select from pg_class where relowner = r.oid) as owns from pg_roles r where rolname = current_user`,
    );
    expect(me[0]).toEqual({ strong: false, owns: false });
    for (const { relname } of tables) {
      const unscoped = await appPool.query(`select count(*) as n from ${relname}`);
      expect([relname, Number(unscoped.rows[0].n)]).toEqual([relname, 0]);
      for (const target of targets) {
        const client = await appPool.connect();
        await client.query('begin');
        await client.query(
          `select set_config('role', 'lead_client', true), set_config('scope.root_id', $1, true), set_config('scope.agency_id', $2, true), set_config('scope.company_id', $3, true)`,
          [target.client.root_id, target.client.agency_id, target.client.id],
        );
        const column = relname === 'company' ? 'id' : 'company_id';
        const { rows } = await client.query(`select count(*) as n from ${relname} where ${column} <> $1`, [
          target.client.id,
        ]);
        expect([relname, target.name, Number(rows[0].n)]).toEqual([relname, target.name, 0]);
        await client.query('rollback');
        client.release();
      }
    }
    // Writing a row for another tenant is not possible either.
    const client = await appPool.connect();
    await client.query('begin');
    await client.query(
      `select set_config('role', 'lead_root', true), set_config('scope.root_id', $1, true), set_config('scope.agency_id', '', true), set_config('scope.company_id', '', true)`,
      [own.client.root_id],
    );
    await expect(
      client.query(`insert into brand (company_id, root_id, name, updated_at) values ($1, $2, 'x', now())`, [
        targets[3]!.client.id,
        targets[3]!.client.root_id,
      ]),
    ).rejects.toThrow(/row-level security/);
    await client.query('rollback');
    client.release();
  });
});

describe('[LOGS-03] the user log', () => {
  test('every state-changing call writes exactly one row; reading writes none; nothing can alter a row', async () => {
    const agency = principals[3]!;
    const count = async (): Promise<number> =>
      Number((await app.admin.query('select count(*) as n from user_log')).rows[0].n);
    // Replaying nothing changes nothing.
    const quiet = new Set([
      'POST /api/integrations/custom/:id/replay',
      // Only tries, or only reads, but has a body.
      'POST /api/integrations/connections/:id/test',
      'POST /api/integrations/destinations/preview',
      'POST /api/integrations/destinations/:id/rules/try',
      'POST /api/integrations/custom/:id/payload/preview',
      // Only reads a text.
      'POST /api/leadspeek/keyword-to-tags',
      // Only reads, and uses nothing up.
      'POST /api/configuration/coupon/get-coupon',
      'POST /api/leadspeek/check-campaign-active',
      'POST /api/auth/refresh-token',
      'POST /api/login',
      'POST /api/setup/first-owner',
      'POST /v',
      'POST /api/logout',
      // Only reads, but has a body.
      'POST /api/user/getuserdata',
      // Already done by the tests above, and only once (features/accounts/setup/setup.test.ts counts their rows).
      'PUT /api/leadspeek/user/setupcomplete',
      'POST /api/general/agreement/confirm',
      // The agencies in this test have nothing to pay (features/money/onboarding-charge/onboarding.test.ts counts its rows).
      'POST /api/user/onboarding-charge',
      'POST /api/general/marketing-services-agreement-feature',
      'POST /api/general/marketing-services-agreement',
      // The samples do not name an existing form, card or charge; features/money/payments/calls.test.ts counts their rows.
      'POST /api/payment/card/start',
      'PUT /api/payment/card',
      'POST /api/payment/customer',
      'POST /api/payment/customer-direct',
      'DELETE /api/payment/card',
      'POST /api/payment/charge/:id/authentication',
      'POST /api/payment/charge/:id/check',
      'POST /api/general/connected-account/create',
      'POST /api/general/connected-account/link',
      'POST /api/general/connected-account/keep',
      'POST /api/payment/sandbox/card',
      'POST /api/payment/sandbox/authentication',
      'POST /api/payment/sandbox/account/open',
      'POST /api/payment/sandbox/account/submit',
      // Only computes what something would cost.
      'POST /api/leadspeek/client/topup-estimate',
    ]);
    // Who makes the call, if not an agency.
    const asked: Record<string, Grade> = {
      'people.import': 'root.owner',
      'optout.write': 'root.owner',
      'sales.downline': 'root.sales',
      'payment.mend': 'root.owner',
    };
    for (const route of routes()) {
      const key = `${route.method} ${route.url}`;
      if (quiet.has(key) || route.access === 'open' || !((route.access ?? '') in PERMISSIONS)) continue;
      const grade = asked[route.access ?? ''];
      const principal =
        principals.find((one) => one.grade === grade) ??
        (may(agency.grade, route.access as Permission) ? agency : principals[0]!);
      if (samples[key]!.rootOnly && samples[key]!.named && route.method !== 'GET') continue; // The sample's import is over.
      const request = await samples[key]!.request(own, principal);
      samples[key] = { ...samples[key]!, request: () => request };
      const before = await count();
      const { status } = await ask(key, own, principal);
      expect([key, status, (await count()) - before]).toEqual([key, status, route.method === 'GET' ? 0 : 1]);
    }
    await expect(app.admin.query(`update user_log set action = 'x'`)).rejects.toThrow(/append-only/);
    await expect(app.admin.query('delete from user_log')).rejects.toThrow(/append-only/);
    await expect(app.platform.db.appPool.query('delete from user_log')).rejects.toThrow(/permission denied/);
  });

  test('a row says who, what, where and when, and survives the erasure of what is personal', async () => {
    const { rows } = await app.admin.query(
      `select l.action, l.object_kind, l.actor_id is not null as actor, d.name, d.type_user, host(d.user_ip) as ip, d.location, d.description, d.company_name, l.detail_hash
       from user_log l join user_log_detail d on d.log_id = l.id where l.action = 'campaign.create' limit 1`,
    );
    expect(rows[0]).toMatchObject({
      object_kind: 'campaign',
      actor: true,
      ip: '127.0.0.1',
      location: 'Local network',
    });
    expect(rows[0].description).toContain('Matrix');
    await app.admin.query('delete from user_log_detail');
    expect(Number((await app.admin.query('select count(*) as n from user_log')).rows[0].n)).toBeGreaterThan(
      10,
    );
  });
});

test('nothing asks for another connection inside a transaction', () => {
  expect(app.greedy).toEqual([]);
});

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import { duesOf } from '../../../test/dues.ts';
import type { Company, MadeCampaign, MadePerson } from '../../../test/factories.ts';
import { runs } from '../../../test/runs.ts';
import { auditLedger } from '../../money/ledger/index.ts';

const USD = 1_000_000n;
const HOST = 'root.test';
const DAY_MS = 86_400_000;
let app: TestApp;
let root: Company;
let rootToken: string;
let dues: ReturnType<typeof duesOf>;
let agency: Awaited<ReturnType<typeof dues.agency>>;
type Client = Awaited<ReturnType<typeof dues.client>>;

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: HOST, isMaster: true });
  const { email } = await app.make.user(root, { password: PASSWORD });
  rootToken = await app.signIn(email, HOST);
  dues = duesOf(app, root);
  agency = await dues.agency();
  await app.make.leadCost(agency.company, 2n * USD);
});
afterAll(() => app.close());

type Who = { host: string; token: string };
interface Shown {
  id: string;
  key: string;
  state: string;
  note: string;
  source: string | null;
  is_proven: boolean | null;
  proofs: { kind: string; proves: string | null }[];
}
interface Told {
  status: number;
  body: {
    message: string;
    errors: Record<string, string[]>;
    data: Shown[];
    total: unknown;
    counts: Record<string, number>;
    approved: number;
    returned: number;
    decided: number;
    skipped: { id: string; message: string }[];
    startDate: string;
    endDate: string;
  };
}
const ask = async (who: Who, method: 'GET' | 'POST' | 'PUT', path: string, body?: object) =>
  (await app.call(method, `/api${path}`, {
    host: who.host,
    token: who.token,
    ...(body ? { body } : {}),
  })) as unknown as Told;
const asRoot = (): Who => ({ host: HOST, token: rootToken });

async function lead(campaign: MadeCampaign, person: MadePerson = app.make.person()): Promise<string> {
  // Each at its own time, so that they have an order.
  app.clock.advance(1000);
  await app.make.people(root, [person]);
  await app.make.visit(campaign, { email: person.email });
  await app.features.leads.resolver.resolveAll();
  const { rows } = await app.admin.query(
    'select id from lead where campaign_id = $1 order by created_at desc, id desc limit 1',
    [campaign.id],
  );
  return rows[0].id;
}
type Given = Parameters<TestApp['make']['campaign']>[1];
const campaignOf = (client: Client, term: 'Prepaid' | 'Weekly' = 'Prepaid', more: Given = {}) =>
  app.make.campaign(client.company, {
    price: 3n * USD,
    ...(term === 'Prepaid' ? { balance: 90n * USD } : { costs: { term } }),
    ...more,
  });
/** Creates a client with a campaign that has one lead, priced at 3 dollars for the client and 2 for its agency. */
async function sold(term: 'Prepaid' | 'Weekly' = 'Prepaid', of = agency) {
  const client = await dues.client(of);
  const campaign = await campaignOf(client, term);
  return { client, campaign, leadId: await lead(campaign) };
}
const open = (who: Who, ids: string[], reason = 'wrong_person', note = '') => {
  app.clock.advance(1000);
  return ask(who, 'POST', '/returns', { ids, reason, note });
};
const decide = (who: Who, ids: string[], decision: string, answer = 'We checked it.') => {
  app.clock.advance(1000);
  return ask(who, 'POST', '/returns/decide', { ids, decision, answer });
};
const ofLead = async (who: Who, id: string) =>
  (await ask(who, 'GET', `/returns/lead/${id}`)).body as unknown as {
    data: Shown | null;
    may_return: boolean;
    blocked: string;
    until: string;
  };
const idOf = async (who: Who, leadId: string): Promise<string> => (await ofLead(who, leadId)).data!.id;
const rules = (who: Who, comsetval: object) =>
  ask(who, 'PUT', '/configuration/setting', { comsetname: 'leadreturns', comsetval });
async function held(company: Company, kind: string): Promise<bigint> {
  const { rows } = await app.admin.query(
    'select coalesce(sum(amount), 0)::text as sum from entry where company_id = $1 and account_code = account_code($2)',
    [company.id, kind],
  );
  return BigInt(rows[0].sum);
}
const mails = async (to: { email: string }, kind: string) =>
  (await dues.mails(kind)).filter((mail) => mail.to === to.email);
const proven = async () =>
  expect((await auditLedger(app.admin)).checks.filter((check) => check.violations > 0)).toEqual([]);
/** What the user log says of a lead, with who did it. */
const logged = async (leadId: string) =>
  (
    await app.admin.query(
      'select action, actor_id from user_log where object_id = $1 order by created_at, action desc',
      [leadId],
    )
  ).rows;

describe('[BEY-06] returning leads', () => {
  test('a client returns a lead, its agency approves: credited once, told, logged, on the journey', async () => {
    const { client, leadId } = await sold();
    expect(await ofLead(client, leadId)).toMatchObject({ data: null, may_return: true, blocked: '' });
    const made = await open(client, [leadId], 'other', 'Number of a bakery');
    expect([made.status, made.body]).toEqual([
      200,
      {
        result: 'success',
        message: 'The lead was returned.',
        returned: 1,
        approved: 0,
        skipped: [],
      },
    ]);
    const [told, ...more] = await mails(agency, 'return.opened').then((all) =>
      all.filter(({ text }) => text.includes('returned a lead')),
    );
    expect([told?.subject, more]).toEqual([expect.stringMatching(/returned a lead$/), []]);
    const listed = (await ask(agency, 'GET', `/returns?companyID=${client.company.id}`)).body;
    expect(listed).toMatchObject({
      total: 1,
      counts: { open: 1, approved: 0, declined: 0 },
      data: [
        { lead_id: leadId, reason: 'other', note: 'Number of a bakery', state: 'open', is_proven: false },
      ],
    });

    const done = await decide(agency, [listed.data[0]!.id], 'approved', 'Sorry about that.');
    expect([done.status, done.body.message]).toEqual([200, 'The return was approved.']);
    expect(await held(client.company, 'client_prepaid')).toBe(90n * USD);
    expect((await ofLead(client, leadId)).data).toMatchObject({
      state: 'approved',
      credited_micros: 3_000_000,
      answer: 'Sorry about that.',
      is_automatic: false,
    });
    const [mail, ...others] = await mails(client, 'return.decided');
    expect([mail?.subject, others]).toEqual(['$3.00 credited for a returned lead', []]);
    expect(mail?.text).toContain('returned to the campaign balance');
    expect(mail?.text).toContain('Sorry about that.');
    // The same credit as that of a refund by hand, which cannot be given again.
    expect((await ask(client, 'GET', `/credits/lead/${leadId}`)).body.data).toMatchObject([
      { amount_micros: 3_000_000, reason: 'other', note: 'Sorry about that.' },
    ]);
    expect((await ask(agency, 'POST', `/credits/lead/${leadId}`, { reason: 'duplicate' })).status).toBe(409);
    expect(await logged(leadId)).toEqual([
      { action: 'return.open', actor_id: client.userId },
      { action: 'lead.refund', actor_id: agency.userId },
    ]);
    const steps = (await ask(client, 'GET', `/leadspeek/report/lead/${leadId}/journey`)).body.data;
    expect(steps.slice(0, 2)).toMatchObject([
      { kind: 'decision', decision: 'approved', note: 'Sorry about that.' },
      { kind: 'return', reason: 'other', note: 'Number of a bakery' },
    ]);
    await proven();
  });

  test('what is declined is told with the reason, moves nothing, and cannot be returned again', async () => {
    const { client, leadId } = await sold();
    await open(client, [leadId]);
    const id = await idOf(agency, leadId);
    const bare = await decide(agency, [id], 'declined', ' ');
    expect([bare.status, bare.body.errors]).toEqual([422, { answer: ['is required to decline'] }]);
    expect((await decide(agency, [id], 'declined', 'She answered our call.')).status).toBe(200);
    expect(await held(client.company, 'client_prepaid')).toBe(87n * USD);
    const [mail] = await mails(client, 'return.decided');
    expect([mail?.subject, mail?.text]).toEqual([
      'Your return was declined',
      expect.stringContaining('She answered our call.'),
    ]);
    const again = await open(client, [leadId]);
    expect([again.status, again.body.message]).toEqual([409, 'The return of this lead was already decided.']);
    expect((await decide(agency, [id], 'approved')).status).toBe(409);
    expect(await logged(leadId)).toEqual([
      { action: 'return.open', actor_id: client.userId },
      { action: 'return.decline', actor_id: agency.userId },
    ]);
    // The agency can still be generous.
    expect((await ask(agency, 'POST', `/credits/lead/${leadId}`, { reason: 'goodwill' })).status).toBe(200);
    expect((await ofLead(client, leadId)).data).toMatchObject({ state: 'declined', credited_micros: null });
  });

  test('a refund by hand approves the open return with it', async () => {
    const { client, leadId } = await sold('Weekly');
    await dues.bill(client.company);
    await open(client, [leadId]);
    const id = await idOf(agency, leadId);
    await ask(agency, 'POST', `/credits/lead/${leadId}`, { reason: 'wrong_person' });
    expect((await ofLead(client, leadId)).data).toMatchObject({
      state: 'approved',
      credited_micros: 3_000_000,
    });
    expect((await decide(agency, [id], 'approved')).status).toBe(409);
    expect((await decide(agency, [id], 'declined')).status).toBe(409);
    // Invoiced already: it comes off the next invoice.
    expect(await held(client.company, 'client_unbilled')).toBe(3n * USD);
  });

  test('a company without a person is named', async () => {
    const { client, leadId } = await sold();
    await app.admin.query(`update lead set company_domain = 'halden.example' where id = $1`, [leadId]);
    await app.admin.query(
      `update lead_contact set first_name = null, last_name = null, email = null, company_name = 'Halden' where lead_id = $1`,
      [leadId],
    );
    expect((await open(client, [leadId])).status).toBe(200);
    const { data } = (await ask(agency, 'GET', `/returns?companyID=${client.company.id}`))
      .body as unknown as {
      data: { lead_name: string }[];
    };
    expect(data.map(({ lead_name }) => lead_name)).toEqual(['Halden']);
  });

  test('two decisions at once: one wins, the money moves once', async () => {
    for (const pair of [
      ['approved', 'approved'],
      ['approved', 'declined'],
      ['declined', 'approved'],
    ]) {
      const { client, leadId } = await sold();
      await open(client, [leadId]);
      const id = await idOf(agency, leadId);
      const both = await Promise.all(pair.map((decision) => decide(agency, [id], decision)));
      expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
      const won = pair[both.findIndex(({ status }) => status === 200)];
      expect((await ofLead(client, leadId)).data?.state).toBe(won);
      expect(await held(client.company, 'client_prepaid')).toBe((won === 'approved' ? 90n : 87n) * USD);
      expect(await mails(client, 'return.decided')).toHaveLength(1);
    }
  });

  test('two returns at once, or a return and a refund: one lead, one return, one credit', async () => {
    const { client, leadId } = await sold();
    const both = await Promise.all([open(client, [leadId]), open(client, [leadId], 'duplicate')]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    const other = await sold();
    await Promise.all([
      open(other.client, [other.leadId]),
      ask(agency, 'POST', `/credits/lead/${other.leadId}`, { reason: 'duplicate' }),
    ]);
    const { data, may_return } = await ofLead(other.client, other.leadId);
    expect([data?.state ?? 'approved', may_return]).toEqual(['approved', false]);
    expect(await held(other.client.company, 'client_prepaid')).toBe(90n * USD);
  });

  test('many at once: what cannot be returned or decided is left out with its reason, and each client is told once', async () => {
    const { client, campaign, leadId } = await sold();
    const ids = [leadId, await lead(campaign), await lead(campaign)];
    await open(client, [ids[0]!]);
    const made = await open(client, ids, 'invalid_contact');
    expect([made.body.returned, made.body.skipped]).toEqual([
      2,
      [{ id: ids[0], message: 'This lead was already returned and is waiting for a decision.' }],
    ]);
    const all = (await ask(agency, 'GET', `/returns?companyID=${client.company.id}`)).body.data;
    const done = await decide(
      agency,
      all.map((row) => row.id),
      'approved',
    );
    expect([done.body.decided, done.body.skipped]).toEqual([3, []]);
    expect((await mails(client, 'return.decided')).map(({ subject }) => subject)).toEqual([
      '$9.00 credited for 3 returned leads',
    ]);
    expect(await held(client.company, 'client_prepaid')).toBe(90n * USD);
    const half = (await ask(agency, 'GET', `/returns?companyID=${client.company.id}&reason=invalid_contact`))
      .body;
    expect([half.total, half.counts.approved]).toEqual([2, 2]);
  });

  test('the removed campaign’s returns stay open, and say what to do', async () => {
    const { client, campaign, leadId } = await sold();
    await open(client, [leadId]);
    await app.admin.query(`update campaign set state = 'removed' where id = $1`, [campaign.id]);
    const done = await decide(agency, [await idOf(agency, leadId)], 'approved');
    expect([done.status, done.body.message]).toEqual([
      409,
      "The lead's campaign was removed. Grant the client credit on another campaign instead.",
    ]);
    expect((await ofLead(client, leadId)).data?.state).toBe('open');
  });
});

describe('[BEY-06] the window', () => {
  test('is the root’s, unless the agency sets its own; 0 closes the desk', async () => {
    const of = await dues.agency();
    await app.make.leadCost(of.company, 2n * USD);
    const { client, campaign, leadId } = await sold('Prepaid', of);
    const { until } = await ofLead(client, leadId);
    const soldAt = (await app.admin.query('select created_at from lead where id = $1', [leadId])).rows[0]
      .created_at as Date;
    expect(new Date(until).getTime() - soldAt.getTime()).toBe(7 * DAY_MS);
    expect((await rules(asRoot(), { window_days: 20, automatic: [] })).status).toBe(200);
    expect(new Date((await ofLead(client, leadId)).until).getTime() - soldAt.getTime()).toBe(20 * DAY_MS);
    expect((await rules(of, { window_days: 2, automatic: [] })).status).toBe(200);
    await app.admin.query(
      `update lead set created_at = created_at - interval '2 days 1 second' where id = $1`,
      [leadId],
    );
    const late = await open(client, [leadId]);
    expect([late.status, late.body.message]).toEqual([
      409,
      'Leads can be returned within 2 days of when they came in.',
    ]);
    await rules(of, { window_days: 0, automatic: [] });
    expect((await open(client, [await lead(campaign)])).body.message).toMatch(/does not accept returns/);
    await rules(asRoot(), { window_days: null, automatic: [] });
  });

  test('bad rules name the field and the rule', async () => {
    const faults = async (value: object, who: Who = agency) => (await rules(who, value)).body.errors;
    expect(await faults({ window_days: 91, automatic: [] })).toEqual({
      window_days: ['must be 90 or less'],
    });
    expect(await faults({ window_days: 7, automatic: ['wrong_person'] })).toEqual({
      'automatic.0': ['is not a reason that can be proven'],
    });
    expect(await faults({ window_days: 7, automatic: ['duplicate'] }, asRoot())).toEqual({
      automatic: ['is only for agencies'],
    });
  });
});

describe('[BEY-06] who may do what', () => {
  test('other tenants’ leads and returns do not exist, and roles are kept', async () => {
    const mine = await sold();
    const theirs = await sold(
      'Prepaid',
      await dues.agency().then(async (of) => {
        await app.make.leadCost(of.company, 2n * USD);
        return of;
      }),
    );
    await open(theirs.client, [theirs.leadId]);
    const id = (await ofLead(asRoot(), theirs.leadId)).data!.id;
    expect((await open(mine.client, [theirs.leadId])).status).toBe(404);
    // Nor does one of them pull the others along.
    expect((await open(mine.client, [mine.leadId, theirs.leadId])).status).toBe(404);
    expect((await ofLead(mine.client, mine.leadId)).data).toBeNull();
    expect((await decide(agency, [id], 'approved')).status).toBe(404);
    expect((await ask(agency, 'GET', `/returns/lead/${theirs.leadId}`)).status).toBe(404);
    expect((await ask(agency, 'GET', `/returns?companyID=${theirs.client.company.id}`)).status).toBe(404);
    expect((await decide(theirs.client, [id], 'approved')).status).toBe(403);
    expect((await decide(asRoot(), [id], 'approved')).status).toBe(403);
    expect((await open(agency, [mine.leadId])).status).toBe(403);
    expect((await ask(mine.client, 'GET', '/returns/quality')).status).toBe(403);
    // Only a root sees where its data is from.
    expect((await ask(agency, 'GET', '/returns/quality?by=supplier')).status).toBe(422);
    expect((await ask(agency, 'GET', '/returns?supplier=x')).body.errors).toEqual({
      supplier: ['is only for roots'],
    });
    const { rows } = await app.admin.query('select state from return_request where id = $1', [id]);
    expect(rows).toEqual([{ state: 'open' }]);
  });

  test('bad input is refused by field and rule', async () => {
    const { client, leadId } = await sold();
    const faults = async (body: object) => (await ask(client, 'POST', '/returns', body)).body.errors;
    expect(await faults({ ids: [], reason: 'duplicate' })).toEqual({ ids: ['must name at least one lead'] });
    expect(await faults({ ids: [leadId], reason: 'goodwill' })).toEqual({
      reason: ['is not a reason to return a lead'],
    });
    expect(await faults({ ids: [leadId], reason: 'other' })).toEqual({
      note: ['is required when the reason is other'],
    });
    expect(await faults({ ids: [leadId], reason: 'other', note: 'x'.repeat(501) })).toEqual({
      note: ['must not exceed 500 characters'],
    });
    expect(await faults({ ids: [leadId], reason: 'other', note: 'a\u0000b' })).toEqual({
      note: ['must not contain control characters'],
    });
    expect(await faults({ ids: Array.from({ length: 101 }, () => leadId), reason: 'duplicate' })).toEqual({
      ids: ['must not name more than 100 leads'],
    });
    expect(
      (await ask(agency, 'GET', '/returns/quality?startDate=2026-02-01&endDate=2026-01-01')).body.errors,
    ).toEqual({ endDate: ['must not be before the first day'] });
    expect(
      (await ask(agency, 'GET', '/returns/quality?startDate=2020-02-01&endDate=2026-01-01')).body.errors,
    ).toEqual({ endDate: ['must be at most 366 days after the first'] });
  });

  test('hostile text in a note stays text: in the answer, and out of emails', async () => {
    const { client, leadId } = await sold();
    const note = `=HYPERLINK("https://evil.example","x")\n<script>alert(1)</script> '); drop table lead;-- \u202Egnp.exe`;
    expect((await open(client, [leadId], 'other', note)).status).toBe(200);
    const path = `/returns?companyID=${client.company.id}`;
    expect((await ask(agency, 'GET', path)).body.data[0]?.note).toBe(note);
    for (const mail of await dues.mails('return.opened')) expect(mail.text).not.toContain('script');
  });
});

describe('[BEY-06] what is known about a lead', () => {
  const proofs = async (leadId: string) => (await ofLead(agency, leadId)).data!.proofs;

  test('a service that refused the address proves it; the client’s own webhook does not', async () => {
    const { client, campaign, leadId } = await sold();
    const refused = (integrationId: string, cause: string, of: string, refusesEmail: boolean) =>
      app.admin.query(
        `insert into delivery (id, root_id, agency_id, company_id, campaign_id, integration_id, lead_id, message_id, state, cause, refuses_email, created_at)
         select gen_random_uuid(), root_id, agency_id, company_id, campaign_id, $1, id, gen_random_uuid()::text, 'failed', $3, $4, now()
         from lead where id = $2`,
        [integrationId, of, cause, refusesEmail],
      );
    const webhook = await app.admin.query(
      `insert into integration (id, root_id, agency_id, company_id, campaign_id, kind, url, secret_sealed, state, created_at, updated_at)
       values (gen_random_uuid(), $1, $2, $3, $4, 'webhook', 'https://crm.example', 'x', 'disabled', now(), now()) returning id`,
      [root.id, agency.company.id, client.company.id, campaign.id],
    );
    await refused(webhook.rows[0].id, 'The email address bounced', leadId, false);
    await open(client, [leadId], 'invalid_contact');
    expect(await proofs(leadId)).toEqual([]);

    const other = await lead(campaign);
    const { destinationId } = await app.make.connection(client.company, { campaignId: campaign.id });
    await refused(
      destinationId,
      'HubSpot did not accept the contact: Email address a@b.example is invalid',
      other,
      true,
    );
    await open(client, [other], 'invalid_contact');
    expect(await proofs(other)).toEqual([
      {
        kind: 'address_refused',
        proves: 'invalid_contact',
        words: 'HubSpot permanently rejected the email address.',
        lead_id: null,
      },
    ]);
    expect((await ofLead(agency, other)).data?.is_proven).toBe(true);
    // Clients are not told what others know.
    expect((await ofLead(client, other)).data).toMatchObject({ proofs: [], is_proven: null, source: null });
  });

  test('an earlier lead of the same address is a duplicate, unless it was refunded', async () => {
    const { client, campaign, leadId } = await sold();
    const second = await lead(campaign);
    await app.admin.query(
      `update lead_contact set email = (select email from lead_contact where lead_id = $1) where lead_id = $2`,
      [leadId, second],
    );
    await app.admin.query(`update lead set created_at = created_at - interval '3 days' where id = $1`, [
      leadId,
    ]);
    await open(client, [second, leadId], 'duplicate');
    expect(await proofs(second)).toMatchObject([
      { kind: 'earlier_lead', proves: 'duplicate', lead_id: leadId },
    ]);
    // The first of them is none.
    expect(await proofs(leadId)).toEqual([]);

    const third = await lead(campaign);
    await app.admin.query(
      `update lead_contact set email = (select email from lead_contact where lead_id = $1) where lead_id = $2`,
      [leadId, third],
    );
    for (const id of [leadId, second])
      await ask(agency, 'POST', `/credits/lead/${id}`, { reason: 'duplicate' });
    await open(client, [third], 'duplicate');
    expect(await proofs(third)).toEqual([]);
  });

  test('a list proves it only if it was there before the sale; a filter only if the campaign was not changed', async () => {
    const { client, campaign, leadId } = await sold();
    const { rows } = await app.admin.query('select email from lead_contact where lead_id = $1', [leadId]);
    const list = (hours: number, use: 'exclude' | 'customers' = 'exclude') =>
      dues.inRoot((tx) =>
        app.features.exclusions.addList(
          tx,
          {
            owner: dues.owner(client.company),
            ownerId: client.company.id,
            level: 'client',
            name: 'customers.csv',
            lines: [rows[0].email],
            use,
          },
          new Date(app.clock.now().getTime() + hours * 3_600_000),
        ),
      );
    // A list of known customers excludes no one, beside one that does.
    await list(-1, 'customers');
    await list(1);
    await open(client, [leadId], 'excluded');
    expect(await proofs(leadId)).toMatchObject([{ kind: 'on_list', proves: null }]);

    await app.admin.query('delete from return_request where lead_id = $1', [leadId]);
    await list(-1);
    await open(client, [leadId], 'excluded');
    expect(await proofs(leadId)).toMatchObject([{ kind: 'on_list', proves: 'excluded' }]);

    // The list of those who opted out is older than the sale, whenever they did.
    const { suppress } = app.features.exclusions;
    await dues.inRoot((tx) => suppress(tx, root.id, { lines: ['first@opted-out.example'], hashes: [] }));
    const optedOut = await lead(campaign);
    const { rows: theirs } = await app.admin.query('select email from lead_contact where lead_id = $1', [
      optedOut,
    ]);
    await dues.inRoot((tx) => suppress(tx, root.id, { lines: [theirs[0].email], hashes: [] }));
    await open(client, [optedOut], 'excluded');
    expect(await proofs(optedOut)).toEqual([]);
    expect((await ofLead(agency, optedOut)).data).toMatchObject({ state: 'open', is_proven: false });

    const next = await lead(campaign, { ...app.make.person(), state: 'TX' });
    await app.admin.query(`update campaign set fit_states = '{NY}', updated_at = $2 where id = $1`, [
      campaign.id,
      new Date(app.clock.now().getTime() + 3_600_000),
    ]);
    await open(client, [next], 'outside_target');
    expect(await proofs(next)).toMatchObject([{ kind: 'outside_filter', proves: null }]);
    await app.admin.query('delete from return_request where lead_id = $1', [next]);
    await app.admin.query(`update campaign set updated_at = created_at - interval '1 day' where id = $1`, [
      campaign.id,
    ]);
    await open(client, [next], 'outside_target');
    expect(await proofs(next)).toMatchObject([{ kind: 'outside_filter', proves: 'outside_target' }]);
  });

  test('who bought before, is marked do not call, or is below what is billed', async () => {
    const { client, leadId } = await sold();
    const { rows } = await app.admin.query('select person_id, created_at from lead where id = $1', [leadId]);
    const other = await campaignOf(client);
    await app.admin.query(
      `insert into campaign_conversion (campaign_id, person_id, root_id, agency_id, company_id, converted_at)
       values ($1, $2, $3, $4, $5, $6)`,
      [
        other.id,
        rows[0].person_id,
        root.id,
        agency.company.id,
        client.company.id,
        new Date(rows[0].created_at.getTime() - DAY_MS),
      ],
    );
    await app.admin.query(
      `with x as (update lead_contact set phone = '+12025550199' where lead_id = $1)
       insert into do_not_call (root_id, company_id, phone, source, marked_at) values ($2, $2, '+12025550199', 'test', now())`,
      [leadId, root.id],
    );
    await app.admin.query('update lead set confidence = 10 where id = $1', [leadId]);
    await ask(agency, 'PUT', '/configuration/setting', {
      comsetname: 'billingthreshold',
      comsetval: { least_confidence: 40 },
    });
    await open(client, [leadId], 'customer');
    expect((await proofs(leadId)).map(({ kind, proves }) => [kind, proves])).toEqual([
      ['bought_before', 'customer'],
      ['do_not_call', null],
      ['below_threshold', 'outside_target'],
    ]);
    expect((await ofLead(agency, leadId)).data?.is_proven).toBe(true);
    await ask(agency, 'PUT', '/configuration/setting', {
      comsetname: 'billingthreshold',
      comsetval: { least_confidence: 0 },
    });
  });

  test('what is proven is approved by itself where the agency wants it, for that reason only', async () => {
    const of = await dues.agency();
    await app.make.leadCost(of.company, 2n * USD);
    await rules(of, { window_days: null, automatic: ['outside_target'] });
    const { client, campaign, leadId } = await sold('Prepaid', of);
    const second = await lead(campaign);
    await app.admin.query('update lead set confidence = 10 where campaign_id = $1', [campaign.id]);
    await ask(of, 'PUT', '/configuration/setting', {
      comsetname: 'billingthreshold',
      comsetval: { least_confidence: 40 },
    });
    const made = await open(client, [leadId], 'outside_target');
    expect([made.body.message, made.body.approved]).toEqual(['The lead was returned and credited.', 1]);
    expect((await ofLead(client, leadId)).data).toMatchObject({
      state: 'approved',
      is_automatic: true,
      credited_micros: 3_000_000,
    });
    // No one decided, and the log says so.
    expect(await logged(leadId)).toEqual([
      { action: 'return.open', actor_id: client.userId },
      { action: 'lead.refund', actor_id: null },
    ]);
    expect(await mails(of, 'return.opened')).toEqual([]);
    expect((await mails(client, 'return.decided')).map(({ subject }) => subject)).toEqual([
      '$3.00 credited for a returned lead',
    ]);
    expect((await open(client, [second], 'duplicate')).body.approved).toBe(0);
    expect((await ofLead(of, second)).data).toMatchObject({ state: 'open', is_proven: false });
    await proven();
  });

  test('[BEY-30] a client whose site says that its leads had bought before gets a few back by itself, and the agency decides', async () => {
    const of = await dues.agency();
    await app.make.leadCost(of.company, 2n * USD);
    await rules(of, { window_days: null, automatic: ['customer'] });
    const { client, campaign, leadId } = await sold('Prepaid', of);
    const leadIds = [leadId];
    while (leadIds.length < 8) leadIds.push(await lead(campaign));
    // As if another campaign on the client's own site had sent forged visits of a thank-you page the day before.
    const other = await campaignOf(client);
    await app.admin.query(
      `insert into campaign_conversion (campaign_id, person_id, root_id, agency_id, company_id, converted_at)
       select $1, person_id, root_id, agency_id, company_id, created_at - interval '1 day' from lead where id = any($2)`,
      [other.id, leadIds],
    );
    const answers = [];
    for (const ids of [leadIds.slice(0, 2), leadIds.slice(2, 7), leadIds.slice(7)])
      answers.push((await open(client, ids, 'customer')).body);
    expect(answers.map(({ approved, returned }) => [approved, returned])).toEqual([
      [2, 2],
      [3, 5],
      [0, 1],
    ]);
    expect((await ofLead(of, leadIds[7]!)).data).toMatchObject({ state: 'open', is_proven: true });
    expect(await mails(of, 'return.opened')).toHaveLength(2);
    await proven();
  });
});

test('[BEY-06] quality counts leads and their returns by campaign, client, match, agency, and supplier', async () => {
  const of = await dues.agency();
  await app.make.leadCost(of.company, 2n * USD);
  const { client, campaign, leadId } = await sold('Prepaid', of);
  const ids = [leadId, await lead(campaign), await lead(campaign), await lead(campaign)];
  await open(client, ids.slice(0, 3));
  const id = (at: number) => idOf(of, ids[at]!);
  await decide(of, [await id(0)], 'approved');
  await decide(of, [await id(1)], 'declined');
  const sums = {
    leads: 4,
    returned: 3,
    open: 1,
    approved: 1,
    declined: 1,
    credited_micros: 3_000_000,
  };
  for (const [by, key] of [
    ['campaign', campaign.id],
    ['client', client.company.id],
    ['match', 'email_sha256'],
  ] as const) {
    const { body } = await ask(of, 'GET', `/returns/quality?by=${by}`);
    expect([body.data, body.total]).toMatchObject([[{ key, ...sums }], sums]);
  }
  const agencies = (await ask(asRoot(), 'GET', '/returns/quality?by=agency')).body.data;
  expect(agencies.find((row) => row.key === of.company.id)).toMatchObject(sums);
  const { body } = await ask(asRoot(), 'GET', `/returns/quality?by=supplier&companyID=${of.company.id}`);
  expect([body.data.length, body.data[0]]).toMatchObject([1, sums]);
  const supplier = body.data[0]!.key;
  expect(supplier).not.toBe('');
  // A number leads to the returns that it counts.
  const found = (
    await ask(
      asRoot(),
      'GET',
      `/returns?companyID=${of.company.id}&supplier=${encodeURIComponent(supplier)}&startDate=${body.startDate}&endDate=${body.endDate}`,
    )
  ).body;
  expect([found.total, found.counts, found.data[0]?.source]).toEqual([
    3,
    { open: 1, approved: 1, declined: 1 },
    supplier,
  ]);
  expect((await ask(of, 'GET', '/returns?match=email_sha256')).body.total).toBe(3);
  expect((await ask(of, 'GET', '/returns?match=ip')).body.total).toBe(0);
});

test('[BEY-06] a lead is credited at most once, whatever order returns, invoices, and refunds come in', async () => {
  const STEPS = ['return', 'approve', 'decline', 'refund', 'rootRefund', 'bill', 'lead', 'wait'] as const;
  const step = fc.constantFrom(...STEPS);
  // Steps of an inner list happen at once.
  const order = fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 8 });
  const run = async (term: 'Prepaid' | 'Weekly', all: (typeof STEPS)[number][][]): Promise<void> => {
    const { client, campaign, leadId } = await sold(term);
    const deeds: Record<(typeof STEPS)[number], () => Promise<unknown>> = {
      return: () => open(client, [leadId]),
      approve: async () => {
        const { data } = await ofLead(agency, leadId);
        if (data) await decide(agency, [data.id], 'approved');
      },
      decline: async () => {
        const { data } = await ofLead(agency, leadId);
        if (data) await decide(agency, [data.id], 'declined');
      },
      refund: () => ask(agency, 'POST', `/credits/lead/${leadId}`, { reason: 'goodwill' }),
      rootRefund: () => ask(asRoot(), 'POST', `/credits/lead/${leadId}`, { reason: 'goodwill' }),
      bill: () => dues.bill(client.company).catch(() => undefined),
      lead: () => lead(campaign),
      wait: async () => app.clock.advance(DAY_MS / 4),
    };
    for (const together of all) await Promise.all(together.map((one) => deeds[one]()));
    const { rows } = await app.admin.query(
      `select (select count(*)::int from credit where lead_id = $1 and company_id = $2) as credits,
         (select coalesce(sum(amount_micros), 0)::int from credit where lead_id = $1 and company_id = $2) as credited,
         (select coalesce(sum(e.amount), 0)::int from entry e join transfer t on t.id = e.transfer_id
          where t.kind = 'lead_return' and t.reference_id = $1 and e.company_id = $2) as posted,
         (select state from return_request where lead_id = $1) as state`,
      [leadId, client.company.id],
    );
    const { credits, credited, posted, state } = rows[0];
    expect(credits).toBeLessThanOrEqual(1);
    expect([credited, posted]).toEqual([credits * 3_000_000, credits * 3_000_000]);
    // Open returns are of leads that were not credited, approved ones of leads that were.
    if (state === 'open') expect(credits).toBe(0);
    if (state === 'approved') expect(credits).toBe(1);
  };
  await fc.assert(fc.asyncProperty(fc.constantFrom('Prepaid', 'Weekly'), order, run), {
    numRuns: runs(60),
    endOnFailure: true,
  });
  await proven();
});

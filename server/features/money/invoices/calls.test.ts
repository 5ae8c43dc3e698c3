import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';

const USD = 1_000_000n;
let app: TestApp;
let root: Company;
let acme: Company;
let client: Company;
const tokens: Record<string, string> = {};
const hosts: Record<string, string> = {
  root: 'root.test',
  agency: 'acme.root.test',
  client: 'acme.root.test',
  other: 'acme.root.test',
  second: 'second.root.test',
};
let serial = 0;

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test', isMaster: true });
  acme = await app.make.agency(root, { host: 'acme.root.test', name: 'Acme' });
  const second = await app.make.agency(root, { host: 'second.root.test' });
  await app.make.leadCost(acme, 900_000n);
  client = await app.make.client(acme, { name: 'Client one' });
  const other = await app.make.client(acme);
  const people: [string, Company][] = [
    ['root', root],
    ['agency', acme],
    ['client', client],
    ['other', other],
    ['second', second],
  ];
  for (const [name, company] of people)
    await app.make.user(company, { email: `${name}@x.test`, password: PASSWORD });
  for (const [name] of people) tokens[name] = await app.signIn(`${name}@x.test`, hosts[name]!);
});
afterAll(() => app.close());

const inRoot = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
  inScope(app.platform.db.app, { rootId: root.id }, work);
const ask = async (who: string, method: 'GET' | 'POST', url: string, body?: unknown) => {
  const answer = await app.call(method, `/api/billing${url}`, {
    host: hosts[who]!,
    token: tokens[who]!,
    ...(body === undefined ? {} : { body }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: answers of many calls
  return answer as { status: number; body: any };
};
async function visit(campaign: MadeCampaign, count: number) {
  const people = Array.from({ length: count }, () => app.make.person());
  await app.make.people(root, people);
  for (const { email } of people) await app.make.visit(campaign, { email });
  await app.features.leads.resolver.resolveAll();
  return people;
}
const bill = async (company: Company, side: 'retail' | 'wholesale' = 'retail') =>
  (await inRoot((tx) =>
    app.features.invoices.bill(
      tx,
      {
        owner: { root_id: root.id, agency_id: company.agency_id!, company_id: company.id },
        side,
        kind: 'to_date',
        term: null,
        periodKey: `key-${++serial}`,
        from: null,
        to: null,
        events: { before: new Date('9999-01-01'), cycle: null },
      },
      app.clock.now(),
    ),
  ))!.id;
/** An invoice of some leads at 2 dollars. */
async function invoice(leads: number, company = client) {
  await visit(await app.make.campaign(company, { price: 2n * USD, costs: { term: 'Monthly' } }), leads);
  return bill(company);
}
const account = async (company: Company, kind: string) =>
  (
    await app.admin.query(
      `select coalesce(sum(e.amount), 0)::int as sum from entry e join account a on a.id = e.account_id where e.company_id = $1 and a.kind = $2`,
      [company.id, kind],
    )
  ).rows[0].sum;
const credit = (id: string, amount: string, key = newId(app.clock.now()), who = 'agency') =>
  ask(who, 'POST', `/invoices/${id}/credit`, { amount, reason: 'Too many', idempotencyKey: key });

describe('[PAY-04] what people see', () => {
  test('[BEY-01] each line opens to the events under it, page by page', async () => {
    const campaign = await app.make.campaign(client, { price: 2n * USD, costs: { term: 'Weekly' } });
    const people = await visit(campaign, 5);
    const upcoming = await ask('client', 'GET', '/upcoming');
    expect(upcoming.body.data).toMatchObject([
      {
        side: 'retail',
        term: 'Weekly',
        period_to: '2026-03-16T05:00:00.000Z',
        total_micros: 10_000_000,
        lines: [{ kind: 'leads', quantity: 5, unit_micros: 2_000_000, event_count: 5 }],
      },
    ]);
    expect((await ask('agency', 'GET', '/upcoming')).body.data).toMatchObject([
      { side: 'wholesale', total_micros: 4_500_000 },
    ]);
    const id = await bill(client);
    expect((await ask('client', 'GET', '/upcoming')).body.data).toEqual([]);
    const { body } = await ask('client', 'GET', `/invoices/${id}`);
    expect(body).toMatchObject({
      number: 'INV-000001',
      status: 'open',
      total_micros: 10_000_000,
      due_micros: 10_000_000,
      fee_micros: null,
      time_zone: 'America/Chicago',
      issuer: { name: 'Acme' },
      payer: { name: 'Client one' },
      lines: [{ line: 1, event_count: 5, amount_micros: 10_000_000 }],
      may: ['pay'],
    });
    const first = await ask('client', 'GET', `/invoices/${id}/lines/1/events?PerPage=3`);
    const rest = await ask(
      'client',
      'GET',
      `/invoices/${id}/lines/1/events?PerPage=3&cursor=${first.body.next_cursor}`,
    );
    expect([first.body.data.length, rest.body.data.length, rest.body.next_cursor]).toEqual([3, 2, null]);
    const events = [...first.body.data, ...rest.body.data];
    expect(events.map((event) => event.name).sort()).toEqual(
      people.map((person) => `${person.first_name} ${person.last_name}`).sort(),
    );
    expect(events.every((event) => event.amount_micros === 2_000_000 && event.leadId)).toBe(true);
    expect((await ask('client', 'GET', `/invoices/${id}/lines/2/events`)).status).toBe(404);
    expect((await ask('client', 'GET', `/invoices/${id}/lines/1/events?cursor=x`)).status).toBe(422);
  });

  test('wholesale is between the root and the agency', async () => {
    const id = await bill(acme, 'wholesale');
    expect((await ask('client', 'GET', `/invoices/${id}`)).status).toBe(404);
    expect((await ask('second', 'GET', `/invoices/${id}`)).status).toBe(404);
    expect((await ask('agency', 'GET', `/invoices/${id}`)).body).toMatchObject({
      side: 'wholesale',
      may: ['pay'],
    });
    expect((await ask('root', 'GET', `/invoices/${id}`)).body.may).toEqual(['credit', 'write_off']);
    const { body } = await ask('agency', 'GET', `/invoices/${id}/lines/1/events`);
    expect(body.data[0]).toMatchObject({ kind: 'lead', amount_micros: 900_000 });
    expect((await ask('client', 'GET', '/invoices?side=wholesale')).status).toBe(422);
  });

  test('the list pages, filters, searches and sums on the server', async () => {
    for (let i = 1; i <= 3; i++) await invoice(i);
    const all = await ask('agency', 'GET', '/invoices?PerPage=2&sortby=total&order=asc&side=retail');
    expect(all.body).toMatchObject({
      total: 4,
      last_page: 2,
      sides: ['retail', 'wholesale'],
      total_micros: 22_000_000,
      due_micros: 22_000_000,
    });
    expect(all.body.data.map((row: { total_micros: number }) => row.total_micros)).toEqual([
      2_000_000, 4_000_000,
    ]);
    expect((await ask('client', 'GET', '/invoices')).body).toMatchObject({ total: 4, sides: ['retail'] });
    expect((await ask('other', 'GET', '/invoices')).body.total).toBe(0);
    expect((await ask('second', 'GET', '/invoices')).body.total).toBe(0);
    expect((await ask('second', 'GET', `/invoices?companyID=${client.id}`)).status).toBe(404);
    expect((await ask('agency', 'GET', '/invoices?searchQuery=client%20ONE')).body.total).toBe(4);
    expect((await ask('agency', 'GET', '/invoices?searchQuery=000003')).body.total).toBe(1);
    expect((await ask('agency', 'GET', '/invoices?searchQuery=%25')).body.total).toBe(0);
    expect((await ask('root', 'GET', '/invoices')).body.total).toBe(5);
    expect((await ask('agency', 'GET', '/invoices?status=paid')).body.total).toBe(0);
    expect((await ask('agency', 'GET', '/invoices?endDate=2026-03-09')).body.total).toBe(0);
    expect((await ask('agency', 'GET', '/invoices?startDate=2026-03-10&endDate=2026-03-10')).body.total).toBe(
      5,
    );
    expect((await ask('agency', 'GET', '/invoices?sortby=payer')).status).toBe(422);
  });
});

describe('[PAY-04] correcting', () => {
  test('a credit note lowers what is due, once a key, and never below nothing', async () => {
    const before = await account(client, 'client_receivable');
    const id = await invoice(3);
    expect(await account(client, 'client_receivable')).toBe(before - 6_000_000);
    const [one, two] = await Promise.all([credit(id, '2.50', 'same'), credit(id, '2.50', 'same')]);
    expect([one.status, two.status]).toEqual([200, 200]);
    const { body } = await ask('client', 'GET', `/invoices/${id}`);
    expect(body).toMatchObject({
      status: 'open',
      due_micros: 3_500_000,
      credited_micros: 2_500_000,
      credit_notes: [{ number: 'CN-000001', amount_micros: 2_500_000, reason: 'Too many' }],
    });
    expect(await account(client, 'client_receivable')).toBe(before - 3_500_000);
    expect((await credit(id, '3.51')).status).toBe(409);
    expect((await credit(id, '1.00', 'same')).status).toBe(409);
    expect((await credit(id, '0')).status).toBe(422);
    expect((await credit(id, '0.001')).status).toBe(422);
    expect((await credit(id, '1', 'x', 'client')).status).toBe(403);
    expect((await credit(id, '1', 'x', 'second')).status).toBe(404);
    expect((await credit(id, '1', 'x', 'root')).status).toBe(409);
    const last = await credit(id, '3.50');
    expect(last.body.data).toMatchObject({ status: 'void', due_micros: 0, may: [] });
    expect((await credit(id, '0.01')).status).toBe(409);
  });

  test('what a card has paid goes back to it, and the books agree', async () => {
    const id = await invoice(2);
    const owner = { root_id: root.id, agency_id: acme.id, company_id: client.id };
    // No one has paid it by card, so nothing can be refunded.
    await inRoot((tx) => app.features.invoices.paid(tx, id, 4n * USD, app.clock.now()));
    expect((await credit(id, '1')).body.message).toContain('was not paid by card');
    await inRoot((tx) => app.features.invoices.unpaid(tx, id, 4n * USD, app.clock.now()));

    await app.features.billing.accounts.sandboxAccount({ ...owner, company_id: acme.id }, 'approve');
    await app.features.billing.accounts.sandboxCard(owner, 'works');
    const charged = await app.features.payments.charges.charge({
      owner,
      purpose: 'invoice',
      referenceId: id,
      amountMicros: 4n * USD,
      key: 'pay',
      description: 'x',
    });
    expect(charged.status).toBe('succeeded');
    const paid = (await ask('agency', 'GET', `/invoices/${id}`)).body;
    expect(paid).toMatchObject({ status: 'paid', paid_micros: 4_000_000, may: ['credit'] });
    expect(paid.attempts).toMatchObject([{ state: 'succeeded', amount_micros: 4_000_000 }]);
    const due = await account(client, 'client_receivable');
    expect((await credit(id, '4.01')).status).toBe(409);
    app.clock.advance(60_000);
    const back = await credit(id, '1.50', 'back');
    expect(back.body.data).toMatchObject({
      status: 'paid',
      // The day of the payment, not of the credit note.
      paid_at: paid.paid_at,
      paid_micros: 2_500_000,
      credited_micros: 1_500_000,
    });
    expect((await credit(id, '1.50', 'back')).status).toBe(200);
    expect((await ask('agency', 'GET', `/invoices/${id}`)).body.credit_notes).toHaveLength(1);
    expect(await account(client, 'client_receivable')).toBe(due);
  });

  /** A client whose card declines. */
  async function declining(): Promise<Company> {
    const own = await app.make.client(acme);
    const owner = { root_id: root.id, agency_id: acme.id, company_id: own.id };
    await app.features.billing.accounts.sandboxCard(owner, 'declines');
    return own;
  }
  async function declined(leads: number, own: Company): Promise<string> {
    const id = await invoice(leads, own);
    const { rows } = await app.admin.query(`select id from charge where reference_id = $1`, [id]);
    await app.features.payments.core.ask(root.id, rows[0].id);
    return id;
  }

  test('giving up tells so, once; its wholesale part is the agency’s to pay', async () => {
    const own = await declining();
    const id = await declined(2, own);
    expect((await ask('agency', 'GET', `/invoices/${id}`)).body.fee_micros).toBe(1_800_000);
    expect((await ask('client', 'POST', `/invoices/${id}/write-off`, { reason: 'x' })).status).toBe(403);
    const owed = await account(acme, 'agency_payable');
    for (let i = 0; i < 2; i++) {
      const { status, body } = await ask('agency', 'POST', `/invoices/${id}/write-off`, { reason: 'Gone' });
      expect([status, body.data.status, body.data.due_micros]).toEqual([200, 'uncollectible', 0]);
    }
    expect(await account(own, 'client_receivable')).toBe(0);
    expect(await account(acme, 'agency_payable')).toBe(owed - 1_800_000);
    const { body } = await ask('agency', 'GET', '/upcoming');
    expect(body.data.flatMap((one: { lines: unknown[] }) => one.lines)).toContainEqual(
      expect.objectContaining({ kind: 'wholesale_unpaid', amount_micros: 1_800_000 }),
    );
    expect((await credit(id, '1')).status).toBe(409);
    const { rows } = await app.admin.query(
      `select count(*)::int as n from user_log where action = 'invoice.write_off'`,
    );
    expect(rows[0].n).toBe(1);
  });

  test('an invoice that is worth less than its wholesale part by now carries none of it', async () => {
    const id = await declined(1, await declining());
    await credit(id, '1.50');
    const { rows } = await app.admin.query('select fee_released_at from invoice where id = $1', [id]);
    expect(rows[0].fee_released_at).not.toBeNull();
  });

  test('a receipt is paid at birth, and its refund is a credit note', async () => {
    const campaign = await app.make.campaign(client, { balance: 20n * USD });
    const { rows } = await app.admin.query(
      `select id from transfer where kind = 'top_up' and campaign_id = $1`,
      [campaign.id],
    );
    const receipt = () =>
      inRoot((tx) =>
        app.features.invoices.receipt(
          tx,
          {
            owner: campaign.owner,
            transferId: rows[0].id,
            campaignId: campaign.id,
            description: 'Top-up',
            amountMicros: 20n * USD,
            term: 'Prepaid',
          },
          app.clock.now(),
        ),
      );
    const made = await receipt();
    expect(await receipt()).toBeNull();
    expect((await credit(made!.id, '1')).body.message).toContain('receipt for a top-up');
    const back = () =>
      inRoot((tx) =>
        app.features.invoices.creditReceipt(
          tx,
          {
            transferId: rows[0].id,
            refundTransferId: rows[0].id,
            amountMicros: 5n * USD,
            reason: 'Balance refunded',
            key: 'r',
            userId: null,
          },
          app.clock.now(),
        ),
      );
    expect([await back(), await back()]).toEqual([expect.any(String), null]);
    expect((await ask('client', 'GET', `/invoices/${made!.id}`)).body).toMatchObject({
      kind: 'receipt',
      status: 'paid',
      paid_micros: 15_000_000,
      credited_micros: 5_000_000,
      credit_notes: [{ amount_micros: 5_000_000 }],
    });
  });
});

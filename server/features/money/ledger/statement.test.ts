import { extractText, getDocumentProxy } from 'unpdf';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inScope } from '../../../platform/db/scope.ts';
import { inPaperTurn } from '../../../platform/paper.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';
import { statementPdf } from './statement.pdf.ts';

const USD = 1_000_000n;
const HOST = 'acme.test';
let app: TestApp;
let root: Company;
let agency: Company;
let client: Company;
let campaign: MadeCampaign;
let other: MadeCampaign;
const tokens: Record<string, string> = {};

interface Line {
  id: string;
  kind: string;
  created_at: string;
  amount_micros: number;
  balance_micros: number;
  price_micros: number | null;
  cost_micros: number | null;
  supplier_micros: number | null;
  margin_micros: number | null;
  campaignName: string | null;
}
interface Statement {
  data: Line[];
  next_cursor: string | null;
  balance_micros: number;
  opening_micros: number | null;
  views: string[];
}

const hosts: Record<string, string> = { root: 'root.test', agency: HOST, client: HOST, stranger: 'two.test' };
const ask = (as: string, url: string) =>
  app.call('GET', `/api/ledger/${url}`, { host: hosts[as]!, token: tokens[as]! });
const statement = async (as: string, query = ''): Promise<Statement> => {
  const { status, body } = await ask(as, `statement?${query}`);
  expect([query, status]).toEqual([query, 200]);
  return body as unknown as Statement;
};
/** All lines, page by page. */
async function all(as: string, query = '', perPage = 7): Promise<Line[]> {
  const lines: Line[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Statement = await statement(
      as,
      `${query}&PerPage=${perPage}${cursor && `&cursor=${cursor}`}`,
    );
    expect(page.data.length).toBeLessThanOrEqual(perPage);
    lines.push(...page.data);
    cursor = page.next_cursor;
  }
  return lines;
}
async function csv(as: string, query = ''): Promise<{ status: number; lines: string[] }> {
  const { body } = await app.call('POST', '/api/general/download-token', {
    host: hosts[as]!,
    token: tokens[as]!,
    body: { path: `/api/ledger/statement/export?${query}` },
  });
  const answer = await app.call('GET', String(body.url), { host: hosts[as]! });
  return { status: answer.status, lines: answer.text.replace('﻿', '').trimEnd().split('\r\n') };
}

beforeAll(async () => {
  app = await testApp();
  const { make, clock, features } = app;
  root = await make.root({ host: 'root.test' });
  agency = await make.agency(root, { host: HOST });
  client = await make.client(agency, { name: 'Northwind' });
  const stranger = await make.agency(root, { host: 'two.test' });
  await make.leadCost(agency, 600_000n);
  await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
    features.billing.setSupplierCost(tx, {
      rootId: root.id,
      module: 'local',
      costMicros: 150_000n,
      from: new Date(0),
    }),
  );
  campaign = await make.campaign(client, { name: 'Shop', price: 2n * USD, balance: 100n * USD });
  other = await make.campaign(client, { name: '=Guide', price: USD, balance: 10n * USD });
  clock.advance(1000);
  const day = async (leads: [MadeCampaign, number][]) => {
    for (const [on, count] of leads) {
      const people = Array.from({ length: count }, () => make.person());
      await make.people(root, people);
      for (const { email } of people) await make.visit(on, { email });
      await features.leads.resolver.resolveAll();
      clock.advance(1000);
    }
    clock.advance(86_400_000);
    await features.visits.keepPartitions(2);
  };
  await day([
    [campaign, 6],
    [other, 2],
  ]); // March 10, all owed
  await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
    features.wallet.topUp(
      tx,
      { rootId: root.id, agencyId: agency.id, amountMicros: 3n * USD, key: 'one' },
      clock.now(),
    ),
  );
  clock.advance(1000);
  await day([[campaign, 4]]); // March 11, from the wallet
  await day([
    [campaign, 3],
    [other, 1],
  ]); // March 12, one from the wallet and three owed
  for (const [name, company] of [
    ['root', root],
    ['agency', agency],
    ['client', client],
    ['stranger', stranger],
  ] as const) {
    await make.user(company, { email: `${name}@x.test`, password: PASSWORD });
    tokens[name] = await app.signIn(`${name}@x.test`, hosts[name]!);
  }
});
afterAll(() => app.close());

describe('[PAY-03] [BEY-01] the statement', () => {
  test('shows each party its own side, with a running balance that is exact on every line', async () => {
    const mine = await all('client');
    expect(mine).toHaveLength(18);
    expect(mine[0]).toMatchObject({ kind: 'lead', price_micros: 1e6, balance_micros: 81e6 });
    expect(mine.at(-1)).toMatchObject({ kind: 'top_up' });
    let running = 0;
    for (const line of mine.toReversed()) {
      running += line.amount_micros;
      expect(line.balance_micros).toBe(running);
      expect([line.cost_micros, line.supplier_micros, line.margin_micros]).toEqual([null, null, null]);
    }
    expect((await statement('client')).balance_micros).toBe(running);

    const wholesale = await all('agency');
    expect(wholesale).toHaveLength(17);
    expect(wholesale[0]).toMatchObject({
      amount_micros: -600_000,
      balance_micros: 3e6 - 16 * 600_000,
      price_micros: 1e6,
      cost_micros: 600_000,
      margin_micros: 400_000,
      supplier_micros: null,
    });
    const wallet = await all('agency', 'view=wallet');
    expect(wallet.map((line) => line.kind)).toEqual([...Array(5).fill('lead'), 'wallet_top_up']);
    expect(wallet[0]!.balance_micros).toBe(0);
    const earnings = await statement('agency', 'view=earnings');
    expect(earnings.balance_micros).toBe(29e6);
    expect(earnings.views).toEqual(['balance', 'wallet', 'earnings', 'card', 'tax']);

    const revenue = await all('root');
    expect(revenue).toHaveLength(16);
    expect(revenue[0]).toMatchObject({
      amount_micros: 450_000,
      balance_micros: 16 * 450_000,
      supplier_micros: 150_000,
      cost_micros: 600_000,
      margin_micros: 450_000,
    });
  });

  test('pages are the same lines whatever their size, and snapshots change no answer', async () => {
    const before = await all('agency', '', 100);
    expect(await all('agency', '', 3)).toEqual(before);
    const added = () => app.features.ledger.snapshot(app.platform.db.app, root.id, app.clock.now());
    expect(await added()).toBeGreaterThan(5);
    expect(await added()).toBe(0);
    expect(await all('agency', '', 4)).toEqual(before);
    // Posting into the past removes the later snapshots.
    const count = async () =>
      Number(
        (
          await app.admin.query('select count(*) as n from account_snapshot where company_id = $1', [
            agency.id,
          ])
        ).rows[0].n,
      );
    const kept = await count();
    await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.wallet.topUp(
        tx,
        { rootId: root.id, agencyId: agency.id, amountMicros: USD, key: 'late', granted: true },
        new Date('2026-03-10T20:00:00Z'),
      ),
    );
    expect(await count()).toBeLessThan(kept);
    const after = await all('agency');
    expect(after[0]!.balance_micros).toBe(before[0]!.balance_micros + 1e6);
    expect(await added()).toBeGreaterThan(0);
    expect(await all('agency')).toEqual(after);
  });

  test('margins by month, client, campaign and product are the sums of their lines, and clients see none', async () => {
    const report = async (as: string, query: string) => {
      const { status, body } = await ask(as, `margins?${query}`);
      expect([as, query, status]).toEqual([as, query, 200]);
      // biome-ignore lint/suspicious/noExplicitAny: the call's answer
      return body as any;
    };
    const total = { leads: 16, price_micros: 29e6, cost_micros: 9_600_000 };
    for (const [by, keys, filter] of [
      ['month', ['2026-03'], 'startDate'],
      ['client', [client.id], 'companyID'],
      ['campaign', [other.id, campaign.id], 'leadspeekID'],
      ['product', ['local'], 'module'],
    ] as const) {
      const agencys = await report('agency', `by=${by}`);
      expect(agencys.total).toEqual({ ...total, supplier_micros: null, margin_micros: 19_400_000 });
      expect(agencys.data.map((row: { key: string }) => row.key).toSorted()).toEqual(keys.toSorted());
      for (const row of agencys.data) {
        const narrow =
          filter === 'startDate' ? 'startDate=2026-03-01&endDate=2026-03-31' : `${filter}=${row.key}`;
        const sum = { price: 0, cost: 0, margin: 0, leads: 0 };
        for (let cursor: string | null = ''; cursor !== null; ) {
          const { status, body } = await ask(
            'agency',
            `margins/lines?PerPage=7&${narrow}${cursor && `&cursor=${cursor}`}`,
          );
          expect(status).toBe(200);
          const page = body as unknown as Statement;
          for (const line of page.data) {
            sum.price += line.price_micros!;
            sum.cost += line.cost_micros!;
            sum.margin += line.margin_micros!;
            sum.leads++;
          }
          cursor = page.next_cursor;
        }
        expect(sum).toEqual({
          price: row.price_micros,
          cost: row.cost_micros,
          margin: row.margin_micros,
          leads: row.leads,
        });
      }
    }
    const roots = await report('root', 'by=agency');
    expect(roots.total).toEqual({ ...total, supplier_micros: 16 * 150_000, margin_micros: 16 * 450_000 });
    expect((await report('agency', 'startDate=2026-03-11&endDate=2026-03-11')).total.leads).toBe(4);
    expect((await report('stranger', '')).data).toEqual([]);
    expect((await ask('stranger', `margins?companyID=${client.id}`)).status).toBe(404);
    expect((await ask('client', 'margins')).status).toBe(403);
    expect((await ask('agency', 'margins?startDate=2020-01-01')).status).toBe(422);
  });

  test("a month's statement as PDF: leads by campaign, all else by itself, between its balances", async () => {
    const pdf = async (as: string, query: string) => {
      const { body } = await app.call('POST', '/api/general/download-token', {
        host: hosts[as]!,
        token: tokens[as]!,
        body: { path: `/api/ledger/statement/pdf?${query}` },
      });
      const response = await app.server.inject({
        method: 'GET',
        url: String(body.url),
        headers: { host: hosts[as]! },
      });
      if (response.statusCode !== 200) return { status: response.statusCode, text: response.body };
      const { text } = await extractText(await getDocumentProxy(new Uint8Array(response.rawPayload)), {
        mergePages: true,
      });
      return { status: 200, text };
    };
    const own = await pdf('client', 'month=2026-03');
    expect(own.text).toContain('Central Time');
    expect(own.text).toMatch(/Leads.*Shop #\d+/s);
    // 110 received, 29 for leads.
    for (const amount of ['$26.00', '$3.00', '$100.00', '$10.00', '$81.00'])
      expect(own.text).toContain(amount);
    const agencys = await pdf('agency', 'month=2026-03');
    expect(agencys.text).toContain('Wallet top-up');
    expect(agencys.text).not.toContain('$100.00');
    expect((await pdf('agency', `month=2026-03&companyID=${client.id}`)).text).toContain('$81.00');
    expect((await pdf('client', 'month=2026-02')).text).toContain('No activity this month.');
    expect((await pdf('client', 'month=2027-01')).status).toBe(422);
    expect((await pdf('client', 'month=2026-13')).status).toBe(422);
    expect((await pdf('stranger', `month=2026-03&companyID=${client.id}`)).status).toBe(404);
  });

  test('the totals of a statement are in cents and add up, and a campaign has one line of ads', async () => {
    const at = new Date('2026-03-10T12:00:00Z');
    const row = { company_name: 'Shop', campaign_name: 'Fall', number: '100001', memo: null, at, count: 1 };
    const bytes = await statementPdf(
      {
        month: '2026-03',
        timeZone: 'UTC',
        until: null,
        companyId: client.id,
        companyName: 'Shop',
        kind: 'client',
        issuerId: client.id,
        opening: 10_004_000n,
        closing: 6_496_072n,
        rows: [
          { ...row, kind: 'lead', amount: -3_504_000n },
          { ...row, kind: 'ad_spend', count: 900, amount: -3_928n },
        ],
      },
      { name: 'Acme', brand: { accent: null } },
    );
    const { text } = await extractText(await getDocumentProxy(new Uint8Array(bytes)), { mergePages: true });
    for (const words of ['$10.00', '−$3.50', '$0.00', '$6.50', '−$3.504', '−$0.003928'])
      expect(text).toContain(words);
  });

  test('documents of a company wait for each other, some of them, and never for others', async () => {
    const path = '/api/ledger/statement/pdf?month=2026-03';
    const links = async (as: string, count: number): Promise<string[]> => {
      const made: string[] = [];
      for (let n = 0; n < count; n++) {
        const asked = { host: hosts[as]!, token: tokens[as]!, body: { path } };
        made.push(String((await app.call('POST', '/api/general/download-token', asked)).body.url));
      }
      return made;
    };
    const get = async (as: string, url: string) =>
      (await app.server.inject({ method: 'GET', url, headers: { host: hosts[as]! } })).statusCode;
    const own = await links('client', 10);
    const [agencys] = await links('agency', 1);
    let end = (): void => {};
    // One that takes its time.
    const slow = inPaperTurn(client.id, () => new Promise<void>((done) => (end = done)));
    const refused: number[] = [];
    let seen = (): void => {};
    const both = new Promise<void>((done) => (seen = done));
    const answers = own.map(async (url) => {
      const status = await get('client', url);
      if (status === 429 && refused.push(status) === 2) seen();
      return status;
    });
    // Eight wait.
    await both;
    expect(await get('agency', agencys!)).toBe(200);
    end();
    await slow;
    expect((await Promise.all(answers)).filter((status) => status === 200)).toHaveLength(8);
  });

  test('a root sets what suppliers charge, from now on or from a day on; sold leads keep theirs', async () => {
    const path = '/api/configuration/supplier-costs';
    const put = (as: string, body: object) =>
      app.call('PUT', path, { host: hosts[as]!, token: tokens[as]!, body });
    const costs = async () =>
      // biome-ignore lint/suspicious/noExplicitAny: the call's answer
      ((await app.call('GET', path, { host: hosts.root!, token: tokens.root! })).body as any).data;
    expect((await costs())[0]).toMatchObject({ module: 'local', cost: '0.15', is_set: true, planned: [] });
    expect((await put('root', { module: 'local', cost: '0.20', effective_from: '2026-04-01' })).status).toBe(
      200,
    );
    expect((await put('root', { module: 'local', cost: '0.25', effective_from: '2026-04-01' })).status).toBe(
      200,
    );
    expect((await put('root', { module: 'locator', cost: '0.3' })).status).toBe(200);
    expect(await costs()).toMatchObject([
      { cost: '0.15', planned: [{ cost: '0.25', effective_from: '2026-04-01T05:00:00.000Z' }] },
      { module: 'locator', cost: '0.30', is_set: true },
      { is_set: false },
      { is_set: false },
    ]);
    expect(
      (await put('root', { module: 'local', cost: '0.2', effective_from: '2026-01-01' })).body.errors,
    ).toEqual({
      effective_from: ['must not be in the past'],
    });
    expect((await put('root', { module: 'simplifi', cost: '-1' })).body.errors).toMatchObject({
      module: [expect.any(String)],
      cost: [expect.any(String)],
    });
    expect((await put('agency', { module: 'local', cost: '0' })).status).toBe(403);
    const { rows } = await app.admin.query(
      `select count(*)::int as n from user_log where action = 'supplier_cost.set'`,
    );
    expect(rows[0].n).toBe(3);
  });

  test('balances as of any day, where the company is', async () => {
    const on = async (day: string) => (await statement('client', `endDate=${day}`)).balance_micros;
    expect(await on('2026-03-09')).toBe(0);
    expect(await on('2026-03-10')).toBe(110e6 - 14e6);
    expect(await on('2026-03-11')).toBe(110e6 - 22e6);
    expect(await on('2026-03-12')).toBe(81e6);
    const { body } = await ask('client', 'statement/balances?startDate=2026-03-09&endDate=2026-03-12');
    expect((body.days as unknown as { balance_micros: number }[]).map((d) => d.balance_micros / 1e6)).toEqual(
      [0, 96, 88, 81],
    );
    const span = await statement('client', 'startDate=2026-03-11&endDate=2026-03-11');
    expect(span).toMatchObject({ opening_micros: 96e6, balance_micros: 88e6 });
    expect(span.data).toHaveLength(4);
  });

  test('filters: kind, campaign, client, days and id, each with the true balance', async () => {
    const whole = new Map((await all('agency')).map((line) => [line.id, line.balance_micros]));
    const check = async (query: string, count: number) => {
      const lines = await all('agency', query, 2);
      expect([query, lines.length]).toEqual([query, count]);
      for (const line of lines) expect(line.balance_micros).toBe(whole.get(line.id));
      return lines;
    };
    await check('kind=lead', 16);
    await check('kind=wallet_top_up', 1);
    await check('kind=payment', 0);
    expect((await check(`leadspeekID=${other.id}`, 3))[0]).toMatchObject({ campaignName: '=Guide' });
    await check(`clientID=${client.id}`, 16);
    await check(`leadspeekID=${campaign.id}&startDate=2026-03-11&endDate=2026-03-11`, 4);
    await check(`leadspeekID=${campaign.id}&kind=wallet_top_up`, 0);
    const { rows } = await app.admin.query('select id, transfer_id from lead order by id limit 1');
    expect(await check(`searchQuery=${rows[0].id}`, 1)).toMatchObject([{ id: rows[0].transfer_id }]);
    await check(`searchQuery=${rows[0].transfer_id}`, 1);
    await check('searchQuery=nonsense', 0);
    for (const wrong of ['view=balance2', 'cursor=x', 'kind=x', 'startDate=x', 'PerPage=101'])
      expect([wrong, (await ask('agency', `statement?${wrong}`)).status]).toEqual([wrong, 422]);
    expect((await ask('client', 'statement?view=wallet')).status).toBe(422);
  });

  test('a line opens to its entries and the lead under it; no one sees the side of another', async () => {
    const [line] = await all('client', 'kind=lead');
    const open = async (as: string) => (await ask(as, `statement/${line!.id}`)).body;
    const kinds = (body: Record<string, unknown>) =>
      (body.entries as { account: string }[]).map((entry) => entry.account);
    const mine = await open('client');
    expect(kinds(mine)).toEqual(['client_prepaid']);
    expect(mine).toMatchObject({ cost_micros: null, margin_micros: null, event_count: 1 });
    expect(mine.events).toMatchObject([
      { kind: 'lead', leadId: expect.any(String), name: expect.any(String) },
    ]);
    expect(kinds(await open('agency'))).toEqual(['client_prepaid', 'agency_revenue', 'agency_payable']);
    expect(kinds(await open('root'))).toHaveLength(6);
    expect((await ask('stranger', `statement/${line!.id}`)).status).toBe(404);
    expect((await ask('stranger', `statement?companyID=${agency.id}`)).status).toBe(404);
    expect((await ask('client', `statement?companyID=${agency.id}`)).status).toBe(404);
    // An agency reads the statement of its client.
    expect((await statement('agency', `companyID=${client.id}`)).balance_micros).toBe(81e6);
  });

  test('an invoice (or other collecting transfer) opens to the events under it, each collected once', async () => {
    const at = app.clock.now();
    const { rows } = await app.admin.query(
      `select transfer_id as id from lead where campaign_id = $1 order by id limit 3`,
      [campaign.id],
    );
    const owner = { root_id: root.id, agency_id: agency.id, company_id: agency.id };
    const collect = (key: string) =>
      inScope(app.platform.db.app, { rootId: root.id }, async (tx) => {
        const [id] = await app.features.ledger.post(
          tx,
          [
            {
              owner,
              kind: 'invoice',
              referenceId: null,
              key,
              entries: [
                { account: { owner, kind: 'agency_payable' }, amount: 1_800_000n },
                { account: { owner, kind: 'agency_invoiced' }, amount: -1_800_000n },
              ],
            },
          ],
          at,
        );
        await app.features.ledger.cover(
          tx,
          rows.map((row) => ({ transfer_id: row.id, side: 'wholesale' as const, covered_by: id!, ...owner })),
        );
        return id!;
      });
    const id = await collect('invoice:1');
    await expect(collect('invoice:2')).rejects.toThrow(/transfer_cover_pkey/);
    const { body } = await ask('agency', `statement/${id}`);
    expect(body).toMatchObject({ kind: 'invoice', event_count: 3 });
    expect((body.events as unknown[]).length).toBe(3);
    const [line] = await all('agency', 'kind=invoice');
    expect(line).toMatchObject({ id, amount_micros: 0 });
  });

  test('the CSV has every line of the filter, and no column that is not for the reader', async () => {
    const mine = await csv('client');
    expect(mine.status).toBe(200);
    expect(mine.lines).toHaveLength(19);
    expect(mine.lines[0]).toBe(
      'Date,Kind,Company,Campaign ID,Campaign,Amount (USD),Balance (USD),Price (USD),Note,Reference,ID',
    );
    expect(mine.lines[1]).toMatch(/^2026-03-12T.*,lead,Northwind,\d+,'=Guide,-1.00,81.00,1.00,,/);
    const theirs = await csv('agency', 'kind=lead');
    expect(theirs.lines).toHaveLength(17);
    expect(theirs.lines[0]).toContain('Cost (USD),Margin (USD)');
    expect((await csv('root')).lines[0]).toContain('Cost (USD),Supplier cost (USD),Margin (USD)');
    expect((await csv('client', `companyID=${agency.id}`)).status).toBe(404);
  });
});

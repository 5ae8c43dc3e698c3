import { extractText, getDocumentProxy } from 'unpdf';
import { microsOf, usd } from '../../contract/primitives.ts';
import { auditLedger } from '../features/money/ledger/index.ts';
import { inScope } from '../platform/db/scope.ts';
import { PASSWORD, type TestApp } from './app.ts';
import { duesOf } from './dues.ts';
import type { Company, MadeCampaign } from './factories.ts';
import { compareMails } from './mails.ts';

const USD = 1_000_000n;
const DAY_MS = 86_400_000;

/** A small system that trades for as long as its clock is advanced. */
export type Year = Awaited<ReturnType<typeof openYear>>;

/**
 * An agency with a Data Wallet, a taxed client billed weekly and monthly, and a prepaid one. `pass` advances by days
 * and does what the jobs would: leads, fees, invoices, card charges, expiring lots, snapshots.
 */
export async function openYear(app: TestApp) {
  const { make, features, clock } = app;
  const root = await make.root({ host: 'root.test', isMaster: true });
  const dues = duesOf(app, root);
  const agency = await dues.agency();
  const owing = await dues.client(agency);
  const prepaying = await dues.client(agency);
  await make.user(root, { email: 'root@x.test', password: PASSWORD });
  await app.admin.query(`update company set country_code = 'US', state_code = 'TX' where id = any($1)`, [
    [owing.company.id, agency.company.id],
  ]);
  await make.leadCost(agency.company, 900_000n);
  await inScope(app.platform.db.app, { rootId: root.id }, async (tx) => {
    await features.billing.setSupplierCost(tx, {
      rootId: root.id,
      module: 'local',
      costMicros: 350_000n,
      from: clock.now(),
    });
    await tx
      .insertInto('tax_rate')
      .values({
        id: root.id,
        root_id: root.id,
        agency_id: null,
        company_id: root.id,
        country_code: 'US',
        state_code: 'TX',
        name: 'Sales tax',
        rate_ppm: 82_500,
        updated_at: clock.now(),
      })
      .execute();
  });
  const campaigns: MadeCampaign[] = [
    await make.campaign(owing.company, {
      price: 2_250_000n,
      costs: { term: 'Weekly', setup_micros: 49n * USD, month_micros: 9_990_000n },
    }),
    await make.campaign(owing.company, {
      price: 1_333_333n,
      costs: { term: 'Monthly', setup_micros: 0n, month_micros: 0n },
    }),
    await make.campaign(prepaying.company, { price: 3n * USD, balance: 400n * USD }),
  ];
  // A default minimum spend, which the agency accepts in its first month.
  await inScope(app.platform.db.app, { rootId: root.id }, async (tx) => {
    const at = clock.now();
    await features.agreements.accept(tx, {
      owner: dues.owner(agency.company),
      userId: agency.userId,
      document: 'default_agency',
      at,
      ip: null,
    });
    await features.plans.insertDefault(tx, root, { name: 'Standard', months: [], flat: 60n * USD }, at);
  });
  await features.minimumSpend.offers.announce(root.id);
  const { body: standing } = await app.call('GET', `/api/general/minimum-spend/${agency.company.id}`, agency);
  const { id: offerId } = standing.offer as { id: string };
  await app.call('POST', `/api/configuration/setting/minimum-spend-offer/${offerId}/accept`, agency);
  const people = Array.from({ length: 40 }, () => make.person());
  await make.people(root, people);
  let day = 0;

  /** Issues refunds of leads by agency and root, and every kind of credit, through the API. */
  async function give(): Promise<void> {
    const asked = async (who: { email: string; host: string }, path: string, body: object): Promise<void> => {
      const token = await app.signIn(who.email, who.host);
      const { status, body: answer } = await app.call('POST', `/api${path}`, { host: who.host, token, body });
      if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(answer)}`);
    };
    const boss = { email: 'root@x.test', host: 'root.test' };
    const credit = { amount: '1.75', reason: 'goodwill', idempotencyKey: `credit of day ${day}` };
    for (const campaign of campaigns) {
      const { rows } = await app.admin.query(
        `select id from lead where campaign_id = $1 and not exists (select from credit where lead_id = lead.id)
         order by created_at desc, id limit 2`,
        [campaign.id],
      );
      const ids = rows.map((row) => row.id as string);
      for (const id of ids.slice(0, 1)) await asked(agency, `/credits/lead/${id}`, { reason: 'duplicate' });
      for (const id of ids) await asked(boss, `/credits/lead/${id}`, { reason: 'wrong_person' });
      await asked(agency, '/credits', {
        ...credit,
        companyID: campaign.owner.company_id,
        leadspeekID: campaign.id,
      });
    }
    await asked(boss, '/credits', { ...credit, companyID: agency.company.id });
  }

  return {
    app,
    root,
    agency,
    clients: [owing, prepaying],
    campaigns,

    /** Advances by days; every `every`th day has leads. */
    async pass(days: number, every = 1): Promise<void> {
      for (let n = 0; n < days; n++) {
        clock.advance(DAY_MS);
        day++;
        await features.visits.keepPartitions(2);
        if (day % every === 0) {
          for (const [at, campaign] of campaigns.entries()) {
            const { email } = people[(day + at * 7) % people.length]!;
            await make.visit(campaign, { email });
          }
          await features.leads.resolver.resolveAll();
        }
        if (day % 90 === 1)
          await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
            features.wallet.topUp(
              tx,
              { rootId: root.id, agencyId: agency.company.id, amountMicros: 20n * USD, key: `top-up-${day}` },
              clock.now(),
            ),
          );
        if (day % 30 === 17) await give();
        await features.invoices.fees.sweep(root.id);
        await features.invoices.close(root.id);
        await features.minimumSpend.closeMonths(root.id);
        await dues.look();
        if (day % 7 === 0) {
          await features.wallet.sweep(root.id);
          await features.ledger.snapshot(app.platform.db.app, root.id, clock.now());
        }
      }
    },
  };
}

/** An amount shown to a user, and what it has to be. */
interface Shown {
  where: string;
  shown: bigint;
  ledger: bigint;
}

/**
 * Compares each list, tile, chart, email and file that shows an amount with the ledger's own sum. Returns those that
 * differ and how many were compared; the ledger is read by plain sums of entries, without any of the product's own
 * queries.
 */
export async function compareAmounts(year: Year): Promise<{ compared: number; differing: string[] }> {
  const { app, agency, clients, campaigns, root } = year;
  const found: Shown[] = [];
  const see = (where: string, shown: number | bigint, ledger: bigint): void => {
    found.push({ where, shown: BigInt(shown), ledger });
  };
  const sum = async (
    companyId: string,
    codes: number[],
    more = '',
    values: unknown[] = [],
  ): Promise<bigint> => {
    const { rows } = await app.admin.query(
      `select coalesce(sum(e.amount), 0)::text as sum from entry e join transfer t on t.id = e.transfer_id
       where e.company_id = $1 and e.account_code = any($2) ${more}`,
      [companyId, codes, ...values],
    );
    return BigInt(rows[0].sum);
  };
  interface Reader {
    name: string;
    host: string;
    token: string;
    company: Company;
  }
  // biome-ignore lint/suspicious/noExplicitAny: answers of many calls
  const get = async (who: Reader, url: string): Promise<any> => {
    const { status, body } = await app.call('GET', `/api${url}`, { host: who.host, token: who.token });
    if (status !== 200) throw new Error(`${who.name} ${url}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  const file = async (who: Reader, path: string): Promise<Buffer> => {
    const { body } = await app.call('POST', '/api/general/download-token', {
      host: who.host,
      token: who.token,
      body: { path: `/api${path}` },
    });
    const response = await app.server.inject({
      method: 'GET',
      url: String(body.url),
      headers: { host: who.host },
    });
    if (response.statusCode !== 200)
      throw new Error(`${who.name} ${path}: ${response.statusCode} ${response.body}`);
    return response.rawPayload;
  };
  const micros = (text: string): bigint => BigInt(Math.round(Number(text) * 1_000_000));
  /** The cells of a CSV without quoted line breaks. */
  const column = (csv: string, title: string): string[] => {
    const [head = '', ...lines] = csv.replace('\ufeff', '').trimEnd().split('\r\n');
    const at = head.split(',').indexOf(title);
    return lines.map((line) => line.match(/("([^"]|"")*"|[^,]*)(,|$)/g)?.[at]?.replace(/,$/, '') ?? '');
  };

  // The logins from the beginning expired long ago.
  const reader = async <K extends 'root' | 'agency' | 'client'>(
    name: string,
    kind: K,
    of: { company: Company; host: string; email: string },
  ) => ({ name, kind, host: of.host, company: of.company, token: await app.signIn(of.email, of.host) });
  const readers = [
    await reader('root', 'root', { company: root, host: 'root.test', email: 'root@x.test' }),
    await reader('agency', 'agency', agency),
    await reader('client 1', 'client', clients[0]!),
    await reader('client 2', 'client', clients[1]!),
  ];
  const VIEWS = {
    client: { balance: [1, 2, 3] },
    agency: { balance: [10, 11, 12], wallet: [10], earnings: [13], card: [30], tax: [33] },
    root: { balance: [20, 21, 22, 23, 32, 34], card: [30], tax: [33] },
  } as const;
  // In the time zone of all companies in this test.
  const month = app.clock.now().toLocaleDateString('en-CA', { timeZone: 'America/Chicago' }).slice(0, 7);
  for (const who of readers) {
    for (const [view, codes] of Object.entries(VIEWS[who.kind])) {
      const sign = view === 'card' ? -1n : 1n;
      const books = sign * (await sum(who.company.id, [...codes]));
      const statement = await get(who, `/ledger/statement?view=${view}&PerPage=1`);
      see(`${who.name}: statement ${view}, balance`, statement.balance_micros, books);
      if (statement.data[0])
        see(`${who.name}: statement ${view}, newest line`, statement.data[0].balance_micros, books);
      const series = await get(who, `/ledger/statement/balances?view=${view}`);
      see(`${who.name}: statement ${view}, chart`, series.days.at(-1).balance_micros, books);
      const csv = (await file(who, `/ledger/statement/export?view=${view}`)).toString();
      see(
        `${who.name}: statement ${view}, file`,
        column(csv, 'Amount (USD)').reduce((all, cell) => all + micros(cell), 0n),
        books,
      );
    }
    const paper = await file(who, `/ledger/statement/pdf?month=${month}`);
    const { text } = await extractText(await getDocumentProxy(new Uint8Array(paper)), { mergePages: true });
    // Its totals are in whole cents.
    const balance = Number(await sum(who.company.id, [...VIEWS[who.kind].balance]));
    const end = usd(Math.sign(balance) * Math.round(Math.abs(balance) / 10_000) * 10_000);
    see(`${who.name}: statement PDF says ${end}`, text.includes(end) ? 1 : 0, 1n);
  }

  const [, reseller, owing, prepaying] = readers as Reader[] as [Reader, Reader, Reader, Reader];
  const sales = `and t.kind in ('lead', 'lead_return', 'platform_fee', 'monthly_fee') and t.campaign_id is not null`;
  for (const by of ['month', 'client', 'campaign', 'product'] as const) {
    const asked = `by=${by}&startDate=${new Date(app.clock.now().getTime() - 390 * DAY_MS).toISOString().slice(0, 10)}`;
    const report = await get(reseller, `/ledger/margins?${asked}`);
    const price = await sum(agency.company.id, [13], sales);
    const cost = -(await sum(agency.company.id, [10, 11], sales));
    see(`agency: margins by ${by}, price`, report.total.price_micros, price);
    see(`agency: margins by ${by}, cost`, report.total.cost_micros, cost);
    see(
      `agency: margins by ${by}, rows`,
      report.data.reduce((all: number, row: { margin_micros: number }) => all + row.margin_micros, 0),
      price - cost,
    );
    const mine = await get(readers[0]!, `/ledger/margins?${asked}`);
    see(`root: margins by ${by}`, mine.total.margin_micros, await sum(root.id, [20, 21], sales));
  }

  // Prepaid balances: the campaign's own list, its page, the client's list and the dashboard.
  for (const campaign of campaigns) {
    const balance = await sum(campaign.owner.company_id, [1], 'and t.campaign_id = $3', [campaign.id]);
    const list = await get(reseller, '/leadspeek/client/list?PerPage=100');
    see(
      'agency: campaigns, balance',
      list.data.find((row: { leadspeekID: string }) => row.leadspeekID === campaign.id).balance_micros,
      balance,
    );
    const page = await get(reseller, `/leadspeek/client/remaining-balance/${campaign.id}`);
    see('agency: remaining balance', page.balance_micros, balance);
    see(
      'agency: remaining balance, credit',
      page.granted_micros,
      await sum(campaign.owner.company_id, [1], `and t.campaign_id = $3 and t.kind = 'client_grant'`, [
        campaign.id,
      ]),
    );
    see(
      'agency: remaining balance, spent',
      page.spent_micros,
      -(await sum(
        campaign.owner.company_id,
        [1],
        `and t.campaign_id = $3 and t.kind in ('lead', 'lead_return')`,
        [campaign.id],
      )),
    );
  }
  const days = await get(prepaying, '/leadspeek/report/chart');
  const since = Temporal.PlainDate.from(days.start).toZonedDateTime(days.time_zone).epochMilliseconds;
  for (const who of [owing, prepaying]) {
    const spend = -(await sum(
      who.company.id,
      [1, 2],
      `and t.kind in ('lead', 'lead_return') and t.created_at >= $3`,
      [new Date(since)],
    ));
    const chart = await get(who, '/leadspeek/report/chart');
    see(`${who.name}: chart, total`, chart.totals.spend_micros, spend);
    see(
      `${who.name}: chart, days`,
      chart.days.reduce((all: number, one: { spend_micros: number }) => all + one.spend_micros, 0),
      spend,
    );
    const dashboard = await get(who, '/dashboard');
    see(`${who.name}: dashboard, tile`, dashboard.totals.spend_micros, spend);
    see(
      `${who.name}: dashboard, balances`,
      dashboard.campaigns.reduce(
        (all: number, one: { balance_micros: number }) => all + one.balance_micros,
        0,
      ),
      await sum(who.company.id, [1]),
    );
    const row = (await get(reseller, '/leadspeek/report/clients?PerPage=100')).data.find(
      (one: { id: string }) => one.id === who.company.id,
    );
    see(`agency: clients, balance of ${who.name}`, row.balance_micros, await sum(who.company.id, [1]));
    see(`agency: clients, spend of ${who.name}`, row.spend_30d_micros, spend);
  }

  // Invoices: lists, tiles, files, what is coming, and each invoice itself.
  for (const who of [owing, prepaying]) {
    const list = await get(who, '/billing/invoices?PerPage=100');
    const due = -(await sum(who.company.id, [3]));
    see(`${who.name}: invoices, due`, list.due_micros, due);
    const csv = (await file(who, '/export/invoices')).toString();
    see(
      `${who.name}: invoices, file`,
      column(csv, 'Due (USD)').reduce((all, cell) => all + micros(cell), 0n),
      due,
    );
    const issued = -(await sum(who.company.id, [3], `and t.kind = 'invoice'`));
    const receipts = list.data.filter((row: { kind: string }) => row.kind === 'receipt');
    if (list.total <= 100 && receipts.length === 0)
      see(`${who.name}: invoices, total`, list.total_micros, issued);
    const coming = await get(who, '/billing/upcoming');
    const open = -(await sum(who.company.id, [2]));
    const shown = coming.data.reduce(
      (all: bigint, one: { lines: { amount_micros: number; kind: string }[] }) =>
        all +
        one.lines.reduce(
          (some, line) => (line.kind === 'rounding' ? some : some + BigInt(line.amount_micros)),
          0n,
        ),
      0n,
    );
    see(`${who.name}: coming invoices`, shown, open);
  }
  see('agency: tax charged', await taxOf(app, agency.company.id), await sum(agency.company.id, [33]));

  const wallet = await get(
    reseller,
    `/configuration/agencies/prepaid/direct-payment/${agency.company.id}?date=${month}`,
  );
  const books = await sum(agency.company.id, [10]);
  see('agency: Data Wallet', micros(String(wallet.balance_amount)), books);
  see('agency: Data Wallet, chart', micros(String(wallet.days.at(-1).balance)), books);
  // Line by line, newest first: the page shows those of one month, the file shows all of them.
  const { rows: lines } = await app.admin.query(
    `select t.id, to_char(t.created_at at time zone 'America/Chicago', 'YYYY-MM') as month, sum(e.amount)::text as amount,
       sum(sum(e.amount)) over (order by t.created_at, t.id)::text as balance
     from entry e join transfer t on t.id = e.transfer_id where e.company_id = $1 and e.account_code = 10
     group by t.id order by t.created_at desc, t.id desc`,
    [agency.company.id],
  );
  const ofMonth = lines.filter((line) => line.month === month);
  see('agency: Data Wallet, lines', wallet.transaction_history.length, BigInt(Math.min(ofMonth.length, 500)));
  for (const [at, line] of wallet.transaction_history.entries()) {
    see(`agency: Data Wallet, line ${at}`, microsOf(line.amount), BigInt(ofMonth[at]?.amount ?? 0));
    see(
      `agency: Data Wallet, line ${at}, balance`,
      microsOf(line.balance),
      BigInt(ofMonth[at]?.balance ?? 0),
    );
  }
  const history = (
    await file(
      reseller,
      `/configuration/agencies/prepaid/download-transaction-history-direct-payment/${agency.company.id}/all`,
    )
  ).toString();
  for (const [title, name] of [
    ['Amount', 'amount'],
    ['Balance', 'balance'],
  ] as const) {
    const cells = column(history, title);
    see(`agency: Data Wallet, lines of the file, ${name}`, cells.length, BigInt(lines.length));
    for (const [at, cell] of cells.entries())
      see(
        `agency: Data Wallet, line ${at} of the file, ${name}`,
        microsOf(cell),
        BigInt(lines[at]?.[name] ?? 0),
      );
  }

  const mails = await compareMails(app);

  const minimum = await get(reseller, `/general/minimum-spend/${agency.company.id}`);
  const began = Temporal.PlainDate.from(minimum.month).toZonedDateTime(minimum.time_zone).epochMilliseconds;
  see(
    'agency: minimum spend, spent this month',
    minimum.spent_micros,
    -(await sum(
      agency.company.id,
      [10, 11],
      `and t.kind in ('lead', 'lead_return', 'platform_fee', 'monthly_fee', 'wallet_charge') and t.created_at >= $3`,
      [new Date(began)],
    )),
  );
  for (const past of minimum.history as { month: string; shortfall_micros: number; outcome: string }[])
    if (past.outcome === 'charged')
      see(
        `agency: minimum spend of ${past.month}`,
        past.shortfall_micros,
        -(await sum(agency.company.id, [11], 'and t.idempotency_key = $3', [
          `minimum_spend:${past.month.slice(0, 7)}:${agency.company.id}`,
        ])),
      );

  const { checks } = await auditLedger(app.admin);
  return {
    compared: found.length + mails.compared,
    differing: [
      ...mails.differing,
      ...found
        .filter((one) => one.shown !== one.ledger)
        .map(
          (one) =>
            `${one.where}: shows ${usd(Number(one.shown))}, the ledger says ${usd(Number(one.ledger))}`,
        ),
      ...checks
        .filter((check) => check.violations > 0)
        .map((check) => `audit: ${check.name}: ${check.examples[0]}`),
    ],
  };
}

/** The tax stated on an issuer's invoices, less what was credited. */
async function taxOf(app: TestApp, issuerId: string): Promise<bigint> {
  const { rows } = await app.admin.query(
    'select coalesce(sum(tax_micros), 0)::text as tax from invoice where issuer_id = $1 and credited_micros = 0',
    [issuerId],
  );
  return BigInt(rows[0].tax);
}

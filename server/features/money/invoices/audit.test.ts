import { afterAll, beforeAll, expect, test } from 'vitest';
import { inScope } from '../../../platform/db/scope.ts';
import { type TestApp, testApp } from '../../../test/app.ts';
import { auditLedger } from '../ledger/index.ts';

const USD = 1_000_000n;
let app: TestApp;

beforeAll(async () => {
  app = await testApp();
  const { make, features, clock } = app;
  const root = await make.root();
  const agency = await make.agency(root);
  await make.leadCost(agency, 600_000n);
  const client = await make.client(agency);
  const owner = { root_id: root.id, agency_id: agency.id, company_id: agency.id };
  await features.billing.accounts.sandboxAccount(owner, 'approve');
  await features.billing.accounts.sandboxCard({ ...owner, company_id: client.id }, 'works');
  const costs = { term: 'Weekly' as const, setup_micros: 20n * USD };
  const campaign = await make.campaign(client, { price: 2_000_001n, costs });
  await features.invoices.fees.sweep(root.id);
  const week = async () => {
    await features.visits.keepPartitions();
    const people = Array.from({ length: 3 }, () => make.person());
    await make.people(root, people);
    for (const { email } of people) await make.visit(campaign, { email });
    await features.leads.resolver.resolveAll();
    clock.advance(7 * 86_400_000);
    await features.invoices.close(root.id);
  };
  await week();
  await week();
  await inScope(app.platform.db.app, { rootId: root.id }, async (tx) => {
    const { id } = await tx
      .selectFrom('invoice')
      .select('id')
      .orderBy('seq')
      .limit(1)
      .executeTakeFirstOrThrow();
    const row = await features.invoices.locked(tx, id);
    await features.invoices.releaseFee(tx, row, clock.now());
  });
});
afterAll(() => app.close());

test('[PAY-04] untouched invoices hold', async () => {
  const { checks } = await auditLedger(app.admin);
  expect(checks.filter((check) => check.violations > 0)).toEqual([]);
  const { rows } = await app.admin.query(
    'select count(*)::int as n, max(fee_micros)::int as fee from invoice',
  );
  expect(rows[0]).toEqual({ n: 2, fee: 1_800_000 });
});

/** What someone with the owner's rights might do behind the invoices' back, and the invariants that it breaks. */
const tampering: [what: string, sql: string, broken: string[]][] = [
  [
    'a line is changed',
    `update invoice_line set amount_micros = amount_micros + 10000 where line = 1`,
    ['every invoice is', 'the events under'],
  ],
  ['a line is deleted', `delete from invoice_line where line = 1`, ['every invoice is']],
  [
    'a total is changed',
    `update invoice set total_micros = total_micros + 10000, subtotal_micros = subtotal_micros + 10000 where seq = 1`,
    ['every invoice is', 'every invoice has', 'what clients owe'],
  ],
  ['a fee is changed', `update invoice set fee_micros = 0 where seq = 1`, ['every invoice has']],
  [
    'an event is taken from a line',
    `delete from transfer_cover where line = 1 and side = 'retail'`,
    ['the events under', 'no event is overlooked'],
  ],
  [
    'an event is put under another line',
    `update transfer_cover set line = 2 where line = 1`,
    ['the events under'],
  ],
  [
    'an invoice is deleted',
    `delete from invoice_line where invoice_id = (select id from invoice where seq = 1); delete from invoice where seq = 1`,
    ['no invoice or credit note', 'what clients owe'],
  ],
  ['a number is left out', `update invoice_series set last = last + 1`, ['no invoice or credit note']],
  [
    'an invoice is said to be paid',
    `update invoice set paid_micros = total_micros, status = 'paid' where seq = 1`,
    ['what clients owe'],
  ],
  [
    'its status does not fit',
    `update invoice set status = 'paid' where seq = 1`,
    ['no invoice is paid', 'what clients owe'],
  ],
  [
    'a credit is invented',
    `update invoice set credited_micros = 10000 where seq = 1`,
    ['no invoice is paid', 'what clients owe'],
  ],
  [
    'what a fee was is changed',
    `update campaign_fee set retail_micros = 1 where kind = 'platform_fee'`,
    ['what the fees'],
  ],
  [
    'a mark is moved over events',
    `update billing_mark set clear_to = '9999-01-01'; delete from transfer_cover where line is not null`,
    ['the events under', 'no event is overlooked'],
  ],
];

test.each(tampering)('[PAY-04] finds that %s', async (_what, sql, broken) => {
  // In a transaction that is rolled back; the audit runs inside it.
  const { admin } = app;
  await admin.query('begin');
  try {
    await admin.query('set local session_replication_role = replica');
    await admin.query(sql);
    await admin.query('set local session_replication_role = origin');
    const inside = {
      query: (text: string, values?: unknown[]) =>
        /^begin|^rollback/.test(text) ? Promise.resolve({ rows: [] }) : admin.query(text, values as never),
    };
    const { checks } = await auditLedger(inside as never);
    const names = checks.filter((check) => check.violations > 0).map((check) => check.name);
    expect(names.map((name) => broken.find((start) => name.startsWith(start)) ?? name).sort()).toEqual(
      [...broken].sort(),
    );
  } finally {
    await admin.query('rollback');
  }
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { inScope } from '../../../platform/db/scope.ts';
import { type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';
import { auditLedger } from './index.ts';

const USD = 1_000_000n;
let app: TestApp;
let root: Company;
let agency: Company;
let campaign: MadeCampaign;

beforeAll(async () => {
  app = await testApp();
  const { make, features, clock } = app;
  root = await make.root();
  await make.root(); // Another one, for cross-root checks.
  agency = await make.agency(root);
  await make.leadCost(agency, 600_000n);
  campaign = await make.campaign(await make.client(agency), { price: 2n * USD, balance: 100n * USD });
  const topUp = (key: string) =>
    inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      features.wallet.topUp(
        tx,
        { rootId: root.id, agencyId: agency.id, amountMicros: USD, key },
        clock.now(),
      ),
    );
  const leads = async (count: number) => {
    const people = Array.from({ length: count }, () => make.person());
    await make.people(root, people);
    for (const { email } of people) await make.visit(campaign, { email });
    await features.leads.resolver.resolveAll();
  };
  await topUp('a');
  await leads(3); // One from the wallet, two owed.
  clock.advance(2 * 86_400_000);
  await features.visits.keepPartitions(4);
  await topUp('b');
  await leads(2);
  clock.advance(2 * 86_400_000);
  await features.ledger.snapshot(app.platform.db.app, root.id, clock.now());
});
afterAll(() => app.close());

const found = async (): Promise<Record<string, string[]>> =>
  Object.fromEntries(
    (await auditLedger(app.admin)).checks
      .filter((check) => check.violations > 0)
      .map((check) => [check.name, check.examples]),
  );

test('[PAY-03] an untouched ledger holds, and what was counted is told', async () => {
  expect(await found()).toEqual({});
  const { counts } = await auditLedger(app.admin);
  expect(counts).toMatchObject({ leads: 5, lots: 2, transfers: 8 });
});

test('it tells of a removed company that would go on selling', async () => {
  await app.admin.query(`update company set removed_at = '2026-03-01', name = 'Gone' where id = $1`, [
    campaign.owner.company_id,
  ]);
  const lines = (await found())['no removed company has an active campaign'];
  await app.admin.query('update company set removed_at = null where id = $1', [campaign.owner.company_id]);
  expect(lines).toEqual([expect.stringMatching(/^campaign #\d+ of Gone, removed 2026-03-01$/)]);
});

test('it writes nothing, waits for no one and keeps no one waiting', async () => {
  await inScope(app.platform.db.app, { rootId: root.id }, async (tx) => {
    await app.features.ledger.lock(tx, [], app.clock.now(), [
      app.features.wallet.account({ rootId: root.id, agencyId: agency.id }),
    ]);
    await tx.updateTable('campaign').set({ name: 'held' }).where('id', '=', campaign.id).execute();
    expect(await found()).toEqual({});
  });
});

/** What a user with the owner's rights does behind the ledger's back, and the invariants it violates. */
const tampering: [what: string, sql: string, broken: string[]][] = [
  [
    'an entry is changed',
    `update entry set amount = amount + 1 where account_code = 20 and transfer_id = (select transfer_id from lead order by id limit 1)`,
    ['every transfer has entries', 'snapshots are'],
  ],
  [
    'an entry is deleted',
    `delete from entry where account_code = 13 and transfer_id = (select transfer_id from lead order by id limit 1)`,
    ['every transfer has entries', 'snapshots are'],
  ],
  [
    'two transfers are wrong by as much, one up and one down',
    `update entry e set amount = amount + case when l.n = 1 then 1 else -1 end
     from (select transfer_id, row_number() over (order by id) as n from lead order by id limit 2) l
     where e.transfer_id = l.transfer_id and e.account_code = 20`,
    ['every transfer has entries'],
  ],
  [
    'two leads swap their transfers',
    `update lead l set transfer_id = x.other from (
       select id, coalesce(lead(transfer_id) over w, lag(transfer_id) over w) as other
       from (select id, transfer_id from lead order by id limit 2) two window w as (order by id)) x where x.id = l.id`,
    ['every lead with'],
  ],
  [
    'a whole debit is deleted',
    `with gone as (delete from entry where transfer_id = (select transfer_id from lead order by id desc limit 1) returning transfer_id)
     delete from transfer where id in (select transfer_id from gone)`,
    ['balances are', 'every lead with', 'snapshots are', 'what is left of each lot', 'what limits'],
  ],
  [
    'the entries of a transfer are deleted',
    `delete from entry where transfer_id = (select transfer_id from lead order by id desc limit 1)`,
    [
      'every transfer has entries',
      'balances are',
      'every lead with',
      'snapshots are',
      'what is left of each lot',
      'what limits',
    ],
  ],
  [
    'a balance is raised',
    `update account_balance set balance = balance + 1 where account_id = (select id from account where kind = 'client_prepaid')`,
    ['balances are'],
  ],
  [
    'a lot is raised',
    `update wallet_lot set remaining = remaining + 1 where remaining > 0`,
    ['what is left of each lot', 'lots sum'],
  ],
  [
    'an entry of a wallet forgets its lot',
    `update entry set lot_id = null where account_code = 10`,
    ['what is left of each lot', 'lots sum'],
  ],
  [
    'a lead is invented',
    `insert into lead (id, root_id, agency_id, company_id, campaign_id, match_kind, confidence, price_micros, cost_micros, created_at)
     select gen_random_uuid(), root_id, agency_id, company_id, campaign_id, 1, 98, 5, 0, created_at from lead limit 1`,
    ['every lead with'],
  ],
  ['a price is changed', `update lead set price_micros = price_micros - 1`, ['every lead with']],
  [
    'a lead is deleted',
    `delete from lead where id = (select min(id::text)::uuid from lead)`,
    ['every lead with'],
  ],
  [
    'a lead is paid twice',
    `with again as (insert into transfer (id, root_id, agency_id, company_id, kind, reference_id, campaign_id, idempotency_key, created_at)
       select gen_random_uuid(), t.root_id, t.agency_id, t.company_id, t.kind, t.reference_id, t.campaign_id, 'again', t.created_at
       from transfer t where kind = 'lead' order by id desc limit 1 returning id, reference_id, created_at)
     insert into entry select a.id, e.line, e.root_id, e.agency_id, e.company_id, e.account_id, e.amount, e.created_at, e.account_code, e.lot_id
     from again a join lead l on l.id = a.reference_id join entry e on e.transfer_id = l.transfer_id`,
    [
      'balances are',
      'every lead with',
      'no lead is paid',
      'snapshots are',
      'what is left of each lot',
      'what limits',
    ],
  ],
  [
    'a key is used twice',
    `alter table transfer drop constraint transfer_root_id_idempotency_key_key;
     update transfer set idempotency_key = 'same' where kind = 'lead'`,
    ['no key'],
  ],
  [
    'an entry crosses roots',
    `update entry set root_id = (select id from company where kind = 'root' and id <> entry.root_id) where account_code = 20`,
    ['every entry has the root', 'every entry is on an account'],
  ],
  [
    'an account is given to another root',
    `update account set root_id = (select id from company where kind = 'root' and id <> account.root_id) where kind = 'agency_revenue'`,
    ['every entry is on an account'],
  ],
  [
    'an entry is dated back',
    `update entry set created_at = created_at - interval '1 day' where account_code = 13`,
    ['every entry has the root', 'snapshots are'],
  ],
  [
    "a limit's count is lowered",
    `update spend_day set micros = micros - 1 where subject = 'wallet'`,
    ['what limits'],
  ],
  ['a count is deleted', `delete from spend_day where subject = 'client'`, ['what limits']],
  [
    'a snapshot is changed',
    `update account_snapshot set balance = balance + 1 where account_code = 20`,
    ['snapshots are'],
  ],
  [
    'a snapshot is missing among others',
    `delete from account_snapshot s where account_code = 13 and upto = (select min(upto) from account_snapshot x where x.account_code = 13)`,
    ['snapshots are'],
  ],
];

test.each(tampering)('[PAY-03] finds that %s', async (_what, sql, broken) => {
  // In a transaction that is rolled back; the audit runs inside it.
  const { admin } = app;
  await admin.query('begin');
  try {
    await admin.query(`set local session_replication_role = replica`);
    await admin.query(sql);
    await admin.query(`set local session_replication_role = origin`);
    const inside = {
      query: (text: string, values?: unknown[]) =>
        /^begin|^rollback/.test(text) ? Promise.resolve({ rows: [] }) : admin.query(text, values as never),
    };
    const { checks } = await auditLedger(inside as never);
    const names = checks.filter((check) => check.violations > 0).map((check) => check.name);
    expect(names.map((name) => broken.find((start) => name.startsWith(start)) ?? name).sort()).toEqual(
      [...broken].sort(),
    );
    for (const check of checks) expect(check.examples.length > 0).toBe(check.violations > 0);
  } finally {
    await admin.query('rollback');
  }
});

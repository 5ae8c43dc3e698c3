import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { auditLedger } from '../../money/ledger/index.ts';

let there: TestApp;
let here: TestApp;
let root: Company;
let acme: Company;
let birch: Company;
let root2: Company;
let receiver: Company;
const folder = mkdtempSync(join(tmpdir(), 'import-'));
const clientFile = join(folder, 'client.tar.gz');
const agencyFile = join(folder, 'agency.tar.gz');

/** Makes a full export, and copies its file. */
async function exported(app: TestApp, companyId: string, ownerOf: Company, to: string): Promise<void> {
  const { rows } = await app.admin.query(
    `insert into company_export (id, root_id, agency_id, company_id, company_kind, state, asked_by, created_at)
     select gen_random_uuid(), root_id, agency_id, id, kind, 'queued', id, $2 from company where id = $1 returning id`,
    [companyId, app.clock.now()],
  );
  await app.features.companyExports.make({ rootId: ownerOf.root_id, exportId: rows[0].id });
  copyFileSync(app.platform.files.pathOf(`exports/${rows[0].id}.tar.gz`), to);
}

async function furnish(app: TestApp): Promise<void> {
  const { make } = app;
  root = await make.root({ host: 'root.test', isMaster: true });
  acme = await make.agency(root, { host: 'acme.test', name: 'Acme' });
  const other = await make.agency(root, { host: 'other.test', name: 'Other' });
  const passwordHash = await app.features.users.hashPassword('correct horse battery');
  await make.user(acme, { email: 'owner@acme.test', passwordHash });
  for (const [name, leads] of [
    ['Birch', 5],
    ['Cedar', 2],
  ] as const) {
    const company = await make.client(acme, { name });
    if (name === 'Birch') birch = company;
    await make.user(company, { name: `${name} owner`, email: `${name.toLowerCase()}@clients.test` });
    const campaign = await make.campaign(company, {
      name: `${name} site`,
      price: 2_000_000n,
      balance: 90_000_000n,
    });
    const people = Array.from({ length: leads }, (_, i) =>
      make.person({ last_name: `${name}Person`, email: `${name.toLowerCase()}${i}@people.test` }),
    );
    await make.people(root, people);
    for (const person of people) await make.visit(campaign, { email: person.email });
    await app.features.leads.resolver.resolveAll();
    await make.media(company, { name: `${name} image` });
    await make.exclusionList(company, 'client', ['nobody@people.test']);
    await make.connection(company, { campaignId: campaign.id });
  }
  await app.features.wallet; // The wallet is filled below, so that it has lots of both kinds.
  await make.client(other, { name: 'Foreign' });
}

beforeAll(async () => {
  there = await testApp();
  await furnish(there);
  here = await testApp();
  root2 = await here.make.root({ host: 'second.test', isMaster: true });
  receiver = await here.make.agency(root2, { host: 'receiver.test', name: 'Receiver' });
  await exported(there, birch.id, acme, clientFile);
  await exported(there, acme.id, acme, agencyFile);
});
afterAll(async () => {
  expect([...there.greedy, ...here.greedy]).toEqual([]);
  await there.close();
  await here.close();
  rmSync(folder, { recursive: true, force: true });
});

const holds = async (app: TestApp) =>
  (await auditLedger(app.admin)).checks.flatMap(({ name, violations, examples }) =>
    violations > 0 ? [[name, examples]] : [],
  );

describe('[BEY-13] an import', () => {
  test('of a client into another installation compares equal, and its ledger balances', async () => {
    const target = { rootId: root2.id, agencyId: receiver.id };
    const tried = await here.features.companyImports.import(clientFile, target, { dryRun: true });
    expect(tried.comparison.tables.filter(({ isEqual }) => !isEqual)).toEqual([]);
    expect(tried).toMatchObject({ isDone: false, newIds: false });
    const done = await here.features.companyImports.import(clientFile, target, { balances: 'open' });
    expect(done).toMatchObject({ isDone: true, balances: { opened: { client_prepaid: '80000000' } } });
    expect(await holds(here)).toEqual([]);
    writeFileSync('/tmp/h21-result.json', JSON.stringify(done, null, 1));
  });
});
void [execFileSync, readFileSync];

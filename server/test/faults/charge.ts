import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createApp } from '../../app.ts';
import { auditLedger } from '../../features/money/ledger/index.ts';
import { loadConfig } from '../../platform/config.ts';
import { provisionLogins } from '../../platform/db/connect.ts';
import { inScope } from '../../platform/db/scope.ts';
import { newId } from '../../platform/ids.ts';
import { createFactories } from '../factories.ts';
import { TEST_PURPOSE, walletPurpose } from '../wallet-purpose.ts';
import type { FaultRun } from './harness.ts';

const STEPS = ['before intent', 'intent', 'claimed', 'answer', 'posting'] as const;

/** The state of the books after the kills, and after everything left open was resolved. */
export interface ChargeReport {
  /** Processes that were actually killed by the signal. */
  killed: number;
  /** Charges that were open after a kill. */
  open: number;
  /** Charges that are still open after everything was looked up. */
  unresolved: number;
  /** Cents according to the card network, our charges, and the ledger: the wallet plus what is paid on invoices. */
  network: number;
  charges: number;
  ledger: number;
  /** Charges that were not made exactly once, after each was asked for once more. */
  wrong: string[];
  /** What the audit finds in the books. */
  broken: string[];
}

/** A charge to be killed: what the process is told, and how the charge is requested again. */
interface Victim {
  told: object;
  again: () => Promise<unknown>;
  /** How many charges resulted from it; one is correct. */
  count: () => Promise<number>;
}

/**
 * Runs kill -9 in the middle of a charge, at every step in turn: of a wallet top-up, and of a client's invoice. Then
 * another process takes over, and the payer tries again.
 */
export async function killInCharge(databaseUrl: string, { kills, log }: FaultRun): Promise<ChargeReport> {
  const folder = mkdtempSync(join(tmpdir(), 'lead-charge-'));
  const env = {
    DATA_DIR: folder,
    DATABASE_URL: databaseUrl,
    SEED: 'none',
    LOG_LEVEL: 'silent',
    ROLES: 'worker',
  };
  const config = loadConfig(env);
  // The process that takes over starts 20 s later.
  const later = { now: () => new Date(Temporal.Now.instant().epochMilliseconds + 20_000) };
  const app = await createApp({
    config: { ...config, roles: [] },
    urls: await provisionLogins(databaseUrl, config.appKey),
    clock: later,
  });
  const children = new Set<ChildProcess>();
  const admin = new pg.Client({ connectionString: databaseUrl });
  await admin.connect();
  const number = async (text: string, values: unknown[] = []): Promise<number> =>
    Number(Object.values((await admin.query(text, values)).rows[0])[0]);
  try {
    const { features, platform } = app;
    // It runs no jobs, but billing may enqueue some.
    await platform.jobs.start();
    const { payments } = features;
    payments.charges.onSettled(TEST_PURPOSE, walletPurpose(features.wallet));
    const make = createFactories(features, platform);
    const root = await make.root();
    const agency = await make.agency(root);
    const owner = { root_id: agency.root_id, agency_id: agency.id, company_id: agency.id };
    await payments.sandbox.card(owner, 'works');
    await features.billing.accounts.sandboxAccount(owner, 'approve');
    const report: ChargeReport = {
      killed: 0,
      open: 0,
      unresolved: 0,
      network: 0,
      charges: 0,
      ledger: 0,
      wrong: [],
      broken: [],
    };
    const topUp = async (key: string): Promise<Victim> => {
      const ask = { owner, purpose: TEST_PURPOSE, referenceId: agency.id, key, description: 'Fault' };
      return {
        told: { charge: { ...ask, amountMicros: '1000000' } },
        again: () => payments.charges.charge({ ...ask, amountMicros: 1_000_000n }),
        count: () => number('select count(*) from charge where idempotency_key = $1', [key]),
      };
    };
    const invoice = async (key: string): Promise<Victim> => {
      const client = await make.client(agency);
      const campaign = await make.campaign(client, { costs: { term: 'Monthly' } });
      // No card yet: otherwise the first charge would be written along with the invoice.
      const bill = await inScope(platform.db.app, { rootId: root.id }, async (tx) => {
        const at = later.now();
        const of = { rootId: root.id, agencyId: agency.id, clientId: client.id, campaignId: campaign.id };
        const lead = { id: newId(at), ...of, priceMicros: 1_000_000n, costMicros: 0n, isOwed: true };
        await features.billing.sellLeads(tx, [lead], at);
        return features.invoices.bill(
          tx,
          {
            owner: campaign.owner,
            side: 'retail',
            kind: 'to_date',
            term: null,
            periodKey: key,
            from: null,
            to: null,
            events: { before: new Date('9999-01-01'), cycle: null },
          },
          at,
        );
      });
      // The audit also needs the lead.
      await admin.query(
        `insert into lead (id, root_id, agency_id, company_id, campaign_id, match_kind, confidence, price_micros, cost_micros, transfer_id, created_at)
         select reference_id, root_id, agency_id, company_id, campaign_id, 1, 98, 1000000, 0, id, created_at from transfer
         where company_id = $1 and kind = 'lead'`,
        [client.id],
      );
      await payments.sandbox.card({ ...owner, company_id: client.id }, 'works');
      return {
        told: { invoice: { rootId: root.id, id: bill!.id } },
        again: () => features.dunning.collector.charge(root.id, bill!.id),
        count: () =>
          number(`select count(*) from charge where reference_id = $1 and state = 'succeeded'`, [bill!.id]),
      };
    };
    // The next processes start up while one is in use.
    const start = async (): Promise<ChildProcess> => {
      const child = fork(join(import.meta.dirname, 'charge-process.ts'), {
        env: { ...process.env, ...env },
        silent: true,
      });
      children.add(child);
      child.once('exit', () => children.delete(child));
      await once(child, 'message');
      return child;
    };
    const ready = Array.from({ length: Math.min(kills, 2) }, start);
    for (let kill = 0; kill < kills; kill++) {
      const key = `charge-${kill}`;
      const victim = await (Math.floor(kill / STEPS.length) % 2 ? invoice(key) : topUp(key));
      const child = await ready.shift()!;
      if (kill + ready.length + 1 < kills) ready.push(start());
      const ended = new Promise((done) => child.once('exit', (_code, by) => done(by)));
      child.send({ step: STEPS[kill % STEPS.length], ...victim.told });
      const signal = await ended;
      if (signal === 'SIGKILL') report.killed++;
      report.open += await number(
        `select count(*) from charge where state in ('intended', 'sent', 'unknown')`,
      );
      await payments.askDue();
      await victim.again();
      if ((await victim.count()) !== 1) report.wrong.push(key);
      log?.(`kill ${kill + 1} of ${kills} (${STEPS[kill % STEPS.length]}): ${String(signal)}`);
    }
    report.unresolved = await number(
      `select count(*) from charge where state in ('intended', 'sent', 'unknown')`,
    );
    const { gateway } = payments;
    const { rows: accounts } = await admin.query('select distinct account from charge');
    for (const { account } of accounts)
      report.network += (await gateway.listCharges({ since: new Date(0), ...(account ? { account } : {}) }))
        .filter((one) => one.status === 'succeeded')
        .reduce((sum, one) => sum + one.amountCents, 0);
    report.charges = await number(
      `select coalesce(sum(amount_cents), 0) from charge where state = 'succeeded'`,
    );
    report.ledger = await number(
      `select (coalesce((select sum(amount) from entry where account_code = 10 and company_id = $1), 0)
         + coalesce((select sum(paid_micros) from invoice), 0)) / 10000`,
      [agency.id],
    );
    const { checks } = await auditLedger(admin);
    report.broken = checks.filter((check) => check.violations > 0).map((check) => check.name);
    return report;
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await admin.end();
    await app.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createApp } from '../../app.ts';
import { loadConfig } from '../../platform/config.ts';
import { provisionLogins } from '../../platform/db/connect.ts';
import { createFactories } from '../factories.ts';
import { TEST_PURPOSE, walletPurpose } from '../wallet-purpose.ts';
import type { FaultRun } from './harness.ts';

const STEPS = ['before intent', 'intent', 'claimed', 'answer', 'posting'] as const;

/** What stood in the books after the kills, and after what was left open was asked for. */
export interface ChargeReport {
  /** Processes that really ended by the signal. */
  killed: number;
  /** Charges that were open after a kill. */
  open: number;
  /** Charges that are open after all was asked for. */
  unresolved: number;
  /** Cents by the card network, by our charges, and by the ledger's wallet. */
  network: number;
  charges: number;
  ledger: number;
  /** Keys with more or less than one charge, after each was asked for once more. */
  wrong: string[];
}

/** kill -9 in the middle of a charge, at every step in turn; then another process takes over, and the payer asks again. */
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
  // The one who takes over comes 20 s later.
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
    const { payments } = features;
    payments.charges.onSettled(TEST_PURPOSE, walletPurpose(features.wallet));
    const make = createFactories(features, platform);
    const agency = await make.agency(await make.root());
    const owner = { root_id: agency.root_id, agency_id: agency.id, company_id: agency.id };
    await payments.sandbox.card(owner, 'works');
    const report: ChargeReport = {
      killed: 0,
      open: 0,
      unresolved: 0,
      network: 0,
      charges: 0,
      ledger: 0,
      wrong: [],
    };
    // The next ones get ready while one is used up.
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
      const ask = {
        owner,
        purpose: TEST_PURPOSE,
        referenceId: agency.id,
        key,
        description: 'Fault',
      };
      const child = await ready.shift()!;
      if (kill + ready.length + 1 < kills) ready.push(start());
      const ended = new Promise((done) => child.once('exit', (_code, by) => done(by)));
      child.send({ step: STEPS[kill % STEPS.length], ask: { ...ask, amountMicros: '1000000' } });
      const signal = await ended;
      if (signal === 'SIGKILL') report.killed++;
      report.open += await number(
        `select count(*) from charge where state in ('intended', 'sent', 'unknown')`,
      );
      await payments.askDue();
      await payments.charges.charge({ ...ask, amountMicros: 1_000_000n });
      if ((await number('select count(*) from charge where idempotency_key = $1', [key])) !== 1)
        report.wrong.push(key);
      log?.(`kill ${kill + 1} of ${kills} (${STEPS[kill % STEPS.length]}): ${String(signal)}`);
    }
    report.unresolved = await number(
      `select count(*) from charge where state in ('intended', 'sent', 'unknown')`,
    );
    const { gateway } = payments;
    report.network = (await gateway.listCharges({ since: new Date(0) }))
      .filter((one) => one.status === 'succeeded')
      .reduce((sum, one) => sum + one.amountCents, 0);
    report.charges = await number(
      `select coalesce(sum(amount_cents), 0) from charge where state = 'succeeded'`,
    );
    report.ledger = await number(
      'select coalesce(sum(amount), 0) / 10000 from entry where account_code = 10 and company_id = $1',
      [agency.id],
    );
    return report;
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await admin.end();
    await app.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

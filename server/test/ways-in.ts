import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import type { TestApp } from './app.ts';

/** Fetches a captcha and solves it, as the page does; returns the gtoken. */
export async function solveCaptcha(app: TestApp, host: string): Promise<string> {
  const { body } = await app.call('GET', '/api/general/captcha', { host });
  const challenge = body as unknown as Parameters<typeof solveChallenge>[0]['challenge'];
  const solution = await solveChallenge({ challenge, deriveKey });
  return Buffer.from(JSON.stringify({ challenge, solution })).toString('base64');
}

/** The emails to an address, newest first, with their bodies. Emails that a job has to create are created first. */
export async function mailsTo(app: TestApp, rootId: string, address: string) {
  const { rows } = await app.admin.query(
    `update pgboss.job set state = 'completed' where name = 'access.reset' and state = 'created' returning data`,
  );
  for (const { data } of rows) await app.features.auth.entry.sendReset(data);
  const all = await app.features.mail.outbox({ rootId }, 500);
  return all.filter((mail) => mail.to_address === address);
}

/** The code in the newest code email to an address. */
export async function codeFor(app: TestApp, rootId: string, address: string): Promise<string> {
  const [newest] = (await mailsTo(app, rootId, address)).filter((mail) => mail.kind === 'login.code');
  const code = /^\d{6}$/m.exec(newest?.body?.text ?? '')?.[0];
  if (!code) throw new Error(`No code was sent to ${address}`);
  return code;
}

/** The path and query of the link in an email. */
export function linkIn(mail: { body: { text: string } | null } | undefined): { url: URL; token: string } {
  const url = new URL(/https?:\/\/\S+/.exec(mail?.body?.text ?? '')?.[0] ?? 'none:');
  return { url, token: url.pathname.split('/').at(-1) ?? '' };
}

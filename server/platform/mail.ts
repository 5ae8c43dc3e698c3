import { z } from 'zod';
import type { Clock } from './clock.ts';
import type { Vault } from './crypto.ts';
import type { Database } from './db/connect.ts';
import { deleteMails, insertMail, markMail, newestMails, pageOfMails, queuedMail } from './db/mail-store.ts';
import type { Owner } from './db/owner.ts';
import { inScope, type Scope, type Tx } from './db/scope.ts';
import { newId } from './ids.ts';
import { defineJob, type Jobs } from './jobs.ts';
import { mailName } from './mail-name.ts';

/** What a mail says, in both forms. */
export interface MailText {
  subject: string;
  text: string;
  html: string;
  /** A picture that the HTML shows as cid:logo; it travels with the mail, so that nothing is loaded from anywhere. */
  logo?: { bytes: Buffer; type: string } | undefined;
  /** A file that travels with it; at rest it is sealed with the body, and forgotten with it. */
  file?: { name: string; type: string; text: string } | undefined;
}

/** A mail's body at rest. */
interface SealedBody {
  text: string;
  html: string;
  logo?: { base64: string; type: string };
  file?: MailText['file'];
}

/** A mail as it is kept, without what it says. */
export type KeptMail = Awaited<ReturnType<typeof pageOfMails>>['rows'][number];

interface Party {
  name: string;
  address: string;
}

/** A mail as it goes to the server. */
export interface OutgoingMail extends MailText {
  id: string;
  from: Party;
  to: Party;
  at: Date;
}

/** The way out for mails. */
export interface MailTransport {
  /** Whether a mail server takes the mail over; else the outbox is where it stays. */
  takesOver: boolean;
  /**
   * Answers what the server said. Throws MailRefused when trying again is of no use, any other error when it may be.
   */
  send(mail: OutgoingMail): Promise<string | undefined>;
}

/** The mail server will not take this mail, now or later. */
export class MailRefused extends Error {
  override name = 'MailRefused';
}

/** Without a mail server: the outbox in the database is the mailbox. */
export const outboxOnly: MailTransport = { takesOver: false, send: async () => undefined };

/** A tenant's own mail server, and from whom its mails are there (name empty: as they were written). */
export interface OwnServer {
  transport: MailTransport;
  from: { name: string; address: string };
}
/** The mail server that the tenant at a host has set; null: none. Throws where it cannot be spoken to at all. */
export type OwnServerOf = (rootId: string, host: string) => Promise<OwnServer | null>;

const TRIES = 8;
/** So often a tenant's own server is tried; then the platform's takes over, so that nobody is locked out by a wrong setting. */
const OWN_TRIES = 3;
const sendMail = defineJob('mail.send', z.object({ rootId: z.uuid(), mailId: z.uuid() }), {
  retryLimit: 50,
  retryDelay: 5,
  retryBackoff: true,
  retryDelayMax: 900,
  expireInSeconds: 120,
});

/** One line, whatever came in: no control character reaches a header. */
const line = (text: string): string =>
  text
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, 255);

const atRest = ({ text, html, logo, file }: MailText): SealedBody => ({
  text,
  html,
  ...(file ? { file } : {}),
  ...(logo ? { logo: { base64: logo.bytes.toString('base64'), type: logo.type } } : {}),
});

export type Mail = ReturnType<typeof createMail>;

/**
 * Mails in the name of tenants. A mail is written to the outbox by the transaction that causes it and sent by a job, so
 * it goes out if and only if its cause happened. `from` overrides the sender's address for every tenant but those with a
 * mail server of their own (`ownServer`).
 */
export function createMail(
  { db, clock, vault, jobs }: { db: Database; clock: Clock; vault: Vault; jobs: Jobs },
  transport: MailTransport,
  from?: string,
  ownServer: OwnServerOf = async () => null,
) {
  return {
    /** Puts a mail of the tenant called `sender` at `host` into the outbox. `kind` says what it is, for the list. */
    async enqueue(
      tx: Tx,
      mail: MailText & { kind: string; owner: Owner; to: Party; sender: { name: string; host: string } },
    ): Promise<string> {
      const at = clock.now();
      const id = newId(at);
      if (!z.email().safeParse(mail.to.address).success)
        throw new Error('An email needs a recipient address');
      await insertMail(tx, {
        id,
        root_id: mail.owner.root_id,
        agency_id: mail.owner.agency_id,
        company_id: mail.owner.company_id,
        kind: mail.kind,
        to_address: mail.to.address,
        to_name: line(mailName(mail.to.name)),
        from_address: from ?? `no-reply@${mail.sender.host}`,
        from_name: line(mail.sender.name),
        subject: line(mail.subject),
        sender_host: mail.sender.host,
        body_sealed: vault.seal(JSON.stringify(atRest(mail)), 'mail.body'),
        created_at: at,
      });
      await jobs.send(tx, sendMail, [{ rootId: mail.owner.root_id, mailId: id }]);
      return id;
    },

    /** Sends one mail, if nobody has yet. Throws when another try makes sense. */
    async send({ rootId, mailId }: { rootId: string; mailId: string }): Promise<void> {
      // No transaction is held while the server is spoken to. A job that was given to two workers may send twice, under
      // one message id.
      const row = await inScope(db.app, { rootId }, (tx) => queuedMail(tx, mailId));
      if (!row) return;
      const attempts = row.attempts + 1;
      const mark = (to: Parameters<typeof markMail>[2]) =>
        inScope(db.app, { rootId }, (tx) => markMail(tx, mailId, to));
      const { logo, ...body } = JSON.parse(vault.open(row.body_sealed ?? '', 'mail.body')) as SealedBody;
      let own: OwnServer | null = null;
      try {
        if (row.sender_host && attempts <= OWN_TRIES) own = await ownServer(rootId, row.sender_host);
        await (own?.transport ?? transport).send({
          id: row.id,
          from: own
            ? { ...own.from, name: own.from.name || row.from_name }
            : { name: row.from_name, address: row.from_address },
          to: { name: row.to_name, address: row.to_address },
          subject: row.subject,
          at: row.created_at,
          ...body,
          ...(logo ? { logo: { bytes: Buffer.from(logo.base64, 'base64'), type: logo.type } } : {}),
        });
      } catch (error) {
        // What the tenant's own server does not take the platform's is asked to take in the end.
        const over = !own && (error instanceof MailRefused || attempts >= TRIES);
        await mark({
          state: over ? 'failed' : 'queued',
          attempts,
          last_error: line(String(error)),
          sent_at: null,
          keepBody: !over,
        });
        if (over) return;
        throw error;
      }
      const { takesOver } = own?.transport ?? transport;
      await mark({
        state: takesOver ? 'sent' : 'kept',
        attempts,
        last_error: null,
        sent_at: clock.now(),
        keepBody: !takesOver,
        ...(own ? { from: { ...own.from, name: own.from.name || row.from_name } } : {}),
      });
    },

    /** The newest mails of a scope, their bodies opened where they are still kept. */
    outbox: (scope: Scope, limit = 50) =>
      inScope(db.app, scope, async (tx) =>
        (await newestMails(tx, limit)).map(({ body_sealed, ...row }) => ({
          ...row,
          body: body_sealed ? (JSON.parse(vault.open(body_sealed, 'mail.body')) as SealedBody) : null,
        })),
      ),

    /** A page of the mails of a scope, newest first. */
    page: (scope: Scope, asked: { search?: string | undefined; limit: number; offset: number }) =>
      inScope(db.app, scope, (tx) => pageOfMails(tx, asked)),

    /** A mail of a scope and what it says; body null: a mail server has it. Undefined: the scope has no such mail. */
    async opened(scope: Scope, id: string): Promise<{ row: KeptMail; body: SealedBody | null } | undefined> {
      const { rows } = await inScope(db.app, scope, (tx) => pageOfMails(tx, { id, limit: 1, offset: 0 }));
      const [row] = rows;
      if (!row) return undefined;
      const { body_sealed } = row;
      return {
        row,
        body: body_sealed ? (JSON.parse(vault.open(body_sealed, 'mail.body')) as SealedBody) : null,
      };
    },

    /** Forgets the mails of a root from before a moment, but for those that still wait. */
    forget: (rootId: string, before: Date) => inScope(db.app, { rootId }, (tx) => deleteMails(tx, before)),

    /** Starts sending. */
    start(): Promise<void> {
      return jobs.work(
        sendMail,
        { localConcurrency: 4, pollingIntervalSeconds: 2, notifyPollingIntervalSeconds: 2 },
        (payload) => this.send(payload),
      );
    },
  };
}

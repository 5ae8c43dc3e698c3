import { z } from 'zod';
import type { Clock } from './clock.ts';
import type { Vault } from './crypto.ts';
import type { Database } from './db/connect.ts';
import {
  countMails,
  deleteMails,
  insertMail,
  markMail,
  newestMails,
  pageOfMails,
  queuedMail,
} from './db/mail-store.ts';
import type { Owner } from './db/owner.ts';
import { inScope, type Scope, type Tx } from './db/scope.ts';
import { newId } from './ids.ts';
import { defineJob, type Jobs } from './jobs.ts';
import { mailName } from './mail-name.ts';

/** The body of an email, in both forms. */
export interface MailText {
  subject: string;
  text: string;
  html: string;
  /**
   * An image that the HTML shows as cid:logo; it is attached to the email, so that nothing is loaded from external
   * sources.
   */
  logo?: { bytes: Buffer; type: string } | undefined;
  /**
   * An attached file; it is stored sealed with the body and deleted with it. `isBase64`: its text is that of its bytes.
   */
  file?: { name: string; type: string; text: string; isBase64?: true } | undefined;
  /** Where its recipient stops such emails with one click, by a POST (RFC 8058). */
  unsubscribe?: string | undefined;
}

/** An email's body as stored. */
interface SealedBody {
  text: string;
  html: string;
  logo?: { base64: string; type: string };
  file?: MailText['file'];
  unsubscribe?: string;
}

/** A mail as it is kept, without what it says. */
export type KeptMail = Awaited<ReturnType<typeof pageOfMails>>['rows'][number];

interface Party {
  name: string;
  address: string;
}

/** An email as it is sent to the server. */
export interface OutgoingMail extends MailText {
  id: string;
  from: Party;
  to: Party;
  at: Date;
}

/** How emails are sent. */
export interface MailTransport {
  /** Whether emails are handed to a mail server; if not, they stay in the outbox. */
  takesOver: boolean;
  /** Returns what the server said. Throws MailRefused if retrying is pointless, any other error if it may help. */
  send(mail: OutgoingMail): Promise<string | undefined>;
}

/** The mail server will not accept this email, now or later. */
export class MailRefused extends Error {
  override name = 'MailRefused';
}

/** Without a mail server, the outbox in the database is the mailbox. */
export const outboxOnly: MailTransport = { takesOver: false, send: async () => undefined };

/** A tenant's own mail server and the sender it uses (empty name: the email's own sender name). */
export interface OwnServer {
  transport: MailTransport;
  from: { name: string; address: string };
}
/** The mail server set by the tenant at a host; null if there is none. Throws if it cannot be reached at all. */
export type OwnServerOf = (rootId: string, host: string) => Promise<OwnServer | null>;

const TRIES = 8;
/**
 * How many times a tenant's own server is tried before the platform's takes over, so that a wrong setting locks no one
 * out.
 */
const OWN_TRIES = 3;
/** Emails sent at the same time in this process; of those of one sender, one on each of its lanes. */
const AT_ONCE = 32;
const LANES = 4;

/**
 * The lane of an email. A sender's mail server may take as long as it likes to answer, and one sender may have thousands
 * of emails waiting: neither keeps more of the slots than the sender has lanes.
 */
const laneOf = (senderHost: string, mailId: string): string =>
  `${senderHost}:${Number.parseInt(mailId.slice(-2), 16) % LANES}`;

const sendMail = defineJob('mail.send', z.object({ rootId: z.uuid(), mailId: z.uuid() }), {
  retryLimit: 50,
  retryDelay: 5,
  retryBackoff: true,
  retryDelayMax: 900,
  expireInSeconds: 120,
});

/** A single line, whatever the input: no control character reaches a header. */
const line = (text: string): string =>
  text
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, 255);

const atRest = ({ text, html, logo, file, unsubscribe }: MailText): SealedBody => ({
  text,
  html,
  ...(file ? { file } : {}),
  ...(unsubscribe ? { unsubscribe } : {}),
  ...(logo ? { logo: { base64: logo.bytes.toString('base64'), type: logo.type } } : {}),
});

export type Mail = ReturnType<typeof createMail>;

/**
 * Emails sent on behalf of tenants. An email is written to the outbox by the transaction that causes it and sent by a
 * job, so it goes out if and only if its cause happened. `from` overrides the sender's address for every tenant except
 * those with a mail server of their own (`ownServer`).
 */
export function createMail(
  { db, clock, vault, jobs }: { db: Database; clock: Clock; vault: Vault; jobs: Jobs },
  transport: MailTransport,
  from?: string,
  ownServer: OwnServerOf = async () => null,
) {
  return {
    /**
     * Puts an email from the tenant called `sender` at `host` into the outbox. `kind` says what it is, for the list. `id`:
     * of an email that is sent once, however often the work that causes it runs. `serverOf`: the host whose mail server
     * sends it, where the sender's own must not see what it says.
     */
    async enqueue(
      tx: Tx,
      mail: MailText & {
        id?: string | undefined;
        kind: string;
        owner: Owner;
        to: Party;
        sender: { name: string; host: string };
        serverOf?: string;
      },
    ): Promise<string> {
      const at = clock.now();
      const id = mail.id ?? newId(at);
      if (!z.email().safeParse(mail.to.address).success)
        throw new Error('An email needs a recipient address');
      const isNew = await insertMail(tx, {
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
        sender_host: mail.serverOf ?? mail.sender.host,
        body_sealed: vault.seal(JSON.stringify(atRest(mail)), 'mail.body'),
        created_at: at,
      });
      if (!isNew) return id;
      await jobs.send(tx, sendMail, [{ rootId: mail.owner.root_id, mailId: id }], {
        group: ({ mailId }) => laneOf(mail.sender.host, mailId),
      });
      return id;
    },

    /** Whether emails from a host are kept in the outbox, since neither the platform nor the tenant has a mail server. */
    isKept: async (rootId: string, host: string): Promise<boolean> =>
      transport === outboxOnly && (await ownServer(rootId, host)) === null,

    /** Sends one email unless it has been sent already. Throws if a retry makes sense. */
    async send({ rootId, mailId }: { rootId: string; mailId: string }): Promise<void> {
      // No transaction is held while talking to the server. A job that was given to two workers may send twice, under
      // one message id.
      const row = await inScope(db.app, { rootId }, (tx) => queuedMail(tx, mailId));
      if (!row) return;
      const attempts = row.attempts + 1;
      const mark = (to: Parameters<typeof markMail>[2]) =>
        inScope(db.app, { rootId }, (tx) => markMail(tx, mailId, to));
      const { logo, ...body } = JSON.parse(vault.open(row.body_sealed ?? '', 'mail.body')) as SealedBody;
      let own: OwnServer | null = null;
      try {
        if (row.sender_host && attempts <= OWN_TRIES && !row.is_test)
          own = await ownServer(rootId, row.sender_host);
        await (row.is_test ? outboxOnly : (own?.transport ?? transport)).send({
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
        // Emails that the tenant's own server rejects are eventually sent through the platform's.
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
      const { takesOver } = row.is_test ? outboxOnly : (own?.transport ?? transport);
      await mark({
        state: takesOver ? 'sent' : 'kept',
        attempts,
        last_error: null,
        sent_at: clock.now(),
        keepBody: !takesOver,
        ...(own ? { from: { ...own.from, name: own.from.name || row.from_name } } : {}),
      });
    },

    /** The newest emails of a scope, with their bodies decrypted if they are still kept. */
    outbox: (scope: Scope, limit = 50) =>
      inScope(db.app, scope, async (tx) =>
        (await newestMails(tx, limit)).map(({ body_sealed, ...row }) => ({
          ...row,
          body: body_sealed ? (JSON.parse(vault.open(body_sealed, 'mail.body')) as SealedBody) : null,
        })),
      ),

    /** A page of the emails of a scope, newest first. */
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

    /** Counts, and deletes, emails of a root's scope from before a given time, except those that are still waiting. */
    countOld: countMails,
    forget: deleteMails,

    /** Starts sending. */
    start(): Promise<void> {
      return jobs.workTogether(sendMail, { atOnce: AT_ONCE }, (payload) => this.send(payload));
    },
  };
}

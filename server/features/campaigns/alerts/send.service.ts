import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { tellsOfLeads } from '../../../../contract/campaigns/alert-rules.ts';
import { EXAMPLE_SCORE } from '../../../../contract/campaigns/scores.ts';
import { outcomeOf, vendorWords } from '../../../integrations/index.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import type { Mail } from '../../../platform/mail.ts';
import { layOut } from '../../../platform/mail-layout.ts';
import { mailName } from '../../../platform/mail-name.ts';
import { type Outbound, OutboundError } from '../../../platform/outbound.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Users } from '../../accounts/users/index.ts';
import type { Notices } from '../../money/ledger/index.ts';
import type { Connections } from '../connections/index.ts';
import { ANSWER_BYTES, signedHeaders, TIMEOUT_MS } from '../delivery/index.ts';
import type { Leads } from '../leads/index.ts';
import { nextAttempt, pathOf, type Told, wordsOf } from './policy.ts';
import { enqueueMessages, type messageJob } from './queue.ts';
import * as store from './store.ts';

export const SECRET = 'alert.webhook';
/** How many events a message spells out; the others are behind its link. */
const MOST_SPELLED = 10;
/** How many events of a batch are read, and sent to a webhook; of the others a message says how many there are. */
const MOST_SENT = 100;

/** What came of an attempt; `error` null: it arrived. */
interface Outcome {
  error: string | null;
  isFinal: boolean;
  afterMs?: number | undefined;
  /** The vendor refuses the credentials of a connection. */
  broken?: { connectionId: string; why: string };
}
const failed = (error: string): Outcome => ({ error, isFinal: true });

/** A message that was made ready, to be sent outside of any transaction. */
type Ready = { send: () => Promise<Outcome> } | { outcome: Outcome };

/** Sends the messages of alerts: one attempt at a time, each recorded. */
export function createAlertSender(
  { db, clock, vault, jobs }: Platform,
  deps: {
    users: Users;
    notices: Notices;
    mail: Mail;
    outbound: Outbound;
    connections: Connections;
    leads: Leads;
  },
) {
  const { users, notices, mail, outbound, connections, leads } = deps;
  type Sender = Awaited<ReturnType<Notices['sender']>>;

  /** What a message is about; people who were excluded or erased since are left out. */
  async function toldBy(tx: Tx, row: store.MessageRow) {
    if (row.is_test) {
      const { trigger } = (await store.anyAlert(tx, row.alert_id))!;
      const told = tellsOfLeads(trigger) ? EXAMPLE : EXAMPLE_CUSTOMER;
      return [{ told, at: row.created_at, lead: null }];
    }
    const events = await store.eventsOf(tx, row.batch_id, MOST_SENT);
    const ids = [...new Set(events.flatMap(({ lead_id }) => lead_id ?? []))];
    const withheld = await leads.withheldIn(tx, row.root_id, ids);
    const known = await leads.message(
      tx,
      ids.filter((id) => !withheld.has(id)),
    );
    return events.flatMap(({ lead_id, kind, count, at, page, customer, customer_campaign }) => {
      if (kind === 'customer') {
        if (customer === null) return [];
        const person = { name: customer, job: '', place: '' };
        const of = { campaign: customer_campaign ?? '', score: null, page: pathOf(page) };
        return [{ told: { kind, count: null, person, ...of } satisfies Told, at, lead: null }];
      }
      const lead = lead_id === null ? null : known.get(lead_id);
      if (lead === undefined) return [];
      const told: Told = {
        kind,
        count,
        person: lead && {
          name: mailName(
            [lead.person.first_name, lead.person.last_name].filter(Boolean).join(' ') ||
              (lead.match.type === 'company' && lead.person.company_name) ||
              'A person',
          ),
          job:
            lead.match.type === 'company'
              ? 'A company without a person'
              : [lead.person.job_title, lead.person.company_name].filter(Boolean).join(', '),
          place: [lead.person.city, lead.person.state].filter(Boolean).join(', '),
        },
        campaign: lead?.campaign.name ?? '',
        score: lead?.score?.points ?? null,
        page: pathOf(page),
      };
      return [{ told, at, lead }];
    });
  }
  type Telling = Awaited<ReturnType<typeof toldBy>>;

  /** Where a message leads: to the one lead, or to the list; of customers, to when they were seen. */
  const pageOf = (sender: Sender, telling: Telling, clientId: string) => {
    const [only] = telling;
    if (telling.some(({ told }) => told.kind === 'customer')) {
      const place = new URLSearchParams({ show: 'customers', of: 'client', client: clientId });
      return { label: 'View customers', url: `${sender.site}/configuration/exclusion-lists?${place}` };
    }
    return telling.length === 1 && only?.lead
      ? { label: 'View lead', url: `${sender.site}/leads?lead=${only.lead.id}` }
      : { label: 'View leads', url: `${sender.site}/leads` };
  };

  async function ready(tx: Tx, row: store.MessageRow, sender: Sender): Promise<Ready> {
    const alert = await store.anyAlert(tx, row.alert_id);
    if (alert === undefined || alert.state === 'removed')
      return { outcome: failed('Not sent: the alert was removed.') };
    const telling = await toldBy(tx, row);
    if (telling.length === 0)
      return {
        outcome: failed(
          'Not sent: everyone it was about has been excluded, erased, or removed from their list.',
        ),
      };
    const count = telling.length + Math.max(0, row.events - MOST_SENT);
    const words = wordsOf(
      alert.name,
      telling.map(({ told }) => told),
      MOST_SPELLED,
      count,
    );
    const title = row.is_test ? `Test: ${words.title}` : words.title;
    const link = pageOf(sender, telling, row.company_id);
    switch (row.way) {
      case 'mail':
        return { outcome: await post(tx, row, alert, sender, { title, lines: words.lines, link }) };
      case 'chat': {
        const connection = await connections.byId(tx, row.target);
        if (!connection || connection.state === 'removed')
          return { outcome: failed('Not sent: the connection was removed.') };
        if (connection.state !== 'connected')
          return { outcome: { error: `Not sent: the connection is ${connection.state}.`, isFinal: false } };
        const vendor = connections.vendor(connection.vendor);
        const way = connections.wayOf(vendor, connection);
        if (!way || !vendor.announce)
          return { outcome: failed('Not sent: the address of the connection is not valid.') };
        return {
          async send() {
            const result = await vendor.announce!(way, { title, lines: words.lines, link }).catch(
              (error: unknown) => outcomeOf(error),
            );
            if (result.kind === 'delivered') return { error: null, isFinal: true };
            const why = vendorWords(result.why, way.credentials);
            return {
              error: why,
              isFinal: result.kind === 'final',
              afterMs: 'afterMs' in result ? result.afterMs : undefined,
              ...(result.kind === 'broken' ? { broken: { connectionId: connection.id, why } } : {}),
            };
          },
        };
      }
      case 'webhook': {
        const body = JSON.stringify({
          type: 'lead.alert',
          timestamp: row.created_at.toISOString(),
          test: row.is_test,
          data: {
            alert: { id: alert.id, name: alert.name },
            count,
            events: telling.map(({ told, at, lead }) => ({
              kind: told.kind,
              at: at.toISOString(),
              ...(told.kind === 'number' ? { count: told.count } : { page: told.page, lead }),
              ...(told.kind === 'customer'
                ? { customer: { name: told.person?.name ?? '' }, campaign: told.campaign }
                : {}),
            })),
          },
        });
        return { send: () => call(row, alert, body) };
      }
    }
  }

  /** Puts an email into the outbox, in the transaction that records the message. */
  async function post(
    tx: Tx,
    row: store.MessageRow,
    alert: store.AlertRow,
    sender: Sender,
    { title, lines, link }: { title: string; lines: string[]; link: { label: string; url: string } },
  ): Promise<Outcome> {
    const user = await users.byId(tx, row.target);
    if (!user || user.disabled_at) return failed('Not sent: the user was removed.');
    await mail.enqueue(tx, {
      ...layOut(
        sender,
        { subject: title, lines, action: link },
        `you are a recipient of the alert “${mailName(alert.name)}” at ${sender.name}. Change it under Leads, Alerts`,
      ),
      kind: 'lead.alert',
      owner: { root_id: row.root_id, agency_id: row.agency_id, company_id: row.company_id },
      to: { name: user.name, address: user.email },
      sender,
    });
    return { error: null, isFinal: true };
  }

  /** Posts a signed message to the webhook of an alert. */
  async function call(row: store.MessageRow, alert: store.AlertRow, body: string): Promise<Outcome> {
    if (alert.webhook_url !== row.target) return failed('Not sent: the address was changed.');
    let secret: string;
    try {
      secret = vault.open(alert.webhook_sealed!, SECRET);
    } catch {
      return failed('Not sent: the signing secret cannot be decrypted with the current APP_KEY.');
    }
    try {
      const { status } = await outbound.fetch(row.target, {
        method: 'POST',
        headers: signedHeaders(secret, row.message_id, clock.now(), body),
        body,
        timeoutMs: TIMEOUT_MS,
        maxBytes: ANSWER_BYTES,
      });
      if (status >= 200 && status < 300) return { error: null, isFinal: true };
      return status >= 300 && status < 400
        ? failed('The endpoint redirects to another address. Redirects are not followed.')
        : { error: `The endpoint returned ${status}.`, isFinal: status === 410 };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return { error: `${error.message}.`, isFinal: false };
    }
  }

  async function record(tx: Tx, row: store.MessageRow, outcome: Outcome): Promise<void> {
    const now = clock.now();
    const attempts = row.attempts + 1;
    const next =
      outcome.error === null || outcome.isFinal ? null : nextAttempt(attempts, now, outcome.afterMs);
    await store.updateMessage(tx, row.id, {
      attempts,
      error: outcome.error?.slice(0, 500) ?? null,
      state: outcome.error === null ? 'delivered' : next ? 'pending' : 'failed',
      done_at: next ? null : now,
    });
    if (next) await enqueueMessages(jobs, tx, [row], attempts, next);
  }

  return {
    /** Makes one attempt to send a message. Safe to run twice. */
    async attempt({ rootId, id, attempt }: z.output<typeof messageJob.payload>): Promise<void> {
      const scope = { rootId };
      const found = await inScope(db.app, scope, (tx) => store.messageById(tx, id));
      if (found?.state !== 'pending' || found.attempts !== attempt) return;
      const sender = await notices.sender(found);
      const prepared = await inScope(db.app, scope, async (tx) => {
        const row = await store.messageById(tx, id, true);
        if (row?.state !== 'pending' || row.attempts !== attempt) return undefined;
        const made = await ready(tx, row, sender);
        if ('outcome' in made) await record(tx, row, made.outcome);
        return 'send' in made ? made : undefined;
      });
      if (!prepared) return;
      const outcome = await prepared.send();
      if (outcome.broken) await connections.broken(rootId, outcome.broken.connectionId, outcome.broken.why);
      await inScope(db.app, scope, async (tx) => {
        const row = await store.messageById(tx, id, true);
        if (row?.state === 'pending' && row.attempts === attempt) await record(tx, row, outcome);
      });
    },

    /** Has a batch of an alert sent to all of its recipients. */
    async send(
      tx: Tx,
      alert: store.AlertRow,
      batch: { id: string; events: number; is_test: boolean },
    ): Promise<void> {
      const rows = store.messagesFor(
        alert,
        batch,
        clock.now(),
        () => `msg_${randomUUID().replaceAll('-', '')}`,
      );
      if (rows.length === 0) return;
      await enqueueMessages(jobs, tx, await store.insertMessages(tx, rows), 0);
    },
  };
}

/** Made up, for tests of an alert of customers. */
const EXAMPLE_CUSTOMER: Told = {
  kind: 'customer',
  count: null,
  person: { name: 'Ada Example (ada@example.com)', job: '', place: '' },
  campaign: 'Example campaign',
  score: null,
  page: '/pricing',
};

/** Made up, for tests of an alert. */
const EXAMPLE: Told = {
  kind: 'returned',
  count: null,
  person: { name: 'Ada Example', job: 'Tester, Example Company', place: 'Springfield, IL' },
  campaign: 'Example campaign',
  score: EXAMPLE_SCORE.points,
  page: '/pricing',
};

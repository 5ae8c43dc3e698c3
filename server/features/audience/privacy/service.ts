import { hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { mayPerson } from '../../../../contract/accounts/permissions.ts';
import { personTexts } from '../../../../contract/audience/person-texts.ts';
import {
  CAME_BY_WORDS,
  type CameBy,
  CODE_MINUTES,
  KIND_WORDS,
  type PrivacyKind,
  type PrivacyRefusal,
  type PrivacyState,
  REFUSAL_WORDS,
  type Step,
} from '../../../../contract/audience/privacy-rules.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import { normalPhone } from '../../../platform/contacts.ts';
import { derive, mac } from '../../../platform/crypto.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { defineJob } from '../../../platform/jobs.ts';
import { type Limits, networkOf, rangeOf } from '../../../platform/limits.ts';
import type { Mail, MailText } from '../../../platform/mail.ts';
import { layOut, type MailContent } from '../../../platform/mail-layout.ts';
import { inPaperTurn } from '../../../platform/paper.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Agreements } from '../../accounts/agreements/index.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Auth } from '../../accounts/auth/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import { toRows } from '../../accounts/users/index.ts';
import type { AdAudiences } from '../../ads/ad-audiences/index.ts';
import type { Customers } from '../../campaigns/customers/index.ts';
import type { Delivery } from '../../campaigns/delivery/index.ts';
import type { Leads } from '../../campaigns/leads/index.ts';
import type { Visits } from '../../campaigns/visits/index.ts';
import type { Retention } from '../../operations/retention/index.ts';
import type { Exclusions } from '../exclusions/index.ts';
import type { People } from '../people/index.ts';
import { certificatePdf } from './certificate.pdf.ts';
import { everythingOf, type Found, findPerson } from './find.service.ts';
import { codeMail, decidedMail, extendedMail, receivedMail, type WarnedOf, warningMail } from './mails.ts';
import * as policy from './policy.ts';
import * as store from './store.ts';

export type Privacy = ReturnType<typeof createPrivacy>;

/** Deletes the record that a delivery made at a service about someone who asked to be deleted. */
const vendorJob = defineJob('privacy.vendor', z.object({ rootId: z.uuid(), deliveryId: z.uuid() }), {
  retryLimit: 20,
  retryDelay: 60,
  retryDelayMax: 6 * 3600,
});
/**
 * Erases once more, since a visit or a delivery that was under way during a deletion has not seen it: within this time,
 * each has ended.
 */
const againJob = defineJob('privacy.again', z.object({ rootId: z.uuid(), requestId: z.uuid() }));
/** The same for someone who was deleted without a request (California's lists): by the ids that they had. */
const goneJob = defineJob('privacy.gone', z.object({ rootId: z.uuid(), personIds: z.array(z.uuid()) }));
const AGAIN_MS = 2 * 3_600_000;
const sweepJob = defineJob('privacy.sweep', z.object({}));

const missing = (): never => {
  throw new Refusal('not_found', ownMessages.notFound);
};
const ownerOf = ({ root_id, agency_id, company_id }: Owner): Owner => ({ root_id, agency_id, company_id });

/** What a request says, however it was made. */
interface Asked {
  kind: PrivacyKind;
  asked_by: 'self' | 'agent';
  agent_name: string;
  name: string;
  email: string;
  phone: string;
  address: string;
  state_code: string;
  details: string;
}

/** The phone number of a request; null if it has none. @throws Refusal 422 */
function phoneIn({ phone }: Asked): string | null {
  const found = phone ? normalPhone(phone) : null;
  if (phone && !found) throw refusalOf('phone', messages.phoneInvalid);
  return found;
}

/** What people and the log call a request. */
export const numberOf = (id: string): string => `PR-${id.slice(-12).toUpperCase()}`;

/**
 * The privacy desk: what people ask about their own data, by when it must be answered, and its fulfillment everywhere
 * (docs/decisions/0461-privacy-desk.md). Nothing that a visitor is told depends on whether anything is known about them.
 */
export function createPrivacy(
  platform: Platform,
  deps: {
    tenants: Tenants;
    audit: Audit;
    agreements: Agreements;
    auth: Auth;
    mail: Mail;
    limits: Limits;
    people: People;
    exclusions: Exclusions;
    leads: Leads;
    visits: Visits;
    customers: Customers;
    delivery: Delivery;
    adAudiences: AdAudiences;
    retention: Retention;
  },
) {
  const { db, clock, config, jobs } = platform;
  const {
    tenants,
    audit,
    agreements,
    auth,
    mail,
    limits,
    people,
    exclusions,
    leads,
    visits,
    customers,
    delivery,
    adAudiences,
  } = deps;
  deps.retention.keep('privacy_requests', { of: 'root', count: store.countOld, remove: store.forget });
  const codeKey = derive(config.appKey, 'privacy codes');
  const codeMac = (id: string, code: string): Buffer => mac(codeKey, `${id}.${code}`);

  /**
   * How a company's emails look, the host they come from, and the one whose mail server sends them: always the root's. They
   * prove who someone is to the root, and hold what it knows of them, which an agency must not read in its own server.
   * Looked up before the transaction that sends one.
   */
  async function senderOf(rootId: string, companyId: string, host?: string) {
    const from = host ?? (await tenants.primaryHost(companyId)) ?? '';
    const serverOf = (await tenants.primaryHost(rootId)) ?? '';
    return { ...(await tenants.mailBrand(companyId)), host: from, serverOf };
  }

  /** Emails the person; nothing if they gave no address. Returns whether there was one. */
  const post = async (
    tx: Tx,
    row: Owner & { name: string; email: string },
    sender: Awaited<ReturnType<typeof senderOf>>,
    content: MailContent,
    file?: MailText['file'],
  ): Promise<boolean> => {
    if (row.email === '') return false;
    await mail.enqueue(tx, {
      ...layOut(sender, content, `someone made a privacy request with this address at ${sender.name}`),
      ...(file ? { file } : {}),
      kind: 'privacy',
      owner: ownerOf(row),
      to: { name: row.name, address: row.email },
      sender,
      serverOf: sender.serverOf,
    });
    return true;
  };

  type EventKind = Parameters<typeof store.insertEvents>[1][number]['kind'];
  const event = (
    tx: Tx,
    row: Owner & { id: string },
    kind: EventKind,
    words: string,
    at: Date,
    by: string | null = null,
  ) =>
    store.insertEvents(tx, [
      { id: newId(at), ...ownerOf(row), request_id: row.id, kind, words, by_user: by, at },
    ]);

  /** An open request, locked. @throws Refusal 404, 409 */
  async function open(tx: Tx, id: string): Promise<store.RequestRow> {
    const row = await store.requestById(tx, id, true);
    if (!row || row.state === 'unproven') return missing();
    if (row.state !== 'open') throw new Refusal('conflict', 'This request is already decided.');
    return row;
  }

  /** Puts a person on the standing list, and erases them if they asked for it; returns what was done, in numbers. */
  async function fulfill(
    tx: Tx,
    kind: PrivacyKind,
    rootId: string,
    found: Found,
  ): Promise<Record<string, number>> {
    const result: Record<string, number> = {
      people: found.people.length,
      leads: found.leads.length,
      other_people: found.others,
      shared_phones: found.sharedPhones,
    };
    if (kind !== 'opt_out' && kind !== 'delete') return result;
    result.excluded = await exclusions.suppress(tx, rootId, {
      lines: [...found.emails, ...found.phones],
      hashes: found.hashes,
    });
    if (kind === 'opt_out') return result;
    const members = found.people.flatMap((one) => one.members);
    const done = await eraseEverywhere(tx, rootId, {
      ids: members,
      leads: found.leads,
      keys: found.keys,
      emails: found.emails,
      phones: found.phones,
    });
    return { ...result, ...done };
  }

  /** Erases someone from every table that names them, and at vendors; returns what was done, in numbers. */
  async function eraseEverywhere(
    tx: Tx,
    rootId: string,
    of: { ids: string[]; leads: Found['leads']; keys: Buffer[]; emails: string[]; phones: string[] },
  ): Promise<Record<string, number>> {
    const leadIds = of.leads.map((lead) => lead.id);
    const everyone = [...new Set([...of.ids, ...of.leads.flatMap((lead) => lead.person_id ?? [])])];
    const result: Record<string, number> = { visits: await visits.erase(tx, rootId, everyone, of.keys) };
    await customers.erase(tx, rootId, everyone);
    result.audience_members = await adAudiences.erase(tx, rootId, everyone, of.emails);
    const records = await delivery.forgetRequests(tx, leadIds);
    result.vendor_records = records.length;
    await jobs.send(
      tx,
      vendorJob,
      records.map((deliveryId) => ({ rootId, deliveryId })),
    );
    await leads.erase(tx, leadIds);
    await people.erase(tx, rootId, of.ids, [...of.emails, ...of.phones]);
    return result;
  }

  /** Everything that is known about a person, as a file for them. */
  async function fileOf(tx: Tx, row: store.RequestRow, found: Found): Promise<string> {
    const ids = found.people.map((one) => one.id);
    const profiles = await people.profiles(tx, row.root_id, ids);
    return JSON.stringify(
      {
        request: numberOf(row.id),
        made_at: clock.now().toISOString(),
        records: found.people.map((one) => ({
          ...Object.fromEntries(personTexts.map((text) => [text, one[text]])),
          emails: one.emails,
          phones: one.phones,
          identifiers: {
            email_sha256: one.sha256.map((value) => value.toString('hex')),
            email_sha1: one.sha1.map((value) => value.toString('hex')),
            email_md5: one.md5.map((value) => value.toString('hex')),
          },
          details: profiles.get(one.id) ?? {},
        })),
        given_to_businesses: found.leads.map((lead) => ({
          at: lead.created_at.toISOString(),
          ...lead.contact,
          ...(lead.fields ? { details: lead.fields } : {}),
        })),
      },
      null,
      2,
    );
  }

  // The page that checks files knows certificates as well, without saying who they are about.
  agreements.files.addKnown(async ({ tenant: { rootId, companyId } }, sha256) => {
    const found = await inScope(db.app, { rootId }, (tx) =>
      store.certificateByHash(tx, { rootId, companyId }, sha256),
    );
    return found ? { title: `Privacy request ${numberOf(found.request_id)}`, at: found.made_at } : null;
  });

  return {
    /**
     * Takes a request and emails a code to its address. @throws Refusal 422; 429 for an address or network that asks too
     * often
     */
    async ask(ctx: Ctx, given: Asked & { captcha_token?: string | undefined }): Promise<{ id: string }> {
      const { tenant } = ctx;
      const phone = phoneIn(given);
      const counted: Parameters<typeof limits.takeAll>[0] = [
        [policy.ASK, `${tenant.rootId}\n${given.email}`],
        [policy.ASK_NETWORK, `${tenant.companyId}\n${networkOf(ctx.ip)}`],
        [policy.ASK_RANGE, rangeOf(ctx.ip)],
      ];
      await limits.takeAll(counted);
      try {
        await auth.captcha.check(ctx, given.captcha_token);
      } catch (error) {
        await limits.giveBackAll(counted);
        throw error;
      }
      const sender = await senderOf(tenant.rootId, tenant.companyId, tenant.host);
      return inScope(db.app, { rootId: tenant.rootId }, async (tx) => {
        const now = clock.now();
        const id = newId(now);
        const code = String(randomInt(1_000_000)).padStart(6, '0');
        const agent = given.asked_by === 'agent' ? given.agent_name : '';
        const row = {
          id,
          root_id: tenant.rootId,
          agency_id: tenant.agencyId,
          company_id: tenant.companyId,
          kind: given.kind,
          asked_by: given.asked_by,
          agent_name: agent,
          name: given.name,
          email: given.email,
          phone,
          address: given.address,
          state_code: given.state_code,
          details: given.details,
          state: 'unproven' as const,
          code_mac: codeMac(id, code),
          received_at: now,
          due_at: policy.dueAt(given.kind, now),
        };
        await store.insertRequest(tx, row);
        await post(tx, row, sender, codeMail({ name: given.name, agent, kind: given.kind, code }));
        await audit.recordEntry(tx, ctx, ownerOf(row), null, {
          action: 'privacy.ask',
          objectKind: 'privacy_request',
          objectId: id,
          description: `Privacy request ${numberOf(id)} was made: ${KIND_WORDS[given.kind]}`,
        });
        return { id };
      });
    },

    /** Opens a request whose code came back. @throws Refusal 410, 422, 429 */
    async confirm(ctx: Ctx, { id, code }: { id: string; code: string }): Promise<Date> {
      const { tenant } = ctx;
      await limits.takeAll([
        [policy.CODE_NETWORK, `${tenant.companyId}\n${networkOf(ctx.ip)}`],
        [policy.CODE, id],
      ]);
      const sender = await senderOf(tenant.rootId, tenant.companyId, tenant.host);
      return inScope(db.app, { rootId: tenant.rootId }, async (tx) => {
        const now = clock.now();
        const row = await store.requestById(tx, id, true);
        const until = (row?.received_at.getTime() ?? 0) + CODE_MINUTES * 60_000;
        if (row?.state !== 'unproven' || row.company_id !== tenant.companyId || until <= now.getTime())
          throw new Refusal('gone', 'This code is no longer valid. Make the request again.');
        if (!timingSafeEqual(row.code_mac, codeMac(id, code))) throw refusalOf('code', 'is not correct');
        const first = await store.earlierOpen(tx, { ...row, isProven: true });
        await store.updateRequest(tx, id, {
          state: 'open',
          proven_at: now,
          acknowledged_at: now,
          duplicate_of: first?.id ?? null,
        });
        const by = row.asked_by === 'agent' ? 'an agent' : 'the person';
        await event(tx, row, 'received', `Received from ${by}: ${KIND_WORDS[row.kind]}.`, row.received_at);
        await event(tx, row, 'proven', 'The email address was proven by a code.', now);
        if (first) await event(tx, row, 'duplicate', `A duplicate of ${numberOf(first.id)}.`, now);
        await event(tx, row, 'acknowledged', 'Receipt was confirmed by email.', now);
        const number = numberOf(id);
        await post(
          tx,
          row,
          sender,
          receivedMail({ name: row.name, kind: row.kind, number, due: row.due_at }),
        );
        await audit.recordEntry(tx, ctx, ownerOf(row), null, {
          action: 'privacy.confirm',
          objectKind: 'privacy_request',
          objectId: id,
          description: `The address of privacy request ${number} was proven`,
        });
        return row.due_at;
      });
    },

    /**
     * Enters a request that came some other way than the public page, with what proves who asked. Its deadlines run from
     * the day of receipt. @throws Refusal 422 naming the field
     */
    async enter(
      ctx: Ctx,
      given: Asked & {
        came_by: Exclude<CameBy, 'web'>;
        /** YYYY-MM-DD in the root's time zone. */
        received_on: string;
        proof: string;
      },
    ): Promise<{ id: string }> {
      const { rootId } = ctx.scope;
      const phone = phoneIn(given);
      const sender = await senderOf(rootId, rootId);
      return inScope(db.app, ctx.scope, async (tx) => {
        const now = clock.now();
        const timeZone = (await tenants.company(tx, rootId))?.time_zone ?? 'UTC';
        const received = policy.receivedAt(given.received_on, timeZone, now);
        if (typeof received === 'string') throw refusalOf('received_on', received);
        const id = newId(now);
        const row = {
          ...{ id, root_id: rootId, agency_id: null, company_id: rootId },
          ...{ kind: given.kind, asked_by: given.asked_by, name: given.name, email: given.email, phone },
          agent_name: given.asked_by === 'agent' ? given.agent_name : '',
          ...{ address: given.address, state_code: given.state_code, details: given.details },
          ...{ came_by: given.came_by, proof: given.proof, entered_by: ctx.actor.userId },
          state: 'open' as const,
          // It has no code.
          code_mac: randomBytes(32),
          ...{ received_at: received, proven_at: now, due_at: policy.dueAt(given.kind, received) },
        };
        const first = await store.earlierOpen(tx, { ...row, isProven: false });
        await store.insertRequest(tx, { ...row, duplicate_of: first?.id ?? null });
        const by = ctx.actor.userId;
        const number = numberOf(id);
        const way = CAME_BY_WORDS[given.came_by].toLowerCase();
        await event(tx, row, 'received', `Received: ${KIND_WORDS[row.kind]}. Way: ${way}.`, received);
        await event(tx, row, 'proven', 'Entered by hand, with what proves who asked.', now, by);
        if (first) await event(tx, row, 'duplicate', `A duplicate of ${numberOf(first.id)}.`, now);
        const told = receivedMail({
          name: row.name,
          kind: row.kind,
          number,
          due: row.due_at,
          isByHand: true,
        });
        if (await post(tx, row, sender, told)) {
          await store.updateRequest(tx, id, { acknowledged_at: now });
          await event(tx, row, 'acknowledged', 'Receipt was confirmed by email.', now);
        }
        await audit.record(tx, ctx, {
          action: 'privacy.enter',
          objectKind: 'privacy_request',
          objectId: id,
          description: `Entered privacy request ${number}, which came by ${way}: ${KIND_WORDS[given.kind]}`,
          owner: ownerOf(row),
        });
        return { id };
      });
    },

    /** Records that receipt was confirmed to someone without an email address. @throws Refusal 404, 409 */
    async acknowledge(ctx: Ctx, id: string): Promise<void> {
      await inScope(db.app, ctx.scope, async (tx) => {
        const row = await open(tx, id);
        if (row.acknowledged_at) throw new Refusal('conflict', 'Receipt was already confirmed.');
        const now = clock.now();
        await store.updateRequest(tx, id, { acknowledged_at: now });
        await event(tx, row, 'acknowledged', 'Receipt was confirmed to the person.', now, ctx.actor.userId);
        await audit.record(tx, ctx, {
          action: 'privacy.acknowledge',
          objectKind: 'privacy_request',
          objectId: id,
          description: `Confirmed receipt of privacy request ${numberOf(id)}`,
          owner: ownerOf(row),
        });
      });
    },

    /**
     * Warns those who may decide a root's requests of deadlines that are near or have passed: one email for all of them,
     * and each deadline once before and once after it.
     */
    async warn(rootId: string): Promise<void> {
      const now = clock.now();
      const read = (tx: Tx) =>
        store.openBefore(tx, rootId, {
          now,
          received: new Date(now.getTime() - policy.WARNED_FROM_MS),
          due: new Date(now.getTime() + policy.SOON_MS),
        });
      const due = (rows: readonly store.RequestRow[]) =>
        rows.flatMap((row) =>
          policy.warningsOf(row, now).map(({ step, due, isLate }) => ({
            ...{
              request_id: row.id,
              ...ownerOf(row),
              kind: step,
              due_at: due,
              is_late: isLate,
              told_at: now,
            },
          })),
        );
      const isNew = await inScope(db.app, { rootId }, async (tx) =>
        store.hasNewWarning(tx, due(await read(tx))),
      );
      if (!isNew) return;
      const sender = await senderOf(rootId, rootId);
      await inScope(db.app, { rootId }, async (tx) => {
        const rows = await read(tx);
        const kinds = new Map(rows.map((row) => [row.id, row.kind]));
        const warned = (await store.takeWarnings(tx, due(rows))).map(
          (one): WarnedOf => ({
            number: numberOf(one.request_id),
            kind: kinds.get(one.request_id)!,
            ...{ step: one.kind as Step, due: one.due_at, isLate: one.is_late },
          }),
        );
        if (warned.length === 0) return;
        const url = `https://${sender.host}/configuration/privacy-requests`;
        for (const to of await store.handlers(tx, rootId)) {
          if (!mayPerson(auth.gradeOf(to.kind, to.role), to.rights && toRows(to.rights), 'privacy.decide'))
            continue;
          await mail.enqueue(tx, {
            ...layOut(
              sender,
              warningMail({ name: to.user_name, warned, url }),
              `you decide privacy requests at ${sender.name}`,
            ),
            kind: 'privacy.warning',
            owner: { root_id: rootId, agency_id: null, company_id: rootId },
            to: { name: to.user_name, address: to.email },
            sender,
          });
        }
      });
    },

    /** A page of the queue, and how many requests there are in each state. */
    list: (
      ctx: Ctx,
      asked: {
        state?: PrivacyState | undefined;
        kind?: PrivacyKind | undefined;
        search?: string | undefined;
        limit: number;
        offset: number;
      },
    ) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { rows, counts } = await store.pageOf(tx, asked, asked.limit, asked.offset);
        return { rows: rows.map((row) => view(row, clock.now())), counts };
      }),

    /** A request and its timeline. @throws Refusal 404 */
    one: (ctx: Ctx, id: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = (await store.shownById(tx, id)) ?? missing();
        return { data: view(row, clock.now()), timeline: await store.eventsOf(tx, id) };
      }),

    months: (ctx: Ctx) => inScope(db.app, ctx.scope, (tx) => store.byMonth(tx)),

    /**
     * The certificate of a decided request, signed in the name of the company at whose host it was made: made when it is
     * asked for first. @throws Refusal 404, 409
     */
    async certificate(ctx: Ctx, id: string): Promise<{ name: string; bytes: Buffer }> {
      const { row, timeline } = await inScope(db.app, ctx.scope, async (tx) => ({
        row: (await store.shownById(tx, id)) ?? missing(),
        timeline: await store.eventsOf(tx, id),
      }));
      const { decided_at: decided } = row;
      if (!decided) throw new Refusal('conflict', 'This request is not decided yet.');
      const inRoot = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
        inScope(db.app, { rootId: row.root_id }, work);
      const name = `privacy-request-${numberOf(id)}`;
      const known = await inRoot((tx) => store.certificateOf(tx, id));
      if (known) return { name, bytes: known.bytes };
      const { company, brand } = await inRoot(async (tx) => ({
        company: (await tenants.company(tx, row.company_id)) ?? missing(),
        brand: await tenants.paperBrand(tx, row.company_id),
      }));
      const { name: party } = await tenants.frontDoor(row.company_id);
      const host = (await tenants.primaryHost(row.company_id)) ?? '';
      const number = numberOf(id);
      const pdf = await inPaperTurn(ctx.actor.companyId, () =>
        certificatePdf(
          {
            ...{ number, id, party, decided, timeline, host },
            kind: row.kind,
            state: row.state as PrivacyState,
            name: row.name,
            email: row.email,
            agent: row.agent_name,
            received: row.received_at,
            due: row.due_at,
            refusal: row.refusal && REFUSAL_WORDS[row.refusal],
            answer: row.answer,
            done: resultWords(row.result),
            timeZone: company.time_zone,
          },
          brand,
        ),
      );
      const bytes = await agreements.files.sign(company, party, pdf, `Privacy request ${number}`);
      return inRoot(async (tx) => {
        await store.insertCertificate(tx, {
          request_id: id,
          ...ownerOf(row),
          ...{ sha256: hash('sha256', bytes), bytes, made_at: clock.now() },
        });
        return { name, bytes: (await store.certificateOf(tx, id))!.bytes };
      });
    },

    /** Extends a deadline, once. @throws Refusal 404, 409 */
    async extend(ctx: Ctx, id: string, reason: string): Promise<void> {
      const { company_id } = await inScope(db.app, ctx.scope, (tx) => open(tx, id));
      const sender = await senderOf(ctx.actor.rootId, company_id);
      await inScope(db.app, ctx.scope, async (tx) => {
        const row = await open(tx, id);
        if (row.kind === 'opt_out')
          throw new Refusal('conflict', 'The deadline of an opt-out cannot be extended.');
        if (row.extended_at) throw new Refusal('conflict', 'The deadline was already extended.');
        const now = clock.now();
        if (row.due_at <= now)
          throw new Refusal('conflict', 'The deadline has passed, so it cannot be extended.');
        const due = policy.extendedDueAt(row.received_at);
        await store.updateRequest(tx, id, { due_at: due, extended_at: now, extension_reason: reason });
        await event(tx, row, 'extended', `Extended by 45 days: ${reason}`, now, ctx.actor.userId);
        const number = numberOf(id);
        await post(tx, row, sender, extendedMail({ name: row.name, kind: row.kind, number, due, reason }));
        await audit.record(tx, ctx, {
          action: 'privacy.extend',
          objectKind: 'privacy_request',
          objectId: id,
          description: `Extended the deadline of privacy request ${number}`,
          owner: ownerOf(row),
        });
      });
    },

    /**
     * Fulfills or refuses a request and its duplicates. What is done for the person is done in the same transaction, except
     * for records at outside services. @throws Refusal 404, 409
     */
    async decide(
      ctx: Ctx,
      id: string,
      given: { refusal: PrivacyRefusal | null; answer: string },
    ): Promise<void> {
      const { company_id } = await inScope(db.app, ctx.scope, (tx) => open(tx, id));
      const sender = await senderOf(ctx.actor.rootId, company_id);
      await inScope(db.app, ctx.scope, async (tx) => {
        const row = await open(tx, id);
        const now = clock.now();
        const by = ctx.actor.userId;
        const number = numberOf(id);
        let result: Record<string, number> | null = null;
        let file: MailText['file'];
        if (given.refusal === null) {
          if (row.kind === 'correct' && !given.answer)
            throw refusalOf('answer', 'must say what was corrected');
          const found = await findPerson(tx, { people, leads }, row.root_id, row);
          if (!found)
            throw new Refusal(
              'conflict',
              'Several people have this address, and none has this first name. Refuse the request as about a household.',
            );
          if (row.kind === 'access')
            file = { name: `${number}.json`, type: 'application/json', text: await fileOf(tx, row, found) };
          result = await fulfill(tx, row.kind, row.root_id, found);
          if (row.kind === 'delete')
            await jobs.send(tx, againJob, [{ rootId: row.root_id, requestId: id }], {
              startAfter: new Date(now.getTime() + AGAIN_MS),
            });
        }
        const state = given.refusal === null ? ('completed' as const) : ('refused' as const);
        const words =
          given.refusal === null
            ? `Completed. ${resultWords(result)}`
            : `Refused: ${REFUSAL_WORDS[given.refusal]}.`;
        for (const one of [row, ...(await store.openDuplicates(tx, row))]) {
          await store.updateRequest(tx, one.id, {
            state,
            decided_at: now,
            decided_by: by,
            refusal: given.refusal,
            answer: given.answer,
            result: result === null ? null : JSON.stringify(result),
          });
          await event(tx, one, state, one.id === id ? words : `${words} Together with ${number}.`, now, by);
        }
        const refusal = given.refusal && REFUSAL_WORDS[given.refusal];
        const { name, kind } = row;
        await post(tx, row, sender, decidedMail({ name, kind, number, refusal, answer: given.answer }), file);
        await audit.record(tx, ctx, {
          action: `privacy.${state === 'completed' ? 'complete' : 'refuse'}`,
          objectKind: 'privacy_request',
          objectId: id,
          description: `${state === 'completed' ? 'Completed' : 'Refused'} privacy request ${number}: ${KIND_WORDS[kind]}`,
          owner: ownerOf(row),
        });
      });
    },

    /**
     * Fulfills what people of the graph asked for somewhere else, by their ids: opts them out, or deletes them with
     * everything known about them, once more two hours later. In the root's scope. Returns what was done, in numbers.
     */
    async fulfillFor(
      tx: Tx,
      rootId: string,
      kind: 'opt_out' | 'delete',
      ids: readonly string[],
    ): Promise<Record<string, number>> {
      const known = await people.people(tx, rootId, ids);
      const own = [...new Map([...known.values()].map((one) => [one.id, one])).values()];
      if (own.length === 0) return {};
      const emails = own.flatMap((one) => one.emails);
      if (kind === 'delete')
        await jobs.send(tx, goneJob, [{ rootId, personIds: own.flatMap((one) => one.members) }], {
          startAfter: new Date(clock.now().getTime() + AGAIN_MS),
        });
      return fulfill(
        tx,
        kind,
        rootId,
        await everythingOf(tx, { people, leads }, rootId, { own, others: [], emails }),
      );
    },

    /** Erases what was still under way when a request to delete was fulfilled; tells it in the request's timeline. */
    eraseAgain: ({ rootId, requestId }: { rootId: string; requestId: string }): Promise<void> =>
      inScope(db.app, { rootId }, async (tx) => {
        const row = await store.requestById(tx, requestId, true);
        if (row?.state !== 'completed' || row.kind !== 'delete' || !row.name) return;
        const found = await findPerson(tx, { people, leads }, rootId, row);
        if (!found) return;
        // Of someone who is not known anymore, only sign-ups can have come: those are held before they are looked up.
        const result =
          found.people.length > 0 || found.leads.length > 0
            ? await fulfill(tx, 'delete', rootId, found)
            : { visits: await visits.erase(tx, rootId, [], found.keys) };
        if (Object.values(result).every((count) => count === 0)) return;
        await event(tx, row, 'completed', `Deleted what came meanwhile. ${resultWords(result)}`, clock.now());
      }),

    /** Erases what was still under way when people were deleted without a request. */
    eraseGone: ({ rootId, personIds }: { rootId: string; personIds: string[] }): Promise<void> =>
      inScope(db.app, { rootId }, async (tx) => {
        const about = await leads.about(tx, rootId, { people: personIds, email: '' });
        await eraseEverywhere(tx, rootId, {
          ...{ ids: personIds, leads: about, keys: [], emails: [], phones: [] },
        });
      }),

    /** Deletes a record at a service. Fails, and is tried again, while the service does not answer. */
    eraseAtVendor: ({ rootId, deliveryId }: { rootId: string; deliveryId: string }) =>
      delivery.eraseForPerson(rootId, deliveryId),

    /** Deletes a root's unproven requests of yesterday. */
    async sweep(rootId: string): Promise<void> {
      const unproven = new Date(clock.now().getTime() - policy.UNPROVEN_MS);
      await inScope(db.app, { rootId }, (tx) => store.sweep(tx, rootId, unproven));
    },

    async start(): Promise<void> {
      await jobs.work(vendorJob, {}, (payload) => this.eraseAtVendor(payload).then(() => undefined));
      await jobs.work(againJob, {}, (payload) => this.eraseAgain(payload));
      await jobs.work(goneJob, {}, (payload) => this.eraseGone(payload));
      await jobs.work(sweepJob, { pollingIntervalSeconds: 60 }, () =>
        tenants.eachRoot(async (rootId) => {
          await this.sweep(rootId);
          await this.warn(rootId);
        }),
      );
      await jobs.schedule(sweepJob, '41 * * * *', {});
    },
  };
}

const COUNTED: Record<string, readonly [one: string, many: string]> = {
  people: ['record of the graph', 'records of the graph'],
  leads: ['lead', 'leads'],
  visits: ['visit', 'visits'],
  audience_members: ['member of an audience of ads', 'members of audiences of ads'],
  vendor_records: ['record at a vendor', 'records at vendors'],
  excluded: ['new entry on the standing list', 'new entries on the standing list'],
  other_people: [
    'other person with the address left as they were',
    'other people with the address left as they were',
  ],
  shared_phones: ['number shared with others left out', 'numbers shared with others left out'],
};

/** What was found and done, in words without personal data. */
export function resultWords(result: Record<string, number> | null): string {
  const parts = Object.entries(result ?? {}).flatMap(([key, count]) =>
    count > 0 && COUNTED[key] ? [`${count} ${COUNTED[key][count === 1 ? 0 : 1]}`] : [],
  );
  return parts.length === 0 ? 'Nothing was known about the person.' : `${parts.join(', ')}.`;
}

/** A request as the contract shows it. */
function view(
  row: store.RequestRow & {
    company_name: string;
    decided_by_name: string | null;
    entered_by_name: string | null;
  },
  now: Date,
) {
  const { code_mac: _, proven_at: __, entered_by: ___, result, ...shown } = row;
  return {
    ...shown,
    state: row.state as PrivacyState,
    urgency: policy.urgencyOf(row, now),
    waits_for: policy.stepsOf(row)[0]?.step ?? null,
    acknowledged_at: row.acknowledged_at?.toISOString() ?? null,
    acknowledge_by: policy.acknowledgeBy(row.received_at).toISOString(),
    received_at: row.received_at.toISOString(),
    due_at: row.due_at.toISOString(),
    extended_at: row.extended_at?.toISOString() ?? null,
    decided_at: row.decided_at?.toISOString() ?? null,
    result,
  };
}

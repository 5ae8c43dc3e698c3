import { z } from 'zod';
import { TRANSFER_NEEDS } from '../../../../contract/accounts/permissions.ts';
import { TRANSFER_DAYS, type TransferSide } from '../../../../contract/accounts/transfer-rules.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { usd } from '../../../../contract/primitives.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { boundedBy } from '../../../platform/db/bounds.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { defineJob } from '../../../platform/jobs.ts';
import type { LimitRule, Limits } from '../../../platform/limits.ts';
import { mailName } from '../../../platform/mail-name.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Campaigns } from '../../campaigns/campaigns/index.ts';
import type { Visits } from '../../campaigns/visits/index.ts';
import type { Notice, Notices } from '../../money/ledger/index.ts';
import type { Prepaid } from '../../money/prepaid/index.ts';
import type { Audit } from '../audit/index.ts';
import { actingFor, mayNow } from '../auth/index.ts';
import type { Companies } from '../companies/index.ts';
import type { Offboarding } from '../offboarding/index.ts';
import type { Tenants } from '../tenants/index.ts';
import { workerOf } from '../users/index.ts';
import { endOf, type Facts, isOpen, isReady, mayAgree, stepsOf, waitsFor } from './policy.ts';
import * as store from './store.ts';
import { LATE, MOVED } from './tables.ts';

export type ClientTransfers = ReturnType<typeof createClientTransfers>;

const Payload = z.object({ rootId: z.uuid(), transferId: z.uuid() });
const runJob = defineJob('transfers.run', Payload, { expireInSeconds: 3 * 60 * 60 });
const sweepJob = defineJob('transfers.sweep', z.object({}), { expireInSeconds: 3 * 60 * 60 });

const STARTS: LimitRule = { name: 'client-transfer.start', max: 20, base: 60, cap: 3600, window: 86_400 };
const DAY_MS = 86_400_000;
/** For how long rows of processes that still knew a client by its old name are looked for. */
const LATE_MS = DAY_MS;

const missing = (): never => {
  throw new Refusal('not_found', ownMessages.notFound);
};
type Row = store.TransferRow;
type NoticeSender = Awaited<ReturnType<Notices['sender']>>;
type Senders = { giving: NoticeSender; receiving: NoticeSender | null };
const many = (count: number, one: string, more = `${one}s`): string[] =>
  count > 0 ? [`${count} ${count === 1 ? one : more}`] : [];

/** What a client has to look at before it starts its campaigns again. */
function cutWords({ recipients, destinations, alerts, trusted, held }: store.Cut, from: string): string[] {
  const off = [...many(destinations, 'destination'), ...many(alerts, 'alert')];
  return [
    ...(off.length > 0
      ? [
          `${off.join(' and ')} that ${from} had set up or that others receive ${destinations + alerts === 1 ? 'is' : 'are'} turned off. Check where your leads go before you turn them on.`,
        ]
      : []),
    ...many(recipients, 'email address', 'email addresses').map(
      (count) =>
        `${count} that no user of yours has no longer ${recipients === 1 ? 'gets' : 'get'} your leads. Add your own again.`,
    ),
    ...many(trusted, 'network').map((count) => `${count} ${trusted === 1 ? 'is' : 'are'} no longer trusted.`),
    ...many(held.length, 'user').map(
      (count) =>
        `${count} whom none of yours had added themselves can no longer sign in. Restore those whom you know: choose Settings, Administrator List, Removed.`,
    ),
  ];
}
const pathOf = (id: string): string => `/configuration/transfers/${id}`;

const ownersOf = (row: Row) => {
  const { root_id } = row;
  return {
    giving: { root_id, agency_id: row.agency_id, company_id: row.agency_id },
    client: { root_id, agency_id: row.agency_id, company_id: row.company_id },
    receiving: row.to_agency_id
      ? { root_id, agency_id: row.to_agency_id, company_id: row.to_agency_id }
      : null,
  };
};

/**
 * Transfers of clients between two agencies of a root, once both agencies and the client agree
 * (docs/decisions/0476-client-transfers.md). Its job can be interrupted and run again at any point.
 */
export function createClientTransfers(
  platform: Platform,
  deps: {
    audit: Audit;
    campaigns: Campaigns;
    companies: Companies;
    limits: Limits;
    notices: Notices;
    offboarding: Offboarding;
    prepaid: Prepaid;
    tenants: Tenants;
    visits: Visits;
  },
) {
  const { db, clock, jobs } = platform;
  const { audit, campaigns, companies, limits, notices, offboarding, prepaid, tenants, visits } = deps;
  const asRoot = <T>(rootId: string, work: (tx: Tx) => Promise<T>): Promise<T> =>
    inScope(db.app, { rootId }, work);

  /** As whom someone sees a transfer. @throws Refusal 404 */
  function sideOf(ctx: Ctx, row: Row): TransferSide {
    const { companyId } = ctx.actor;
    if (companyId === row.agency_id) return 'giving';
    if (companyId === row.company_id) return 'client';
    return companyId === row.to_agency_id ? 'receiving' : missing();
  }

  /** Whether the actor may decide for a side. @throws Refusal 403 */
  function needAll(ctx: Ctx, side: TransferSide): void {
    if (side === 'giving') for (const permission of TRANSFER_NEEDS) ctx.need(permission);
  }

  /** A transfer that the actor’s scope sees, and the senders of its emails. @throws Refusal 404 */
  async function visible(ctx: Ctx, id: string): Promise<{ side: TransferSide; senders: Senders; row: Row }> {
    const row = await inScope(db.app, ctx.scope, (tx) => store.byId(tx, id));
    if (!row) return missing();
    return { row, side: sideOf(ctx, row), senders: await sendersOf(row) };
  }

  /** Looked up before a transaction: code that holds one connection must not wait for another. */
  async function sendersOf(row: Pick<Row, 'root_id' | 'agency_id' | 'to_agency_id'>): Promise<Senders> {
    const of = (id: string) => notices.sender({ root_id: row.root_id, agency_id: id, company_id: id });
    return {
      giving: await of(row.agency_id),
      receiving: row.to_agency_id ? await of(row.to_agency_id) : null,
    };
  }

  /** Emails those in charge of one side, in the brand of the agency that they know. */
  async function tell(
    tx: Tx,
    row: Row,
    senders: Senders,
    side: TransferSide,
    kind: string,
    content: Omit<Notice, 'page'>,
  ): Promise<void> {
    const owner = ownersOf(row)[side];
    const sender = side === 'receiving' ? senders.receiving : senders.giving;
    if (!owner || !sender) return;
    const page = { label: 'View transfer', path: pathOf(row.id) };
    await notices.tell(tx, `transfer.${kind}`, sender, owner, { ...content, page });
  }

  /**
   * Writes a step into the logs of both agencies. Whoever did it is named only in the log of their own company: the
   * other agency learns no one’s name.
   */
  async function note(
    tx: Tx,
    row: Row,
    action: string,
    words: Record<'giving' | 'receiving', string>,
    by?: { ctx: Ctx; side: TransferSide },
  ): Promise<void> {
    const { client, receiving } = ownersOf(row);
    const entry = { action: `transfer.${action}`, objectKind: 'company', objectId: row.company_id };
    const at = clock.now();
    if (by && by.side !== 'receiving')
      await audit.record(tx, by.ctx, { ...entry, description: words.giving, owner: client });
    else await audit.recordSystem(tx, at, client, { ...entry, description: words.giving });
    if (!receiving) return;
    const theirs = {
      ...entry,
      objectKind: 'client_transfer',
      objectId: row.id,
      description: words.receiving,
    };
    if (by?.side === 'receiving') await audit.record(tx, by.ctx, { ...theirs, owner: receiving });
    else await audit.recordSystem(tx, at, receiving, theirs);
  }

  const send = (tx: Tx, row: { id: string; root_id: string }) =>
    jobs.send(tx, runJob, [{ rootId: row.root_id, transferId: row.id }]);

  /** What there is of a client, as its current agency sees it. @throws Refusal 404 */
  async function look(ctx: Ctx, companyId: string) {
    const { balances, ...money } = await offboarding.moneyOf(ctx, companyId);
    const busy = await asRoot(ctx.actor.rootId, (tx) => store.busyOf(tx, companyId));
    const { offboardings, ...counts } = busy;
    const facts: Facts = { ...money, ...counts, isOffboarding: offboardings > 0 };
    return { facts, balances };
  }

  /** A transfer as one side sees it. */
  function shown(row: Row, side: TransferSide) {
    const now = clock.now();
    const isOver = row.state === 'offered' && !isOpen(row, now);
    const knowsReceiver = side === 'receiving' || row.receiving_at !== null;
    const entered = side === row.started_by || side === 'receiving';
    return {
      id: row.id,
      side,
      client_id: side === 'giving' ? row.company_id : side === 'receiving' ? row.successor_id : null,
      client_name: row.client_name,
      from_name: row.from_name,
      to_name: knowsReceiver ? row.to_name : '',
      // Both who entered it and the agency that is asked to agree with it have to know where it goes.
      to_email: entered || (side === 'giving' && row.started_by === 'client') ? row.to_email : '',
      state: isOver ? ('expired' as const) : row.state,
      started_by: row.started_by,
      started_at: row.started_at.toISOString(),
      expires_at: row.expires_at.toISOString(),
      ended_at: row.ended_at?.toISOString() ?? (isOver ? row.expires_at.toISOString() : null),
      waits_for: isOver ? [] : waitsFor(row),
      may_agree: mayAgree(row, side, now),
      may_end: endOf(row, side, now) !== null,
      keeps_balance: side === 'giving' ? row.keeps_balance : null,
    };
  }

  /** Pauses what runs, with automatic purchases off first, and archives ad campaigns, which do not move. */
  async function stopCampaigns(ctx: Ctx, companyId: string): Promise<void> {
    for (const row of await inScope(db.app, ctx.scope, (tx) => store.openCampaigns(tx, companyId))) {
      const isAds = row.module === 'simplifi';
      if (!isAds && (await prepaid.current(ctx, row.id)).topup === 'continual')
        await prepaid.setContinual(ctx, row.id, true);
      if (isAds) await campaigns.setState(ctx, row.id, 'archived', 'campaign.archive');
      else if (row.state === 'active') await campaigns.setState(ctx, row.id, 'paused', 'campaign.pause');
    }
  }

  /**
   * Moves the client in one transaction, or does nothing if something has begun meanwhile that could change its money.
   * `kept`: the balance that it may keep with the giving agency, micro-dollars.
   */
  const move = (ctx: Ctx, id: string, kept: bigint, senders: Senders): Promise<Row | null> =>
    asRoot(ctx.actor.rootId, async (tx) => {
      const row = await store.byId(tx, id, true);
      if (row?.state !== 'settling' || !row.to_agency_id) return null;
      const company = await companies.child(tx, ctx, row.company_id);
      if (!(await store.nameOf(tx, row.to_agency_id)))
        throw new Refusal('conflict', 'The receiving agency is no longer there. Cancel the transfer.');
      const held = await store.holdCampaigns(tx, row.company_id);
      // Judged once more under the locks: a charge that has begun meanwhile, or a campaign, stops it here.
      const busy = await store.busyOf(tx, row.company_id);
      if (Object.values(busy).some((count) => count > 0)) return null;
      await boundedBy(tx, 'clients', row.to_agency_id, 'to_email');
      const at = clock.now();
      const successor = await tenants.create(tx, {
        name: company.name,
        rootId: row.root_id,
        agencyId: row.to_agency_id,
      });
      await store.insertIds(
        tx,
        [
          { old: company.id, new: successor.id },
          ...held.filter((one) => one.module !== 'simplifi').map((one) => ({ old: one.id, new: newId(at) })),
        ].map((pair) => ({
          transfer_id: id,
          old_id: pair.old,
          new_id: pair.new,
          root_id: row.root_id,
          agency_id: row.agency_id,
          company_id: row.company_id,
        })),
      );
      const below = (await store.offer(tx, row.company_id, row.to_agency_id, at)).filter(isBelow);
      const cut = await store.cutTies(tx, row.company_id, at);
      await store.move(tx, id, MOVED, at);
      await companies.takeOff(tx, ctx, company, kept);
      const done = (await store.byId(tx, id)) ?? missing();
      for (const user of cut.held)
        await audit.recordSystem(
          tx,
          at,
          { root_id: row.root_id, agency_id: row.to_agency_id, company_id: successor.id },
          {
            action: 'user.remove',
            objectKind: 'user',
            objectId: user.id,
            description: `Removed ${user.name} (${user.email}) at the transfer, until someone restores them: none of the client’s own users had added them`,
          },
        );
      await note(tx, done, 'done', {
        giving: `Transferred the client ${row.client_name} to ${row.to_name}${kept > 0n ? `, with ${usd(kept)} kept as credit` : ''}`,
        receiving: `Received the client ${row.client_name} from ${row.from_name}`,
      });
      // Those in charge of the client are told by the agency that they are with by then.
      if (senders.receiving)
        await notices.tell(
          tx,
          'transfer.done',
          senders.receiving,
          { root_id: row.root_id, agency_id: row.to_agency_id, company_id: successor.id },
          {
            subject: `Your account has moved to ${mailName(row.to_name)}`,
            lines: [
              `Your account is now with ${mailName(row.to_name)}. ${mailName(row.from_name)} no longer sees it.`,
              `Sign in at ${new URL(senders.receiving.site).host} with the same email address and password. You will be asked to accept the agreement of ${mailName(row.to_name)} and to add a payment method.`,
              'Your campaigns are paused until they are started there.',
              ...cutWords(cut, mailName(row.from_name)),
            ],
            page: { label: 'Sign in', path: '/login' },
          },
        );
      await tell(tx, done, senders, 'giving', 'done', {
        subject: `${mailName(row.client_name)} has moved to ${mailName(row.to_name)}`,
        lines: [
          `${mailName(row.client_name)} is now a client of ${mailName(row.to_name)}. Its invoices, payments, and reports up to today stay with you.`,
          ...(kept > 0n
            ? [`${usd(kept)} that cannot be refunded to a card stays as the client’s credit with you.`]
            : []),
        ],
      });
      await tell(tx, done, senders, 'receiving', 'done', {
        subject: `${mailName(row.client_name)} is now your client`,
        lines: [
          `${mailName(row.client_name)} has moved to you from ${mailName(row.from_name)}, with its users, campaigns, and leads.`,
          'Its campaigns are paused. They keep their prices until you change them.',
          ...(below.length > 0
            ? [
                `A lead would cost you more than the client pays in ${below.map((one) => one.name).join(', ')}. ${below.length === 1 ? 'It needs' : 'They need'} a new price before ${below.length === 1 ? 'it' : 'they'} can start.`,
              ]
            : []),
        ],
      });
      return done;
    });

  const isBelow = (one: { price: bigint; cost: bigint | null }): boolean =>
    one.cost !== null && one.cost > one.price;

  return {
    /** A page of the transfers from or to the actor’s company, the newest first. */
    list: (ctx: Ctx, search: string | undefined, limit: number, offset: number) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { rows, total } = await store.pageOf(tx, search, limit, offset);
        return { total, rows: rows.map((row) => shown(row, sideOf(ctx, row))) };
      }),

    /** A transfer, its checklist, and what it moves. @throws Refusal 404 */
    async one(ctx: Ctx, id: string) {
      const row = (await inScope(db.app, ctx.scope, (tx) => store.byId(tx, id))) ?? missing();
      const side = sideOf(ctx, row);
      const isGoingOn = row.ended_at === null;
      const facts = side === 'giving' && isGoingOn ? (await look(ctx, row.company_id)).facts : null;
      const offered = isGoingOn
        ? await asRoot(row.root_id, (tx) =>
            store.offer(tx, row.company_id, side === 'receiving' ? row.to_agency_id : null, clock.now()),
          )
        : [];
      return {
        data: shown(row, side),
        steps: stepsOf(row, facts),
        problem: side === 'giving' ? row.problem : '',
        campaigns: offered.map((one) => ({
          name: one.name,
          module: one.module,
          price_micros: Number(one.price),
          cost_micros: side === 'receiving' ? Number(one.cost ?? 0n) : null,
        })),
        moved: Object.entries(row.moved ?? {}).map(([table, rows]) => ({ table, rows })),
      };
    },

    /** Starts a transfer; returns its id. @throws Refusal 403, 404, 409, 422, 429 */
    async start(
      ctx: Ctx,
      given: { client_id?: string | undefined; to_email: string; keep_balance: boolean },
    ): Promise<string> {
      const { actor } = ctx;
      const isClient = actor.kind === 'client';
      needAll(ctx, isClient ? 'client' : 'giving');
      if (!isClient && !given.client_id) throw refusalOf('client_id', 'is required');
      const companyId = given.client_id ?? actor.companyId;
      if (isClient && companyId !== actor.companyId) return missing();
      await limits.take(STARTS, actor.companyId);
      const toAgencyId = await asRoot(actor.rootId, (tx) => store.agencyOf(tx, given.to_email));
      if (toAgencyId === actor.agencyId)
        throw refusalOf('to_email', isClient ? 'is of your current agency' : 'is of your own agency');
      const senders = await sendersOf({
        root_id: actor.rootId,
        agency_id: actor.agencyId ?? missing(),
        to_agency_id: toAgencyId,
      });
      return asRoot(actor.rootId, async (tx) => {
        const client = await store.holdClient(tx, companyId);
        if (!client?.agency_id || client.agency_id !== actor.agencyId) return missing();
        if (!isClient) await companies.child(tx, ctx, companyId);
        const busy = await store.busyOf(tx, companyId);
        if (busy.offboardings > 0)
          throw new Refusal('conflict', 'This client is being offboarded. Cancel that first.');
        const at = clock.now();
        const id = newId(at);
        const side = isClient ? ('client' as const) : ('giving' as const);
        const isNew = await store.insert(tx, {
          id,
          root_id: client.root_id,
          agency_id: client.agency_id,
          company_id: client.id,
          to_email: given.to_email,
          to_agency_id: toAgencyId,
          state: 'offered',
          keeps_balance: isClient ? null : given.keep_balance,
          client_name: client.name,
          from_name: (await store.nameOf(tx, client.agency_id)) ?? '',
          to_name: toAgencyId ? ((await store.nameOf(tx, toAgencyId)) ?? '') : '',
          started_by: side,
          [`${side}_at`]: at,
          [`${side}_user`]: actor.userId,
          started_at: at,
          expires_at: new Date(at.getTime() + TRANSFER_DAYS * DAY_MS),
        });
        if (!isNew)
          throw new Refusal('conflict', 'This client already has a transfer that is not over. End it first.');
        const row = (await store.byId(tx, id))!;
        await note(
          tx,
          row,
          'start',
          {
            giving: `Started the transfer of ${row.client_name} to the agency of ${row.to_email}`,
            receiving: `${row.from_name} offered the client ${row.client_name}`,
          },
          { ctx, side },
        );
        const until = row.expires_at.toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' });
        await tell(tx, row, senders, 'receiving', 'offered', {
          subject: `${mailName(row.client_name)} would like to become your client`,
          lines: [
            `${mailName(row.from_name)} would hand over its client ${mailName(row.client_name)} to you, with its users, campaigns, and leads.`,
            `Nothing moves unless you, ${mailName(row.from_name)}, and the client agree by ${until}.`,
          ],
        });
        await tell(tx, row, senders, isClient ? 'giving' : 'client', 'offered', {
          subject: isClient
            ? `${mailName(row.client_name)} would like to move to another agency`
            : `${mailName(row.from_name)} would like to transfer your account`,
          lines: [
            isClient
              ? `${mailName(row.client_name)} asked to be transferred to the agency of ${row.to_email}.`
              : `${mailName(row.from_name)} would hand over your account to another agency. You will be asked once that agency agrees.`,
            `Nothing moves unless everyone agrees by ${until}.`,
          ],
        });
        return id;
      });
    },

    /** Agrees for the actor’s company. @throws Refusal 403, 404, 409, 422 */
    async agree(ctx: Ctx, id: string, keepBalance: boolean | undefined): Promise<void> {
      const { side, senders } = await visible(ctx, id);
      needAll(ctx, side);
      await asRoot(ctx.actor.rootId, async (tx) => {
        const row = (await store.byId(tx, id, true)) ?? missing();
        const at = clock.now();
        if (row.state !== 'offered') throw new Refusal('conflict', `This transfer is ${row.state}.`);
        if (!isOpen(row, at)) throw new Refusal('conflict', 'This transfer is expired. Start another.');
        if (row[`${side}_at`]) throw new Refusal('conflict', 'You have already agreed to this transfer.');
        if (!mayAgree(row, side, at))
          throw new Refusal('conflict', 'The receiving agency has to agree first.');
        if (side === 'giving' && keepBalance === undefined) throw refusalOf('keep_balance', 'is required');
        const now = { ...row, [`${side}_at`]: at };
        const isWhole = waitsFor(now).length === 0;
        await store.update(tx, id, {
          [`${side}_at`]: at,
          [`${side}_user`]: ctx.actor.userId,
          ...(side === 'giving' ? { keeps_balance: keepBalance! } : {}),
          ...(isWhole ? { state: 'settling' } : {}),
        });
        const agreed = {
          giving: `${row.from_name} agreed`,
          receiving: `${row.to_name} agreed`,
          client: 'The client agreed',
        }[side];
        await note(
          tx,
          row,
          'agree',
          {
            giving: `${agreed} to the transfer of ${row.client_name}`,
            receiving: `${agreed} to the transfer of ${row.client_name}`,
          },
          { ctx, side },
        );
        if (isWhole) await send(tx, row);
        else if (side === 'receiving' && row.client_at === null)
          await tell(tx, row, senders, 'client', 'asked', {
            subject: `${mailName(row.to_name)} agreed: your account can move`,
            lines: [
              `${mailName(row.from_name)} would hand over your account to ${mailName(row.to_name)}, which agreed.`,
              'Your users, campaigns, and leads would move. Nothing moves unless you agree.',
            ],
          });
      });
    },

    /** Withdraws, declines, or cancels. What was settled stays settled. @throws Refusal 404, 409 */
    async end(ctx: Ctx, id: string): Promise<void> {
      const { side, senders } = await visible(ctx, id);
      await asRoot(ctx.actor.rootId, async (tx) => {
        const row = (await store.byId(tx, id, true)) ?? missing();
        const at = clock.now();
        const to = endOf(row, side, at);
        if (!to)
          throw new Refusal(
            'conflict',
            `This transfer is ${row.state === 'offered' ? 'expired' : row.state}.`,
          );
        await store.update(tx, id, { state: to, ended_at: at, problem: '' });
        const words = `The transfer of ${mailName(row.client_name)} was ${to}`;
        await note(tx, row, to, { giving: words, receiving: words }, { ctx, side });
        for (const other of ['giving', 'receiving', 'client'] as const)
          if (other !== side)
            await tell(tx, row, senders, other, 'ended', {
              subject: words,
              lines: [
                `${words}. Nothing has moved.`,
                ...(to === 'canceled' && other !== 'receiving'
                  ? ['Campaigns that were paused for it stay paused until they are started again.']
                  : []),
              ],
            });
      });
    },

    /**
     * Runs the job now; if the current agency asks, with the actor’s rights from now on, and with what it decides about
     * the balance, which it can also change while others have yet to agree. @throws Refusal 403, 404, 409
     */
    async resume(ctx: Ctx, id: string, keepBalance?: boolean): Promise<void> {
      const { side } = await visible(ctx, id);
      needAll(ctx, side);
      await asRoot(ctx.actor.rootId, async (tx) => {
        const row = (await store.byId(tx, id, true)) ?? missing();
        const decides = side === 'giving' && keepBalance !== undefined && row.giving_at !== null;
        if (row.state !== 'settling' && !(decides && isOpen(row, clock.now())))
          throw new Refusal('conflict', 'Only a transfer that all have agreed to can go on.');
        if (side === 'giving')
          await store.update(tx, id, {
            giving_user: ctx.actor.userId,
            problem: '',
            ...(decides ? { keeps_balance: keepBalance } : {}),
          });
        if (row.state === 'settling') await send(tx, row);
        const owners = ownersOf(row);
        await audit.record(tx, ctx, {
          action: 'transfer.resume',
          objectKind: 'client_transfer',
          objectId: row.id,
          description: `Resumed the transfer of ${row.client_name}${decides ? `, ${keepBalance ? 'with' : 'without'} keeping balance as credit` : ''}`,
          owner: side === 'receiving' ? owners.receiving! : owners.client,
        });
      });
    },

    /**
     * Does what can be done now: every step looks at what there is, so that it may be interrupted, and run twice or at the
     * same time. Money that is under way is waited for. What else is missing is done by a later run.
     */
    async run({ rootId, transferId: id }: { rootId: string; transferId: string }): Promise<void> {
      const found = await asRoot(rootId, async (tx) => {
        const row = await store.byId(tx, id);
        if (row?.state !== 'settling') return null;
        const worker = await workerOf(tx, row.giving_user!);
        if (
          worker?.company_id === row.agency_id &&
          TRANSFER_NEEDS.every((permission) => mayNow(worker, permission))
        )
          return { row, worker };
        await store.update(tx, id, {
          problem:
            'Whoever agreed for the current agency may no longer transfer clients. Resume it to go on with your own rights.',
        });
        return null;
      });
      if (!found) return;
      const { row } = found;
      const ctx = actingFor(clock, found.worker);
      let problem = '';
      try {
        await stopCampaigns(ctx, row.company_id);
        await offboarding.endConfirmable(rootId, row.company_id, (await look(ctx, row.company_id)).facts);
        let { facts, balances } = await look(ctx, row.company_id);
        // A charge whose outcome is unknown may still become a balance.
        if (facts.charges + facts.refunds === 0 && facts.refundable > 0n) {
          problem = await offboarding.refundAll(ctx, row.company_id, balances);
          ({ facts, balances } = await look(ctx, row.company_id));
        }
        if (isReady(stepsOf(row, facts)) && (await move(ctx, id, facts.has, await sendersOf(row)))) {
          companies.forget(row.company_id);
          tenants.forgetHosts();
          visits.ingest.forgetSites();
          return;
        }
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        problem = error.message;
      }
      await asRoot(rootId, (tx) => store.update(tx, id, { problem: problem.slice(0, 500) }));
    },

    /** Goes on with every transfer of a root, ends those that have waited for too long, and moves what came late. */
    async sweep(rootId: string): Promise<void> {
      for (const row of await asRoot(rootId, (tx) => store.unfinished(tx, rootId))) {
        if (row.state === 'settling') await this.run({ rootId, transferId: row.id });
        else if (!isOpen(row, clock.now())) await this.expire(row);
      }
      const since = new Date(clock.now().getTime() - LATE_MS);
      for (const { id } of await asRoot(rootId, (tx) => store.doneSince(tx, rootId, since)))
        await asRoot(rootId, (tx) => store.moveLate(tx, id, LATE, clock.now()));
    },

    /** Ends a transfer that not everyone has agreed to in time. */
    async expire(known: Row): Promise<void> {
      const senders = await sendersOf(known);
      await asRoot(known.root_id, async (tx) => {
        const row = await store.byId(tx, known.id, true);
        const at = clock.now();
        if (row?.state !== 'offered' || isOpen(row, at)) return;
        await store.update(tx, row.id, { state: 'expired', ended_at: at });
        const words = `The transfer of ${mailName(row.client_name)} has expired`;
        await note(tx, row, 'expired', { giving: words, receiving: words });
        for (const side of ['giving', 'receiving', 'client'] as const)
          await tell(tx, row, senders, side, 'ended', {
            subject: words,
            lines: [`Not everyone agreed within ${TRANSFER_DAYS} days. Nothing has moved.`],
          });
      });
    },

    async work(): Promise<void> {
      await jobs.work(runJob, { pollingIntervalSeconds: 5 }, (payload) => this.run(payload));
      await jobs.work(sweepJob, { pollingIntervalSeconds: 60 }, () =>
        tenants.eachRoot((rootId) => this.sweep(rootId)),
      );
      await jobs.schedule(sweepJob, '*/15 * * * *', {});
    },
  };
}

import { z } from 'zod';
import { MOST_TRUSTED } from '../../../../contract/campaigns/held.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { defineJob } from '../../../platform/jobs.ts';
import { mailName } from '../../../platform/mail-name.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Notices } from '../../money/ledger/index.ts';
import type { Campaigns } from '../campaigns/index.ts';
import type { HeldReason } from './signup.policy.ts';
import { MOST } from './signup.store.ts';
import { readNetwork } from './trust.policy.ts';
import * as store from './trust.store.ts';

/** An email about held sign-ups waits this long, so that it covers the whole burst. */
const GATHER_MS = 15 * 60_000;

const tellJob = defineJob('visits.held', z.object({ rootId: z.uuid(), companyId: z.uuid() }));

const askJob = defineJob('visits.ask_trust', z.object({ rootId: z.uuid(), id: z.uuid() }));

const REASON_WORDS: Record<HeldReason, string> = {
  no_view: 'without a page view',
  browser: 'from one browser',
  address: 'from one address',
  network: 'from one network',
  burst: 'at a much higher volume than usual',
};
const signUps = (count: number): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? 'sign-up' : 'sign-ups'}`;

interface Asked {
  campaign_id: string;
  network: string;
  note: string;
  every_campaign: boolean;
}

export type Trust = ReturnType<typeof createTrust>;

/** Places whose sign-ups are trusted, and emails about held sign-ups. */
export function createTrust(
  platform: Platform,
  deps: { audit: Audit; campaigns: Campaigns; notices: Notices; tenants: Tenants },
) {
  const { db, clock, jobs } = platform;
  const { audit, campaigns, notices, tenants } = deps;

  async function visible(tx: Tx, campaignId: string) {
    const campaign = await campaigns.visible(tx, campaignId);
    if (!campaign) throw new Refusal('not_found', 'campaign_id: no such campaign exists');
    return campaign;
  }

  async function add(ctx: Ctx, asked: Asked, isTrusted: boolean): Promise<void> {
    const network = readNetwork(asked.network);
    const at = clock.now();
    const id = newId(at);
    await inScope(db.app, ctx.scope, async (tx) => {
      const campaign = await visible(tx, asked.campaign_id);
      const owner = {
        root_id: campaign.root_id,
        agency_id: campaign.agency_id,
        company_id: campaign.company_id,
      };
      await store.lockTrusted(tx, owner.company_id);
      const isNew = await store.addTrusted(tx, {
        ...owner,
        id,
        campaign_id: asked.every_campaign ? null : campaign.id,
        network,
        note: asked.note,
        at,
        by: ctx.actor.userId,
        isTrusted,
      });
      if (!isNew) throw refusalOf('network', 'is already on the list', 'conflict');
      if ((await store.countTrusted(tx, owner.company_id)) > MOST_TRUSTED)
        throw refusalOf('network', `would exceed the limit of ${MOST_TRUSTED} per client`);
      const where = asked.every_campaign ? 'all campaigns of the client' : `campaign #${campaign.number}`;
      await audit.record(tx, ctx, {
        action: isTrusted ? 'visits.trust' : 'visits.ask_trust',
        objectKind: 'campaign',
        objectId: campaign.id,
        description: `${isTrusted ? 'Trusted' : 'Asked to trust'} sign-ups from ${network} on ${where}`,
        owner,
      });
      if (!isTrusted) await jobs.send(tx, askJob, [{ rootId: owner.root_id, id }]);
    });
  }

  /**
   * Emails the client and agency about what is currently held; sends nothing if all of it has been decided in the
   * meantime.
   */
  async function tell({ rootId, companyId }: z.infer<typeof tellJob.payload>): Promise<void> {
    const found = await inScope(db.app, { rootId }, async (tx) => {
      const client = await tenants.company(tx, companyId);
      return client?.agency_id ? { name: client.name, agency_id: client.agency_id } : undefined;
    });
    if (!found) return;
    const client = { root_id: rootId, agency_id: found.agency_id, company_id: companyId };
    const sender = await notices.sender(client);
    await inScope(db.app, { rootId }, async (tx) => {
      const reasons = await store.heldReasons(tx, companyId, MOST.counted);
      const total = reasons.reduce((sum, { count }) => sum + Number(count), 0);
      if (total === 0) return;
      // Of more than are counted, these are the newest.
      const all = total < MOST.counted ? signUps(total) : `${total.toLocaleString('en-US')} or more sign-ups`;
      const list = reasons.map(
        ({ reason, count }) => `${signUps(Number(count))} ${REASON_WORDS[reason as HeldReason]}`,
      );
      const page = { label: 'Review held sign-ups', path: '/dashboard' };
      await notices.tell(
        tx,
        'visits.held',
        sender,
        { ...client, company_id: found.agency_id },
        {
          subject: `Review ${all} for ${mailName(found.name)}`,
          lines: [
            `These sign-ups on ${found.name} sites look automated:`,
            ...list,
            'They do not become leads and cost nothing until you release them. Sign-ups that are not released are deleted after 30 days.',
            'If they come from an office or a call center, you can trust its address there.',
          ],
          page,
        },
      );
      await notices.tell(tx, 'visits.held', sender, client, {
        subject: `Held for review: ${all} on your site`,
        lines: [
          'These sign-ups on your sites look automated:',
          ...list,
          `They do not become leads and cost nothing unless ${sender.name} releases them. You can request a release. Sign-ups that are not released are deleted after 30 days.`,
        ],
        page: { ...page, label: 'View held sign-ups' },
      });
    });
  }

  /** Emails the agency that its client asks to trust an address, unless the agency has decided in the meantime. */
  async function tellAsked({ rootId, id }: z.infer<typeof askJob.payload>): Promise<void> {
    const asked = await inScope(db.app, { rootId }, (tx) => store.askedFor(tx, id));
    if (!asked) return;
    const owner = { root_id: rootId, agency_id: asked.agency_id, company_id: asked.agency_id };
    const sender = await notices.sender(owner);
    await inScope(db.app, { rootId }, (tx) =>
      notices.tell(tx, 'visits.ask_trust', sender, owner, {
        subject: `${mailName(asked.client)} asks you to trust an address`,
        lines: [
          `${asked.client} asks you not to hold sign-ups from ${asked.network} for high volume, on ${asked.campaign ?? 'all its campaigns'}.`,
          ...(asked.note ? [`Note from the client: ${asked.note}`] : []),
          'Trust it only if you recognize it. To decide, go to Campaigns, open one of the client’s campaigns, select the Why not tab, and go to Trusted addresses.',
        ],
        page: { label: 'Open the dashboard', path: '/dashboard' },
      }),
    );
  }

  return {
    /** Returns which of these senders are trusted, as indexes into the list. */
    among: store.trustedAmong,

    /** Notifies a client and its agency that sign-ups are held, once in 24 hours, after the burst has come in. */
    async tellOf(
      tx: Tx,
      owners: { root_id: string; agency_id: string; company_id: string }[],
    ): Promise<void> {
      const at = clock.now();
      for (const owner of owners)
        if (await store.tellNow(tx, owner, at))
          await jobs.send(tx, tellJob, [{ rootId: owner.root_id, companyId: owner.company_id }], {
            startAfter: new Date(at.getTime() + GATHER_MS),
          });
    },

    tell,
    tellAsked,

    /**
     * Returns what is trusted, or requested, for a campaign and its client.
     * @throws Refusal 404 for another company's campaign
     */
    list: (ctx: Ctx, campaignId: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { company_id } = await visible(tx, campaignId);
        return store.listTrusted(tx, company_id, campaignId);
      }),

    /**
     * Trusts an address or network from now on.
     * @throws Refusal 422 for an invalid one, 409 for one that is already trusted
     */
    trust: (ctx: Ctx, asked: Asked) => add(ctx, asked, true),
    /**
     * Records that the client wants an address or network trusted.
     * @throws Refusal as `trust`
     */
    ask: (ctx: Ctx, asked: Asked) => add(ctx, asked, false),

    /**
     * Stops trusting an address or network, or declines the request.
     * @throws Refusal 404 for another company's
     */
    remove: (ctx: Ctx, id: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const gone = await store.removeTrusted(tx, id);
        if (!gone) throw new Refusal('not_found', 'id: no such address exists');
        await audit.record(tx, ctx, {
          action: 'visits.untrust',
          objectKind: gone.campaign_id ? 'campaign' : 'company',
          objectId: gone.campaign_id ?? gone.company_id,
          description: `Stopped trusting sign-ups from ${gone.network}`,
          owner: { root_id: gone.root_id, agency_id: gone.agency_id, company_id: gone.company_id },
        });
      }),

    /** Registers the jobs of a worker. */
    async start(): Promise<void> {
      await jobs.work(tellJob, { pollingIntervalSeconds: 30 }, tell);
      await jobs.work(askJob, { pollingIntervalSeconds: 30 }, tellAsked);
    },
  };
}

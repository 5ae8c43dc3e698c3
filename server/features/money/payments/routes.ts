import type { FastifyInstance } from 'fastify';
import { Refusal } from '../../../../contract/errors.ts';
import type { contract } from '../../../../contract/index.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { inScope } from '../../../platform/db/scope.ts';
import type { Handlers, PlainRoute } from '../../../platform/http/routes.ts';
import { page } from '../../../platform/page.ts';
import type { Platform } from '../../../platform/platform.ts';
import { SANDBOX_CARDS } from '../../../providers/sandbox-cards/index.ts';
import { type Account, holdsOwn } from './account.service.ts';
import { microsOfCents } from './policy.ts';
import type { Payments } from './service.ts';

/**
 * Where the provider sends an account's owner back to: that step asks for the account's state, and creates a new link.
 */
const BACK = {
  setup: '/user/profile-setup',
  settings: '/configuration/general-setting?tab=payment',
} as const;
const SALES_BACK = '/configuration/sales-connect-account';
/** Notices are small; Stripe's largest objects are far below this. */
const NOTICE_BYTES = 256 * 1024;

const done = (message: string) => ({ result: 'success' as const, message });
const stateOf = ({ status, charges_enabled, payouts_enabled, requirements }: Account) => ({
  account_status: status,
  charges_enabled,
  payouts_enabled,
  account_requirements: requirements,
});

/** The routes of the feature. */
export function paymentsRoutes(
  payments: Payments,
  { db }: Pick<Platform, 'db'>,
): Handlers<typeof contract.payments> {
  const { cards, accounts, core, checks, payouts, sandbox } = payments;
  const gateway = payments.gateway.provider;
  const saved = async (finished: ReturnType<typeof cards.finishOwn>) => {
    const card = await finished;
    return { ...done(ownMessages.cardSaved), card_id: card.id, card };
  };
  const entered = (result: { status: 'saved' | 'authenticate' } | { status: 'failed'; message: string }) => ({
    status: result.status,
    message: result.status === 'failed' ? result.message : '',
  });
  /**
   * Returns a charge of the user's own company.
   * @throws Refusal 404
   */
  const ownCharge = async (ctx: Parameters<typeof cards.startOwn>[0], id: string): Promise<void> => {
    const mine = await inScope(db.app, ctx.scope, (tx) => core.ownedBy(tx, id, ctx.actor.companyId));
    if (!mine) throw new Refusal('not_found', ownMessages.notFound);
  };
  return {
    async card(ctx) {
      return inScope(db.app, { rootId: ctx.actor.rootId }, async (tx) => {
        const card = (await cards.of(tx, ctx.actor.companyId)) ?? null;
        const { rootId, agencyId, companyId } = ctx.actor;
        const usable = await cards
          .chargeable(tx, { root_id: rootId, agency_id: agencyId, company_id: companyId })
          .then(
            () => true,
            (error) => {
              if (error instanceof Refusal) return false;
              throw error;
            },
          );
        return { card, card_id: card?.id ?? '', usable, gateway };
      });
    },
    async startCard(ctx) {
      const form = await cards.startOwn(ctx);
      return {
        setup: form.setup,
        client_secret: form.clientSecret,
        publishable_key: payments.gateway.publishableKey,
        stripe_account: form.account,
        gateway,
        test_cards: gateway === 'sandbox' ? SANDBOX_CARDS.map(({ number, name }) => ({ number, name })) : [],
      };
    },
    putCard: (ctx, { setup }) => saved(cards.finishOwn(ctx, setup)),
    customer: (ctx, { setup }) => saved(cards.finishOwn(ctx, setup)),
    customerDirect: (ctx, { setup }) => saved(cards.finishOwn(ctx, setup)),
    async removeCard(ctx) {
      await cards.removeOwn(ctx);
      return done(ownMessages.cardRemoved);
    },
    async authentication(ctx, { id }) {
      await ownCharge(ctx, id);
      const needed = await core.authentication(ctx.actor.rootId, id);
      if (!needed) throw new Refusal('conflict', ownMessages.notAuthenticable);
      return {
        client_secret: needed.clientSecret,
        publishable_key: payments.gateway.publishableKey,
        stripe_account: needed.account,
        gateway,
      };
    },
    async checkCharge(ctx, { id }) {
      await ownCharge(ctx, id);
      const result = await core.ask(ctx.actor.rootId, id);
      const message = {
        succeeded: ownMessages.chargeSucceeded,
        unknown: ownMessages.chargeUnknown,
        declined: result.charge.declineMessage ?? '',
      }[result.status];
      return { status: result.status, message };
    },
    createAccount: async (ctx) => ({
      ...done(ownMessages.accountOpened),
      ...stateOf(await accounts.create(ctx)),
    }),
    async linkAccount(ctx, { from }) {
      const back = holdsOwn(ctx) ? SALES_BACK : BACK[from];
      const { url, expiresAt } = await accounts.link(ctx, { refresh: back, back });
      return { url, expires_at: expiresAt.toISOString() };
    },
    async checkAccount(ctx) {
      const state = stateOf(await accounts.check(ctx));
      const change = await accounts.change(ctx);
      return {
        ...state,
        change: change ? { asked_by: change.asked_by ?? '', at: change.effective_at.toISOString() } : null,
      };
    },
    async keepAccount(ctx) {
      await accounts.keep(ctx);
      return done(ownMessages.accountKept);
    },
    async resetAccount(ctx) {
      const { account, waitsUntil } = await accounts.reset(ctx);
      const message = waitsUntil
        ? ownMessages.accountResetWaits(waitsUntil.toLocaleDateString('en-US', { dateStyle: 'long' }))
        : holdsOwn(ctx)
          ? ownMessages.ownAccountReset
          : ownMessages.accountReset;
      return { ...done(message), ...stateOf(account) };
    },

    payouts: async (ctx) => ({ data: await payouts.list(ctx), gateway }),
    payout: async (ctx, { id }) => ({ data: await payouts.parts(ctx, id) }),

    async problems(ctx, input) {
      const { rows, counts, total } = await checks.page(ctx, input);
      const data = rows.map((row) => ({
        ...row,
        amount_micros: Number(microsOfCents(row.amount_cents)),
        refunded_micros: Number(microsOfCents(row.refunded_cents)),
        next_ask_at: row.next_ask_at?.toISOString() ?? null,
        created_at: row.created_at.toISOString(),
      }));
      return { ...page(data, total, input), counts, gateway };
    },
    askCharge: async (ctx, { id }) => ({
      ...done(ownMessages.chargeAsked),
      state: await checks.ask(ctx, id),
    }),
    settleCharge: async (ctx, { id, state, reason }) => ({
      ...done(ownMessages.chargeSettled),
      state: await checks.settle(ctx, id, state, reason),
    }),
    refundCharge: async (ctx, { id, amount, reason, idempotency_key: idempotencyKey }) => ({
      ...done(ownMessages.refundAsked),
      status: await checks.refund(ctx, id, { amount, reason, key: idempotencyKey }),
    }),
    async resolve(ctx, { id, reason }) {
      await checks.resolve(ctx, id, reason);
      return done(ownMessages.differenceResolved);
    },
    compare: async (ctx) => ({ ...done(ownMessages.compared), ...(await checks.compareNow(ctx)) }),

    sandboxEnter: async (_ctx, input) =>
      entered(
        await sandbox.enter({
          clientSecret: input.client_secret,
          number: input.number,
          expMonth: input.exp_month,
          expYear: input.exp_year,
          cvc: input.cvc,
        }),
      ),
    sandboxAuthenticate: async (_ctx, { client_secret, passed }) =>
      entered(await sandbox.authenticate(client_secret, passed === 'T')),
    sandboxOpen: (ctx, { token }) => sandbox.open(ctx, token),
    sandboxSubmit: async (ctx, { verdict }) => ({
      ...done(ownMessages.sandboxAccount),
      ...stateOf(await sandbox.submit(ctx, verdict)),
    }),
  };
}

/** Where the provider sends its notifications, for the OpenAPI document. */
export const noticeRoute: PlainRoute = {
  method: 'POST',
  url: '/api/payment/notice',
  access: 'open',
  tag: 'Payments',
  summary: 'Receives signed notifications from the card provider (webhook endpoint)',
  handler: async () => null,
};

/**
 * The provider's entry point: requests are signed, so no one is signed in; the body is read as received, since the
 * signature covers it.
 */
export function addNoticeRoute(app: FastifyInstance, payments: Payments): void {
  void app.register(async (inner) => {
    inner.removeAllContentTypeParsers();
    inner.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: NOTICE_BYTES },
      (_request, body, finish) => finish(null, body),
    );
    inner.post(
      '/api/payment/notice',
      { config: { access: 'open', call: '/api/payment/notice' }, bodyLimit: NOTICE_BYTES },
      async (request, reply) => {
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        const outcome = await payments.notices.take(body, request.headers);
        return reply.header('Cache-Control', 'no-store').send({ result: 'success', outcome });
      },
    );
  });
}

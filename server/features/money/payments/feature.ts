import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { createGateway } from '../../../providers/payments.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import { exports } from './exports.ts';
import { startPayments } from './jobs.ts';
import type { CardParts } from './parts.ts';
import { addNoticeRoute, noticeRoute, paymentsRoutes } from './routes.ts';
import { sandboxStore } from './sandbox.store.ts';
import { createPayments, type Payments } from './service.ts';

export const feature = defineFeature({
  name: 'money/payments',
  about: 'Cards, charges, refunds, disputes, connected accounts, and payouts, through the card provider.',
  tables: [
    'account_change',
    'charge',
    'connected_account',
    'payment_card',
    'payment_customer',
    'payment_dispute',
    'payment_mismatch',
    'payment_notice',
    'refund',
    'sales_account',
    'sandbox_network',
  ],
  reads: ['company', 'user_account'],
  create(
    platform,
    below: Omit<Parameters<typeof createPayments>[1], 'gateway' | 'onStep'> & { cards: CardParts },
  ) {
    const { around = (gateway) => gateway, onStep, ...waits } = below.cards;
    const gateway = around(
      createGateway(platform.config, {
        clock: platform.clock,
        store: sandboxStore(platform.db.app),
        onboardingUrl: (token) => `/user/sandbox-account/${token}`,
        ...waits,
      }),
    );
    return { payments: createPayments(platform, { ...below, gateway, onStep }) };
  },
  http: ({ payments }: { payments: Payments }, platform) => ({
    calls: [serve(contract.payments, paymentsRoutes(payments, platform))],
    documented: [noticeRoute],
    mount: (server) => addNoticeRoute(server, payments),
  }),
  work: ({ payments, tenants }: { payments: Payments; tenants: Tenants }, platform) =>
    startPayments(payments, tenants, platform),
  exports,
});

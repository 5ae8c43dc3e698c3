import { ManualClock } from '../platform/clock.ts';
import { createStripeGateway } from '../providers/stripe/index.ts';
import { createStripeTax } from '../providers/stripe/tax.ts';
import { startStripeServer } from './stripe-server.ts';

export const secretKey = 'sk_test_51loopback';
const webhookSecret = 'whsec_platform';
export const apiVersion = '2026-10-28.endive';

/** The Stripe adapter and the server it talks to. */
export async function openStripe({ webhookSecrets = [webhookSecret], timeoutMs = 2500 } = {}) {
  const clock = new ManualClock('2026-03-01T12:00:00Z');
  const server = await startStripeServer({
    clock,
    secretKey,
    webhookSecret,
    apiVersion,
    lateMs: timeoutMs + 300,
  });
  const parts = { secretKey, publishableKey: 'pk_test_51loopback', webhookSecrets, timeoutMs };
  const gateway = createStripeGateway({ ...parts, apiBase: server.url, clock });
  const tax = createStripeTax({ ...parts, apiBase: server.url });
  return {
    gateway,
    tax,
    clock,
    server,
    parts,
    async enterCard(start: { clientSecret: string }, number: string, passes?: boolean) {
      server.enterCard(start.clientSecret, number, passes);
    },
    async authenticateCharge(clientSecret: string, passes: boolean) {
      server.authenticate(clientSecret, passes);
    },
    async onboard(account: string, step: 'submitted' | 'approved' | 'rejected') {
      server.setAccount(account, stages[step]);
    },
    notices: async () => server.notices(),
    captured: async (account?: string) => server.captured(account),
    payOut: async (account = '') => server.payOut(account),
    refundThere: async (charge: string, amountCents: number) => void server.refundThere(charge, amountCents),
    requests: () => server.requests.length,
    settle: () => new Promise<void>((done) => setTimeout(done, 600)),
    close: () => server.close(),
  };
}

export const requirements = {
  currently_due: [],
  past_due: [],
  pending_verification: [],
  disabled_reason: null,
};
const stages = {
  submitted: {
    details_submitted: true,
    requirements: {
      ...requirements,
      pending_verification: ['individual.verification.document'],
      disabled_reason: 'requirements.pending_verification',
    },
  },
  approved: { details_submitted: true, charges_enabled: true, payouts_enabled: true, requirements },
  rejected: { requirements: { ...requirements, disabled_reason: 'rejected.fraud' } },
};

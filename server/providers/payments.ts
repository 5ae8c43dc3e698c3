import type { Clock } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import { derive } from '../platform/crypto.ts';
import { createSandboxGateway, type SandboxGateway, type SandboxStore } from './sandbox-cards/index.ts';
import { createStripeGateway, type StripeGateway } from './stripe/index.ts';

/** What a gateway needs besides the settings. */
export interface GatewayParts {
  clock: Clock;
  /** Where the sandbox keeps its network. */
  store: SandboxStore;
  /** Where the sandbox's form for an account's owner is. */
  onboardingUrl: (token: string) => string;
}

/**
 * The installation's way to a card network: Stripe when it is configured, else the sandbox. `provider` tells which; the
 * sandbox has calls of its own for the pages that the provider has elsewhere.
 */
export function createGateway(
  config: Pick<Config, 'appKey' | 'stripe'>,
  { clock, store, onboardingUrl }: GatewayParts,
): SandboxGateway | StripeGateway {
  if (config.stripe) return createStripeGateway({ ...config.stripe, clock });
  return createSandboxGateway({
    clock,
    store,
    onboardingUrl,
    secret: derive(config.appKey, 'sandbox-cards'),
  });
}

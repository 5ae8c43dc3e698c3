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
  /** How long the sandbox waits for an answer that does not come, and how; a test moves its clock instead. */
  answerTimeoutMs?: number;
  wait?: (milliseconds: number) => Promise<void>;
}

/** The installation's way to a card network. */
export type CardGateway = SandboxGateway | StripeGateway;

/**
 * The installation's way to a card network: Stripe when it is configured, else the sandbox. `provider` tells which; the
 * sandbox has calls of its own for the pages that the provider has elsewhere.
 */
export function createGateway(
  config: Pick<Config, 'appKey' | 'stripe'>,
  { clock, ...sandbox }: GatewayParts,
): CardGateway {
  if (config.stripe) return createStripeGateway({ ...config.stripe, clock });
  return createSandboxGateway({
    clock,
    ...sandbox,
    secret: derive(config.appKey, 'sandbox-cards'),
  });
}

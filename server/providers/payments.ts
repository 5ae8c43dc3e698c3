import type { Clock } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import { derive } from '../platform/crypto.ts';
import { createSandboxGateway, type SandboxGateway, type SandboxStore } from './sandbox-cards/index.ts';
import { createStripeGateway, type StripeGateway } from './stripe/index.ts';

/** What a gateway needs in addition to the settings. */
export interface GatewayParts {
  clock: Clock;
  /** Where the sandbox keeps its network. */
  store: SandboxStore;
  /** The address of the sandbox's form for account owners. */
  onboardingUrl: (token: string) => string;
  /** How long the sandbox waits for an answer that does not come, and how; a test advances its clock instead. */
  answerTimeoutMs?: number;
  wait?: (milliseconds: number) => Promise<void>;
}

/** The installation's connection to a card network. */
export type CardGateway = SandboxGateway | StripeGateway;

/**
 * The installation's connection to a card network: Stripe if configured, otherwise the sandbox. `provider` says which;
 * the sandbox has extra calls for the pages that a provider hosts itself.
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

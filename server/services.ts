import type { StandIns } from './features/campaigns/connections/index.ts';
import { FEATURES } from './features/index.ts';
import type { CardParts } from './features/money/payments/index.ts';
import { createDns, type Dns } from './platform/dns.ts';
import type { Feature } from './platform/feature.ts';
import { createLimits, type Limits } from './platform/limits.ts';
import { createOutbound, type Outbound } from './platform/outbound.ts';
import type { Platform } from './platform/platform.ts';

/** What the demo and the tests put in the place of the world outside. */
export interface World {
  /** host:port that our own requests may reach even though it is loopback: the demo's shop and receiver. */
  outboundExceptions?: string[] | undefined;
  /** How the sandbox waits, and where tests intercept calls to the card network. */
  cards?: CardParts | undefined;
  /** Looks up the tenants' domains; by default, the name servers are queried. */
  dns?: Dns | undefined;
  /** Servers that stand in for the vendors that leads are delivered to, by vendor: the demo's and the tests' own. */
  standIns?: StandIns | undefined;
}

/** What every feature may use besides the platform. */
interface Base {
  outbound: Outbound;
  dns: Dns;
  limits: Limits;
  cards: CardParts;
  standIns: StandIns;
}

type Both<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;
/** Every service of the product, by name. */
export type Services = Base & Both<ReturnType<(typeof FEATURES)[number]['create']>>;

/** The features as one type. The compiler checks here that each service that one of them uses exists. */
export const features: readonly Feature<Services>[] = FEATURES;

/** Every list that can be downloaded. */
export const EXPORTS = features.flatMap((one) => one.exports ?? []);

/** Makes every service, in the order of the features. */
export function createServices(platform: Platform, world: World = {}): Services {
  const base: Base = {
    outbound: createOutbound({ allow: world.outboundExceptions ?? [] }),
    dns: world.dns ?? createDns(platform.config.dnsServers),
    limits: createLimits(platform),
    cards: world.cards ?? {},
    standIns: world.standIns ?? {},
  };
  // Filled as they are made: a feature may hold on to it, to ask one above it later.
  const services = base as Services;
  for (const one of features) Object.assign(services, one.create(platform, services));
  return services;
}

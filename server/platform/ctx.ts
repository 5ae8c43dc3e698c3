import { Refusal } from '../../contract/errors.ts';
import { messages, ownMessages } from '../../contract/messages.ts';
import type { RoleModule } from '../../contract/people.ts';
import { type Grade, mayPerson, type Permission } from '../../contract/permissions.ts';
import type { Clock } from './clock.ts';
import type { Scope } from './db/scope.ts';

export type CompanyKind = 'root' | 'agency' | 'client';

/** The tenant that the request's host belongs to. */
export interface Tenant {
  host: string;
  companyId: string;
  kind: CompanyKind;
  rootId: string;
  agencyId: string | null;
  companyName: string;
  timeZone: string;
}

/** How somebody can confirm who they are: by their password or a code of their authenticator app, or by a passkey instead. */
export type Confirmation = 'password' | 'code' | 'passkey';

/** The signed-in person. */
export interface Actor {
  userId: string;
  sessionId: string;
  rootId: string;
  agencyId: string | null;
  companyId: string;
  kind: CompanyKind;
  grade: Grade;
  isAccountExecutive: boolean;
  /** The rows of an administrator's role; null: all that the grade may. */
  modules: RoleModule[] | null;
  /** In view mode the person who really acts, while all the rest is that of the person viewed; else null. */
  trueActor: TrueActor | null;
  /** Whether the session can only set up the second factor that is required of the person. */
  needsFactor?: boolean;
}

/** Who acts in view mode. */
export interface TrueActor {
  userId: string;
  name: string;
  companyId: string;
  kind: CompanyKind;
  grade: Grade;
}

/** Whether somebody is a sales person, who has to do with what is in their care alone. */
export const isSales = (who: { grade: Grade }): boolean =>
  who.grade === 'root.sales' || who.grade === 'agency.sales';

/** What a person may see: a root's people its system, an agency's their agency and its clients, a client's themselves. */
export function scopeOf(who: {
  rootId: string;
  agencyId: string | null;
  companyId: string;
  kind: CompanyKind;
}): Scope {
  return {
    rootId: who.rootId,
    agencyId: who.kind === 'root' ? undefined : (who.agencyId ?? undefined),
    companyId: who.kind === 'client' ? who.companyId : undefined,
  };
}

/** Everything a call knows besides its input. */
export class Ctx {
  readonly tenant: Tenant;
  readonly requestId: string;
  readonly clock: Clock;
  readonly ip: string;
  readonly userAgent: string;
  /** Scheme, host and port as the person typed them, e.g. http://acme.localhost:8080 */
  readonly origin: string;
  readonly #actor: Actor | null;
  readonly #unconfirmed: (() => Promise<Confirmation[] | null>) | undefined;

  constructor(parts: {
    tenant: Tenant;
    actor: Actor | null;
    requestId: string;
    clock: Clock;
    ip: string;
    userAgent: string;
    origin: string;
    /** How the person can confirm who they are, or null when they have just done so. */
    unconfirmed?: (() => Promise<Confirmation[] | null>) | undefined;
  }) {
    this.tenant = parts.tenant;
    this.#actor = parts.actor;
    this.requestId = parts.requestId;
    this.clock = parts.clock;
    this.ip = parts.ip;
    this.userAgent = parts.userAgent;
    this.origin = parts.origin;
    this.#unconfirmed = parts.unconfirmed;
  }

  /** The signed-in person. Throws 401 on a call that nobody signed in for. */
  get actor(): Actor {
    if (!this.#actor) throw new Refusal('unauthenticated', messages.unauthenticated);
    return this.#actor;
  }

  get scope(): Scope {
    return scopeOf(this.actor);
  }

  /** Whether the signed-in person may. */
  may(permission: Permission): boolean {
    return mayPerson(this.actor.grade, this.actor.modules, permission);
  }

  /** For what a call needs besides its own permission. @throws Refusal 403 when the person may not */
  need(permission: Permission): void {
    if (!this.may(permission)) throw new Refusal('forbidden', ownMessages.forbidden);
  }

  /**
   * For what a session that was left open, or a script in its pages, must not do. @throws Refusal 403 whose `errors.confirm`
   * says how to confirm who one is
   */
  async mustBeConfirmed(): Promise<void> {
    const how = await this.#unconfirmed?.();
    if (how) throw new Refusal('forbidden', ownMessages.confirmFirst, { errors: { confirm: how } });
  }
}

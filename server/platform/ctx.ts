import { type Grade, inSalesView, mayPerson, type Permission } from '../../contract/accounts/permissions.ts';
import type { RoleModule } from '../../contract/accounts/users.ts';
import { Refusal } from '../../contract/errors.ts';
import { messages, ownMessages } from '../../contract/messages.ts';
import type { Clock } from './clock.ts';
import type { Scope, Tx } from './db/scope.ts';

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

/**
 * How a user can confirm their identity: by their password or a code from their authenticator app, or by a passkey
 * instead.
 */
export type Confirmation = 'password' | 'code' | 'passkey';

/** What is confirmed: any change, or one that gives someone a way in or rights. */
export type Confirmed = 'change' | 'access';

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
  /** The rows of an administrator's role; null for everything that the grade may do. */
  modules: RoleModule[] | null;
  /**
   * In view mode, the user who is really acting, while everything else is that of the user being viewed; otherwise
   * null.
   */
  trueActor: TrueActor | null;
  /** 'sso': an agency's program signed them in, so that what they do may be the agency's. */
  via?: 'sso' | null;
  /** Whether the session can only set up the second factor that the user is required to have. */
  needsFactor?: boolean;
}

/** The real user in view mode. */
export interface TrueActor {
  userId: string;
  name: string;
  companyId: string;
  kind: CompanyKind;
  grade: Grade;
}

/** Whether the user is a sales person, who only has access to what is in their care. */
export const isSales = (who: { grade: Grade }): boolean =>
  who.grade === 'root.sales' || who.grade === 'agency.sales';

/** Whether a sales person is looking at a company in view mode. */
export const isSalesView = ({ trueActor }: Pick<Actor, 'trueActor'>): boolean =>
  trueActor !== null && isSales(trueActor);

/**
 * Returns what a user may see: a root's people see its system, an agency's people see their agency and its clients, a
 * client's people see their client.
 */
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

/** A change as the user log records it. */
export interface Change {
  action: string;
  objectId: string;
}

/** The parts of a context. */
interface CtxParts {
  tenant: Tenant;
  actor: Actor | null;
  requestId: string;
  clock: Clock;
  ip: string;
  userAgent: string;
  origin: string;
  /** How the user can confirm their identity, or null if they have just done so. Throws a Refusal if they cannot. */
  unconfirmed?: ((what: Confirmed) => Promise<Confirmation[] | null>) | undefined;
  /** Runs at the end of each transaction in which the user changed something, before it is committed. */
  beforeCommit?: ((tx: Tx, changes: Change[]) => Promise<void>) | undefined;
  /** Whether the request only reads (Scope.isRead). */
  isRead?: boolean | undefined;
  /** Throws a Refusal if the user may no longer make this request. */
  still?: (() => Promise<void>) | undefined;
}

/** Everything a request handler knows in addition to its input. */
export class Ctx {
  readonly tenant: Tenant;
  readonly requestId: string;
  readonly clock: Clock;
  readonly ip: string;
  readonly userAgent: string;
  /** Scheme, host and port as the person typed them, e.g. http://acme.localhost:8080 */
  readonly origin: string;
  readonly #parts: CtxParts;
  readonly #changes = new WeakMap<Tx, Change[]>();
  readonly #tx: Tx | undefined;

  /** @param tx a transaction of the actor's scope, to work in instead of new ones */
  constructor(parts: CtxParts, tx?: Tx) {
    this.tenant = parts.tenant;
    this.requestId = parts.requestId;
    this.clock = parts.clock;
    this.ip = parts.ip;
    this.userAgent = parts.userAgent;
    this.origin = parts.origin;
    this.#parts = parts;
    this.#tx = tx;
  }

  /** The signed-in user. Throws 401 if the request is not authenticated. */
  get actor(): Actor {
    const { actor } = this.#parts;
    if (!actor) throw new Refusal('unauthenticated', messages.unauthenticated);
    return actor;
  }

  get scope(): Scope {
    const { beforeCommit, isRead } = this.#parts;
    return {
      ...scopeOf(this.actor),
      ...(isRead ? { isRead } : {}),
      ...(this.#tx ? { tx: this.#tx } : {}),
      ...(beforeCommit
        ? {
            beforeCommit: async (tx) => {
              const changes = this.#changes.get(tx);
              if (changes) await beforeCommit(tx, changes);
            },
          }
        : {}),
    };
  }

  /** The same request, reading in a transaction of the actor's scope that has begun: it sees what that one wrote. */
  within(tx: Tx): Ctx {
    return new Ctx(this.#parts, tx);
  }

  /** The same request, which only reads: whatever would change something in the actor's scope is refused. */
  reading(): Ctx {
    return new Ctx({ ...this.#parts, isRead: true }, this.#tx);
  }

  /** The same request, with something to do before what it changes is committed. */
  before(beforeCommit: NonNullable<CtxParts['beforeCommit']>): Ctx {
    return new Ctx({ ...this.#parts, beforeCommit });
  }

  /** Notes a change that a transaction makes. Called by the user log. */
  note(tx: Tx, change: Change): void {
    this.#changes.set(tx, [...(this.#changes.get(tx) ?? []), change]);
  }

  /** Returns whether the signed-in user has the permission. */
  may(permission: Permission): boolean {
    const { actor } = this;
    return (
      mayPerson(actor.grade, actor.modules, permission) && (!isSalesView(actor) || inSalesView(permission))
    );
  }

  /**
   * Requires a permission in addition to the endpoint's own.
   * @throws Refusal 403 if the user does not have it
   */
  need(permission: Permission): void {
    if (!this.may(permission)) throw new Refusal('forbidden', ownMessages.forbidden);
  }

  /**
   * Judges the user again, as the request was judged when it began: for what takes long before it changes anything.
   * @throws Refusal 401, 403
   */
  async mustStill(): Promise<void> {
    await this.#parts.still?.();
  }

  /**
   * Guards actions that a session that was left open, or a script in its pages, must not perform. For 'access', neither
   * must a program that signed someone in who has no password.
   * @throws Refusal 403 whose `errors.confirm` says how to confirm one's identity
   */
  async mustBeConfirmed(what: Confirmed = 'change'): Promise<void> {
    const how = await this.#parts.unconfirmed?.(what);
    if (how) throw new Refusal('forbidden', ownMessages.confirmFirst, { errors: { confirm: how } });
  }
}

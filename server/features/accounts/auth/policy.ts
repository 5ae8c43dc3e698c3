import { timingSafeEqual } from 'node:crypto';
import type { Grade } from '../../../../contract/accounts/permissions.ts';
import { mac } from '../../../platform/crypto.ts';
import type { CompanyKind, Tenant } from '../../../platform/ctx.ts';
import { rotation } from '../../../platform/rotation.ts';

export const ACCESS_SECONDS = 15 * 60;
/** A login ends after 30 days, however often it was renewed. */
export const SESSION_MS = 30 * 86_400_000;
/** How long a login may go unused before it ends. */
export const IDLE_MS = 14 * 86_400_000;
/** Number of devices a user can be signed in on; another one signs out the device seen longest ago. */
export const MOST_SESSIONS = 50;
/** How long the token that was just replaced still returns the same successor, unless that was used. */
export const GRACE_MS = 10_000;
export const SETUP_LINK_MS = 24 * 3_600_000;
export const DOWNLOAD_MS = 60_000;
export const SSO_MS = 60_000;
export const RESET_MS = 3_600_000;
/** As long as a password reset request is kept at all (entry.store.ts, deleteOld). */
export const INVITE_MS = 7 * 86_400_000;
/** How many invitations, or links for a new password, a user may have got within this time before another is refused. */
export const MOST_INVITES = 5;
export const INVITES_MS = 3_600_000;
export const SIGN_UP_MS = 24 * 3_600_000;

/** How long after a login, or a later confirmation, a user may do what others must not do in their place. */
export const CONFIRM_MS = 15 * 60_000;
/** How long a change of a user's address by someone else waits, unless it is confirmed at the old address. */
export const HOLD_MS = 72 * 3_600_000;

type LinkPurpose = 'reset' | 'sign-up' | 'email' | 'email-allow' | 'email-stop';

/** Returns the token of a link sent by email, derived from the id of its subject, like refresh tokens. */
export function linkToken(key: Buffer, purpose: LinkPurpose, id: string): string {
  return `${id}.${mac(key, `${purpose}.${id}`).toString('base64url')}`;
}

/** The id in a link's token; null when it is not one of ours for this purpose. */
export function readLinkToken(key: Buffer, purpose: LinkPurpose, token: string): string | null {
  const [, id] = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.[\w-]{43}$/.exec(token) ?? [];
  if (!id) return null;
  const genuine = Buffer.from(linkToken(key, purpose, id));
  return timingSafeEqual(genuine, Buffer.from(token)) ? id : null;
}

/** The result of presenting a refresh token. */
export type Renewal = 'rotate' | 'repeat' | 'reuse' | 'ended';

/** Rotation with reuse detection, as long as the session lasts. */
export function renewal(
  session: { generation: number; rotated_at: Date; revoked_at: Date | null; expires_at: Date },
  presented: number,
  now: Date,
): Renewal {
  if (session.revoked_at || session.expires_at <= now) return 'ended';
  if (now.getTime() - session.rotated_at.getTime() > IDLE_MS) return 'ended';
  return rotation(
    { generation: session.generation, rotatedAt: session.rotated_at },
    presented,
    now,
    GRACE_MS,
  );
}

/**
 * Whether a user may sign in, or stay signed in, at this host: anyone in a root's system at the root's own host; users
 * of an agency and its clients at the agency's; no root users at an agency's (docs of the domain, Who).
 */
export function belongsAt(
  tenant: Tenant,
  who: { rootId: string; agencyId: string | null; companyId: string; kind: CompanyKind },
): boolean {
  if (tenant.rootId !== who.rootId) return false;
  if (tenant.kind === 'root') return true;
  return who.kind !== 'root' && tenant.agencyId === who.agencyId;
}

/** A view lasts 30 minutes, and another 30 minutes from each renewal. */
export const VIEW_MS = 30 * 60_000;

/** A user's place in the tree and their role there. */
export interface Place {
  rootId: string;
  agencyId: string | null;
  companyId: string;
  kind: CompanyKind;
  role: string;
}

/**
 * Whether a user may view the product as someone else (NAV-03): owners and administrators of a root as users of its
 * agencies and clients, those of an agency as its clients' users; their salespeople as owners of the companies in
 * their care, which is checked separately. Never within a company, never upward.
 */
export function mayView(viewer: Place, viewed: Place): boolean {
  if (
    viewer.role === 'sales'
      ? viewed.role !== 'owner'
      : viewer.role !== 'owner' && viewer.role !== 'administrator'
  )
    return false;
  if (viewer.rootId !== viewed.rootId || viewed.kind === 'root') return false;
  if (viewer.kind === 'root') return true;
  return viewer.kind === 'agency' && viewed.kind === 'client' && viewed.agencyId === viewer.agencyId;
}

/** When a view that starts or is renewed now ends: never after the login behind it. */
export function viewEnd(now: Date, loginEnds: Date): Date {
  return new Date(Math.min(now.getTime() + VIEW_MS, loginEnds.getTime()));
}

export const gradeOf = (kind: CompanyKind, role: string): Grade => `${kind}.${role}` as Grade;

/** The wire's user_type (spec product 6; domain, Who). */
export function userType(
  kind: CompanyKind,
  role: string,
): 'user' | 'userdownline' | 'client' | 'administrator' | 'sales' {
  if (kind === 'client') return 'client';
  if (role === 'sales') return 'sales';
  if (role === 'administrator') return 'administrator';
  return kind === 'root' ? 'user' : 'userdownline';
}

/** Whether the hints about where the user is signing in, if given, match this tenant (domain, Who). */
export function hintsFit(
  tenant: Tenant,
  given: { company_id?: string | undefined; root_id?: string | undefined },
): boolean {
  const { company_id: owned, root_id: root } = given;
  return (
    (!root || root === tenant.rootId) && (!owned || owned === tenant.companyId || owned === tenant.rootId)
  );
}

/**
 * The address of a tenant's pages for links: its verified host, with the scheme of the request, and its port only if it
 * is the one we serve on (0: any), because the client controls the Host header.
 */
export function siteOf(host: string, origin: string, port: number): string {
  const { protocol, port: asked } = new URL(origin);
  return `${protocol}//${host}${asked && (port === 0 || asked === String(port)) ? `:${asked}` : ''}`;
}

/** The page a JWT names as its audience: the host's tenant, so that a token is of no use at another tenant's host. */
export const audienceOf = (tenant: Tenant): string => `tenant:${tenant.companyId}`;

/** Whether a download is one invoice or agreement, or images, which its page shows as well. Everything else is a list. */
export const isOneDocument = (path: string): boolean =>
  /^\/api\/(?:billing\/invoices\/[^/]+(?:\/credit-notes\/[^/]+)?\/pdf|configuration\/agreement\/[^/]+\/file|general\/document\/[^/]+\/file|media\/file)$/.test(
    path,
  );

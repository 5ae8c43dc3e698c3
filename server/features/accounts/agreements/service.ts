import type { AgreementText } from '../../../../contract/accounts/agreement-text.ts';
import type { LegalName } from '../../../../contract/accounts/legal.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import type { Limits } from '../../../platform/limits.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Notices } from '../../money/ledger/index.ts';
import type { Audit } from '../audit/index.ts';
import type { Auth } from '../auth/index.ts';
import type { Tenants } from '../tenants/index.ts';
import type { Users } from '../users/index.ts';
import { createFiles } from './files.service.ts';
import { createNews } from './news.service.ts';
import { BEGINNING, type Document, hashOf, isFree, issuerOf, requiredOf, versionOf } from './policy.ts';
import * as store from './store.ts';
import { createTexts, type Offer } from './texts.service.ts';

export type Agreements = ReturnType<typeof createAgreements>;

/** What someone who accepts tells besides that. */
export interface Told {
  companyName?: string | undefined;
  /** From where in the product. */
  location?: string | undefined;
  /** That of the text that they read. */
  textHash?: string | undefined;
  isReadToEnd?: boolean;
  timeZone?: string | undefined;
}

/** A time zone that a browser names; '' if it is not one. */
function zoneOf(name: string | undefined): string {
  try {
    return name ? new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone : '';
  } catch {
    return '';
  }
}

/** Agreements: their texts, who accepted which version, and their files. */
export function createAgreements(
  platform: Platform,
  below: { tenants: Tenants; audit: Audit; auth: Auth; limits: Limits; users: Users; notices: Notices },
) {
  const { db, clock } = platform;
  const { tenants, audit, auth, users } = below;
  const texts = createTexts(platform, below);
  const files = createFiles(platform, below);
  const news = createNews(platform, below);

  /** The documents that a company has accepted in a version that still holds. */
  async function accepted(tx: Tx, companyId: string): Promise<Set<Document>> {
    const rows = await store.acceptedBy(tx, companyId, clock.now());
    return new Set(
      rows.filter((row) => Number(row.version) >= row.in_force).map((row) => row.document_type as Document),
    );
  }
  /** Records that a user accepted a document for a company. `text`: what they were shown; if absent, the template. */
  const accept = (
    tx: Tx,
    given: {
      owner: Owner;
      userId: string;
      document: Document;
      at: Date;
      ip: string | null;
      text?: AgreementText;
      appliesAt?: Date;
      userAgent?: string;
      secondFactor?: '' | 'email' | 'google' | 'passkey';
    } & Told,
  ): Promise<void> =>
    store.insertAcceptance(tx, {
      id: newId(given.at),
      ...given.owner,
      user_id: given.userId,
      document_type: given.document,
      version: given.text?.version ?? versionOf(given.document),
      accepted_at: given.at,
      ip: given.ip,
      text_hash: given.text ? hashOf(given.text) : '',
      company_name: given.companyName ?? '',
      location_menu: given.location ?? '',
      issuer_id: issuerOf(given.owner, given.document),
      user_agent: (given.userAgent ?? '').slice(0, 500).toWellFormed(),
      time_zone: zoneOf(given.timeZone),
      second_factor: given.secondFactor ?? '',
      read_to_end: given.isReadToEnd ?? false,
      applies_at: given.appliesAt ?? given.at,
      shown: given.text ? JSON.stringify(given.text) : null,
    });

  /**
   * Accepts the newest version for the actor's own company, in a transaction; false if it was already accepted.
   * The offer is as from `textFor`
   * @throws Refusal 409 if the text has changed since the person read it
   */
  async function agreeIn(
    tx: Tx,
    ctx: Ctx,
    document: Document,
    { text, effectiveAt }: Offer,
    told: Told,
  ): Promise<boolean> {
    const { userId, rootId, agencyId, companyId } = ctx.actor;
    const owner = { root_id: rootId, agency_id: agencyId, company_id: companyId };
    const at = ctx.clock.now();
    await store.lockAcceptance(tx, companyId, document);
    const before = (await store.acceptedBy(tx, companyId, at)).find((one) => one.document_type === document);
    if (before?.version === text.version) return false;
    // A version may have been published since `text` was made.
    const isNewest =
      (await store.newestNumber(tx, issuerOf(owner, document), document)) === Number(text.version);
    if (!isNewest || (told.textHash !== undefined && told.textHash !== hashOf(text)))
      throw new Refusal('conflict', ownMessages.agreementChanged);
    // Whoever accepts during the notice period keeps the old terms until its end.
    const holds = before && Number(before.version) >= before.in_force;
    await accept(tx, {
      owner,
      userId,
      document,
      at,
      ip: ctx.ip,
      text,
      appliesAt: holds && effectiveAt && effectiveAt > at ? effectiveAt : at,
      userAgent: ctx.userAgent,
      secondFactor: await auth.factorOf(tx, userId),
      ...told,
    });
    await audit.record(tx, ctx, {
      action: 'agreement.accepted',
      objectKind: 'agreement',
      objectId: document,
      description: `Accepted version ${text.version} of ${document}`,
    });
    return true;
  }

  return {
    texts,
    files,
    news,
    textFor: texts.shownTo,
    agreeIn,
    requiredOf,
    versionOf,
    accepted,
    accept,

    /** When an agency began: when it first accepted a document that makes it owe money; undefined if it has not. */
    begun: (tx: Tx, agencyId: string): Promise<Date | undefined> =>
      store.firstAccepted(tx, agencyId, BEGINNING),

    /**
     * Accepts the newest version for the actor's own company, with what was shown and everything known about who
     * accepts. Accepting it again changes nothing. Returns the version.
     * @throws Refusal 422 for a document that is not meant for such a company, or that costs something, 409 if the text
     * has changed since the person read it
     */
    async agree(ctx: Ctx, document: Document, told: Told = {}): Promise<string> {
      if (!isFree(document)) throw refusalOf('document_type', 'is accepted together with its fee');
      const offer = await texts.shownTo(ctx, document);
      await inScope(db.app, ctx.scope, (tx) => agreeIn(tx, ctx, document, offer, told));
      return offer.text.version;
    },

    /**
     * The company of a user in the reader's scope.
     * @throws Refusal 404 for anyone else
     */
    async companyOf(ctx: Ctx, userId: string): Promise<string> {
      if (userId === ctx.actor.userId) return ctx.actor.companyId;
      const person = await inScope(db.app, ctx.scope, (tx) => users.byId(tx, userId));
      if (!person) throw new Refusal('not_found', messages.documentMissingText);
      return person.company_id;
    },

    /** The other party of a document of the actor's own company. To a client, that is always its agency. */
    party: async (ctx: Ctx, document: Document): Promise<string> => {
      const { rootId, agencyId, kind } = ctx.actor;
      if (kind === 'client') return (await tenants.frontDoor(agencyId!)).name;
      return (await tenants.frontDoor(issuerOf({ root_id: rootId, agency_id: agencyId }, document))).name;
    },

    /**
     * Whether a download of a document, by its name or the file_uuid of a signed file, may begin, and from where.
     * @throws Refusal 404 if there is no such document for the reader
     */
    async docauth(ctx: Ctx, pkdoc: string, isId: boolean): Promise<{ title: string; path: string }> {
      if (isId) {
        const { title } = await files.byId(ctx, pkdoc);
        return { title, path: `/general/agreement/${pkdoc}/file` };
      }
      const name: LegalName | undefined = texts.nameOf(pkdoc);
      if (!name) throw new Refusal('not_found', messages.documentMissingText);
      ctx.need('document.read');
      return { title: (await texts.toRead(ctx, name)).title, path: `/general/document/${name}/file` };
    },

    /** Whether the actor's own company has accepted a version that still holds. */
    status: (ctx: Ctx, document: Document): Promise<{ accepted: boolean; version: string }> =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { companyId, rootId, agencyId } = ctx.actor;
        const issuerId = issuerOf({ root_id: rootId, agency_id: agencyId }, document);
        const row = (await store.acceptedBy(tx, companyId, ctx.clock.now())).find(
          (one) => one.document_type === document,
        );
        const isAccepted = row !== undefined && Number(row.version) >= row.in_force;
        const version = isAccepted ? row.version : String(await store.newestNumber(tx, issuerId, document));
        return { accepted: isAccepted, version };
      }),

    /** @throws Refusal 404 for another user, or a company other than the actor's own */
    own(ctx: Ctx, given: { userId?: string; companyId?: string }): void {
      const { userId, companyId } = ctx.actor;
      if ((given.userId ?? userId) !== userId || (given.companyId ?? companyId) !== companyId)
        throw new Refusal('not_found', ownMessages.notFound);
    },
  };
}

import { hash } from 'node:crypto';
import { DocumentType } from '../../../../contract/accounts/setup.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { inPaperTurn } from '../../../platform/paper.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../audit/index.ts';
import type { Tenants } from '../tenants/index.ts';
import { agreementPdf } from './agreement.pdf.ts';
import { documentHtml } from './documents.policy.ts';
import { BEGINNING, type Document, isFor, isFree, requiredOf, versionOf } from './policy.ts';
import * as store from './store.ts';

export type Agreements = ReturnType<typeof createAgreements>;

/** Which documents a company has accepted. */
export function createAgreements({ db }: Platform, { tenants, audit }: { tenants: Tenants; audit: Audit }) {
  /** The documents whose present version a company has accepted. */
  async function accepted(tx: Tx, companyId: string): Promise<Set<Document>> {
    const rows = await store.acceptedBy(tx, companyId);
    return new Set(
      rows
        .filter((row) => versionOf(row.document_type as Document) === row.version)
        .map((row) => row.document_type as Document),
    );
  }
  /** Records that a user accepted the current version for a company. `html`: what they were shown. */
  const accept = (
    tx: Tx,
    given: {
      owner: Owner;
      userId: string;
      document: Document;
      at: Date;
      ip: string | null;
      html?: string;
      companyName?: string | undefined;
      location?: string | undefined;
    },
  ): Promise<void> =>
    store.insertAcceptance(tx, {
      id: newId(given.at),
      ...given.owner,
      user_id: given.userId,
      document_type: given.document,
      version: versionOf(given.document),
      accepted_at: given.at,
      ip: given.ip,
      text_hash: given.html === undefined ? '' : hash('sha256', given.html),
      company_name: given.companyName ?? '',
      location_menu: given.location ?? '',
    });

  /**
   * The party in whose name the actor's own company reads a document: an agency's agreements are with the platform; all
   * others are in the name of the host's tenant.
   */
  const party = async (ctx: Ctx, document: string): Promise<string> => {
    const { kind, rootId } = ctx.actor;
    const isAgencys =
      kind === 'agency' && DocumentType.options.some((one) => one === document && isFor(kind, one));
    return (await tenants.frontDoor(isAgencys ? rootId : ctx.tenant.companyId)).name;
  };

  /**
   * What the actor's own company is shown of a document.
   * @throws Refusal 422 if it is not meant for such a company
   */
  async function textFor(ctx: Ctx, document: Document): Promise<string> {
    if (!isFor(ctx.actor.kind, document)) throw refusalOf('document_type', 'is not for this kind of company');
    return documentHtml(document, await party(ctx, document));
  }

  /**
   * Accepts the current version for the actor's own company, in a transaction; false if it was already accepted.
   * `html`: as from `textFor`
   */
  async function agreeIn(
    tx: Tx,
    ctx: Ctx,
    document: Document,
    html: string,
    more: { companyName?: string; location?: string },
  ): Promise<boolean> {
    const { userId, rootId, agencyId, companyId } = ctx.actor;
    const owner = { root_id: rootId, agency_id: agencyId, company_id: companyId };
    if ((await accepted(tx, companyId)).has(document)) return false;
    await accept(tx, { owner, userId, document, at: ctx.clock.now(), ip: ctx.ip, html, ...more });
    await audit.record(tx, ctx, {
      action: 'agreement.accepted',
      objectKind: 'agreement',
      objectId: document,
      description: `Accepted version ${versionOf(document)} of ${document}`,
    });
    return true;
  }

  return {
    party,
    textFor,
    agreeIn,
    requiredOf,
    versionOf,
    accepted,
    accept,

    /** When an agency began: when it first accepted a document that makes it owe money; undefined if it has not. */
    begun: (tx: Tx, agencyId: string): Promise<Date | undefined> =>
      store.firstAccepted(tx, agencyId, BEGINNING),

    /**
     * Accepts the current version for the actor's own company, with the hash of what was shown, the time and the
     * address. Accepting it again changes nothing. Returns the version.
     * @throws Refusal 422 for a document that is not meant for such a company, or that costs something
     */
    async agree(
      ctx: Ctx,
      document: Document,
      more: { companyName?: string; location?: string } = {},
    ): Promise<string> {
      if (!isFree(document)) throw refusalOf('document_type', 'is accepted together with its fee');
      const html = await textFor(ctx, document);
      await inScope(db.app, ctx.scope, (tx) => agreeIn(tx, ctx, document, html, more));
      return versionOf(document);
    },

    /**
     * The agreement file of a company in the reader's scope, generated on demand (AGCY-20): an agency's is with the
     * platform, a client's with its agency.
     * @throws Refusal 404 for another company, and for one that has not accepted any
     */
    async file(ctx: Ctx, companyId: string): Promise<{ name: string; bytes: Buffer }> {
      const notFound = (): never => {
        throw new Refusal('not_found', ownMessages.notFound);
      };
      const found = await inScope(db.app, ctx.scope, async (tx) => {
        const company = await tenants.company(tx, companyId);
        const document = company && requiredOf(company.kind);
        if (!company || !document) return notFound();
        return { company, document, row: (await store.acceptanceOf(tx, companyId, document)) ?? notFound() };
      });
      const { company, document, row } = found;
      const otherId = (company.kind === 'agency' ? company.root_id : company.agency_id)!;
      const { name: party } = await tenants.frontDoor(otherId);
      // The other party's brand may be above the reader's scope, such as the root's when an agency reads its own
      // agreement.
      const brand = await inScope(db.app, { rootId: ctx.actor.rootId }, (tx) =>
        tenants.paperBrand(tx, otherId),
      );
      const bytes = await inPaperTurn(ctx.actor.companyId, () =>
        agreementPdf(
          {
            document,
            version: row.version,
            at: row.accepted_at,
            by: row.name,
            ip: row.ip,
            textHash: row.text_hash,
            isSameText: row.text_hash === hash('sha256', documentHtml(document, party)),
            party,
            company: company.name,
            timeZone: ctx.tenant.timeZone,
          },
          brand,
        ),
      );
      return { name: `agreement-${company.name}`, bytes };
    },

    /** Whether the actor's own company has accepted the current version. */
    status: (ctx: Ctx, document: Document): Promise<{ accepted: boolean; version: string }> =>
      inScope(db.app, ctx.scope, async (tx) => ({
        accepted: (await accepted(tx, ctx.actor.companyId)).has(document),
        version: versionOf(document),
      })),

    /** @throws Refusal 404 for another user, or a company other than the actor's own */
    own(ctx: Ctx, given: { userId?: string; companyId?: string }): void {
      const { userId, companyId } = ctx.actor;
      if ((given.userId ?? userId) !== userId || (given.companyId ?? companyId) !== companyId)
        throw new Refusal('not_found', ownMessages.notFound);
    },
  };
}

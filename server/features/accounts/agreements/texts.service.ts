import {
  type AgreementText,
  bodyOf,
  dayInText,
  sectionsOf,
} from '../../../../contract/accounts/agreement-text.ts';
import { isLegalName, type LegalName, legalDocument } from '../../../../contract/accounts/legal.ts';
import { DOCUMENTS } from '../../../../contract/accounts/setup.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import type { LimitRule, Limits } from '../../../platform/limits.ts';
import { page } from '../../../platform/page.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../audit/index.ts';
import type { Auth } from '../auth/index.ts';
import type { Tenants } from '../tenants/index.ts';
import { templateOf } from './documents.policy.ts';
import {
  type Document,
  hashOf,
  inForce,
  isFor,
  issuerOf,
  isWrittenBy,
  requiredOf,
  standingOf,
} from './policy.ts';
import * as store from './store.ts';

const DAY_MS = 86_400_000;
/** How often a company may publish a document within a day: each version is emailed to all who accepted one before. */
const PUBLISH: LimitRule = {
  name: 'agreement.publish',
  max: 20,
  base: 86_400,
  cap: 86_400,
  window: 86_400,
};
const isDocument = (name: string): name is Document => (DOCUMENTS as readonly string[]).includes(name);
const missing = (): never => {
  throw new Refusal('not_found', messages.documentMissingText);
};

/** A document that a company may accept, and from when it holds for everyone; null: from its acceptance. */
export interface Offer {
  text: AgreementText;
  effectiveAt: Date | null;
}

/** The texts of agreements: templates, the versions that companies publish, and how far each company has accepted them. */
export function createTexts(
  { db }: Pick<Platform, 'db'>,
  { tenants, audit, auth, limits }: { tenants: Tenants; audit: Audit; auth: Auth; limits: Limits },
) {
  /** What is published by a company, which may be above the reader's scope. */
  const publishedBy = (rootId: string, issuerId: string, document?: Document) =>
    inScope(db.app, { rootId }, (tx) => store.versionsOf(tx, issuerId, document));

  /** A version, with the values of its variables. */
  function textOf(row: store.VersionRow, party: string, company: string): AgreementText {
    const effective = dayInText(row.effective_on);
    const values = { party, company, version: String(row.version), effective_date: effective };
    return {
      title: row.title,
      version: String(row.version),
      since: row.effective_on,
      party,
      company,
      isTemplate: false,
      sections: sectionsOf(row.body, values),
    };
  }

  const newest = (
    rows: readonly store.VersionRow[],
    document: Document,
    party: string,
    company: string,
  ): AgreementText => {
    const row = rows.filter((one) => one.document_type === document).at(-1);
    return row ? textOf(row, party, company) : templateOf(document, party, company);
  };

  const actorsCompany = (ctx: Ctx) => ({
    id: ctx.actor.companyId,
    root_id: ctx.actor.rootId,
    agency_id: ctx.actor.agencyId,
  });

  /** Refuses a document that the actor's own company does not make with others. */
  const mustWrite = (ctx: Ctx, document: Document): void => {
    if (!isWrittenBy(ctx.actor.kind, document)) missing();
  };

  const nameOfCompany = (ctx: Ctx): Promise<string> =>
    inScope(db.app, ctx.scope, async (tx) => (await tenants.company(tx, ctx.actor.companyId))?.name ?? '');

  return {
    /**
     * The newest version of a document, as the actor's own company is shown it.
     * @throws Refusal 422 if it is not meant for such a company
     */
    async shownTo(ctx: Ctx, document: Document): Promise<Offer> {
      if (!isFor(ctx.actor.kind, document))
        throw refusalOf('document_type', 'is not for this kind of company');
      const company = actorsCompany(ctx);
      const issuerId = issuerOf(company, document);
      const { name: party } = await tenants.frontDoor(issuerId);
      const rows = await publishedBy(company.root_id, issuerId, document);
      return {
        text: newest(rows, document, party, await nameOfCompany(ctx)),
        effectiveAt: rows.at(-1)?.effective_at ?? null,
      };
    },

    /** Any document, as anyone at the actor's company may read and print it. */
    async toRead(ctx: Ctx, name: LegalName): Promise<AgreementText> {
      if (isDocument(name) && isFor(ctx.actor.kind, name)) return (await this.shownTo(ctx, name)).text;
      const { name: party } = await tenants.frontDoor(ctx.tenant.companyId);
      if (!isDocument(name) || !isWrittenBy(ctx.actor.kind, name)) return templateOf(name, party);
      const { rootId, companyId } = ctx.actor;
      return newest(await publishedBy(rootId, companyId, name), name, party, 'the company that accepts');
    },

    /** The actor's own company's agreements: the one it must accept, those it accepted, and those published for it. */
    async standings(ctx: Ctx, only?: Document) {
      const company = actorsCompany(ctx);
      const { kind } = ctx.actor;
      if (only && !isFor(kind, only)) throw refusalOf('document_type', 'is not for this kind of company');
      const accepted = await inScope(db.app, ctx.scope, (tx) => store.acceptancesOf(tx, company.id));
      const issuers = new Set(
        DOCUMENTS.filter((one) => isFor(kind, one)).map((one) => issuerOf(company, one)),
      );
      const published: store.VersionRow[] = [];
      for (const issuerId of issuers) published.push(...(await publishedBy(company.root_id, issuerId)));
      const name = await nameOfCompany(ctx);
      const isListed = (document: Document): boolean =>
        document === requiredOf(kind) ||
        accepted.some((one) => one.document_type === document) ||
        published.some((one) => one.document_type === document);
      const rows = [];
      for (const document of DOCUMENTS) {
        if (!isFor(kind, document) || (only ? document !== only : !isListed(document))) continue;
        const versions = published.filter((one) => one.document_type === document);
        const { name: party } = await tenants.frontDoor(issuerOf(company, document));
        const text = newest(versions, document, party, name);
        const row = accepted.find((one) => one.document_type === document);
        const { state, mustAcceptBy } = standingOf(row && Number(row.version), versions, ctx.clock.now());
        rows.push({
          text,
          document_type: document,
          title: text.title,
          version: text.version,
          effective_on: text.since,
          party,
          state,
          must_accept_by: mustAcceptBy?.toISOString() ?? null,
          accepted_version: row?.version ?? null,
          accepted_at: row?.accepted_at.toISOString() ?? null,
          accepted_by: row?.name ?? null,
          applies_at: row?.applies_at?.toISOString() ?? null,
          company: text.company,
          is_template: text.isTemplate,
          sections: text.sections,
          text_hash: hashOf(text),
          accepted: state === 'accepted' ? ('T' as const) : ('F' as const),
        });
      }
      return rows;
    },

    /**
     * The versions of a document that the actor's own company makes with others, and its text to edit.
     * @throws Refusal 404 for a document that it does not make
     */
    async versions(ctx: Ctx, document: Document) {
      mustWrite(ctx, document);
      const { companyId } = ctx.actor;
      const { name: party } = await tenants.frontDoor(companyId);
      const [rows, counts] = await inScope(
        db.app,
        ctx.scope,
        async (tx) =>
          [
            await store.versionsOf(tx, companyId, document),
            await store.countsOf(tx, companyId, document),
          ] as const,
      );
      const holds = inForce(rows, ctx.clock.now());
      const stateOf = (version: number) =>
        version === holds
          ? ('holds' as const)
          : version < holds
            ? ('replaced' as const)
            : ('announced' as const);
      const template = legalDocument(document, '{{party}}');
      const last = rows.at(-1);
      return {
        title: last?.title ?? template.title,
        body: last?.body ?? bodyOf(template.sections),
        version: last?.version ?? 1,
        party,
        data: [
          {
            version: 1,
            title: template.title,
            effective_on: template.since,
            published_at: null,
            name: '',
            state: stateOf(1),
            acceptances: counts.get('1') ?? 0,
          },
          ...rows.map((row) => ({
            version: row.version,
            title: row.title,
            effective_on: row.effective_on,
            published_at: row.published_at.toISOString(),
            name: row.name ?? '',
            state: stateOf(row.version),
            acceptances: counts.get(String(row.version)) ?? 0,
          })),
        ].toReversed(),
      };
    },

    /**
     * Publishes a new version. Returns its number.
     * @throws Refusal 404 for a document that the actor's company does not make, 409 if there is a newer version than the
     * one that was edited, 422 for a text that has not changed, 429 for too many in a day
     */
    async publish(
      ctx: Ctx,
      given: { document: Document; title: string; body: string; noticeDays: number; baseVersion: number },
    ): Promise<number> {
      const { document, title, body } = given;
      mustWrite(ctx, document);
      const { rootId, agencyId, companyId, userId } = ctx.actor;
      return inScope(db.app, ctx.scope, async (tx) => {
        await store.lockVersions(tx, companyId, document);
        const last = (await store.versionsOf(tx, companyId, document)).at(-1);
        const newestVersion = last?.version ?? 1;
        if (newestVersion !== given.baseVersion)
          throw new Refusal('conflict', ownMessages.versionNewer(newestVersion));
        const template = legalDocument(document, '{{party}}');
        const [oldTitle, oldBody] = last
          ? [last.title, last.body]
          : [template.title, bodyOf(template.sections)];
        if (title === oldTitle && body.trim() === oldBody.trim())
          throw refusalOf('body', ownMessages.versionSame);
        await limits.take(PUBLISH, `${companyId}\n${document}`, tx);
        const at = ctx.clock.now();
        const effectiveAt = new Date(at.getTime() + given.noticeDays * DAY_MS);
        const version = newestVersion + 1;
        await store.insertVersion(tx, {
          id: newId(at),
          root_id: rootId,
          agency_id: agencyId,
          company_id: companyId,
          document_type: document,
          version,
          title,
          body: body.trim(),
          effective_on: Temporal.Instant.fromEpochMilliseconds(effectiveAt.getTime())
            .toZonedDateTimeISO(ctx.tenant.timeZone)
            .toPlainDate()
            .toString(),
          effective_at: effectiveAt,
          published_at: at,
          published_by: userId,
        });
        await audit.record(tx, ctx, {
          action: 'agreement.published',
          objectKind: 'agreement',
          objectId: document,
          description: `Published version ${version} of ${title}, effective in ${given.noticeDays} days`,
        });
        return version;
      });
    },

    /** A page of who accepted the agreements that the actor's own company makes with others. */
    async acceptances(
      ctx: Ctx,
      asked: {
        page: number;
        per_page: number;
        search?: string | undefined;
        document_type?: Document | undefined;
      },
    ) {
      const { rows, total } = await inScope(db.app, ctx.scope, (tx) =>
        store.listAcceptances(tx, ctx.actor.companyId, {
          document: asked.document_type,
          search: asked.search,
          page: asked.page,
          perPage: asked.per_page,
        }),
      );
      return page(
        rows.map((row) => ({
          id: row.id,
          document_type: row.document_type as Document,
          version: row.version,
          company_id: row.company_id,
          company_name: row.company_name,
          name: row.name ?? '',
          accepted_at: row.accepted_at.toISOString(),
          ip: row.ip ?? '',
          device: row.user_agent && auth.deviceOf(row.user_agent),
          second_factor: row.second_factor as '',
          read_to_end: row.read_to_end,
        })),
        total,
        asked,
      );
    },

    /** The name of a document in an address, if there is one. */
    nameOf: (pkdoc: string): LegalName | undefined => (isLegalName(pkdoc) ? pkdoc : undefined),
  };
}

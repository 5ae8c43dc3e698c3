import { hash, X509Certificate } from 'node:crypto';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { type Limits, networkOf } from '../../../platform/limits.ts';
import { inPaperTurn } from '../../../platform/paper.ts';
import type { Platform } from '../../../platform/platform.ts';
import { askThread, ThreadFailed, ThreadLost } from '../../../platform/thread.ts';
import { createTurns } from '../../../platform/turns.ts';
import type { Audit } from '../audit/index.ts';
import type { Auth } from '../auth/index.ts';
import type { Tenants } from '../tenants/index.ts';
import { agreementPdf } from './agreement.pdf.ts';
import { templateOf } from './documents.policy.ts';
import * as files from './files.store.ts';
import { commonNameOf, type Document, hashOf, issuerOf } from './policy.ts';
import type { Task } from './signature.thread.ts';
import type { MadeKey, Signature } from './signature.ts';
import * as store from './store.ts';

const SCRIPT = new URL('./signature.thread.ts', import.meta.url);
const BOUNDS = { answerMs: 15_000, memoryMb: 256 };
const SEALED = 'agreement_key.private';
/** The largest file that is checked. */
export const CHECK_BYTES = 5 * 1024 * 1024;
/** How often anyone may have a file checked: from one network. */
const CHECKS = { name: 'agreement.check', max: 30, base: 60, cap: 600, window: 600 };
/** A key is replaced before its certificate ends. */
const LEFT_MS = 365 * 86_400_000;

/**
 * Signing, checking, and opening take a thread each. Neither strangers who have files checked nor owners who bring keys
 * that are slow to open must hold up those who sign.
 */
const turns = () =>
  createTurns({ atOnce: 2, waiting: 16, waitingEach: 8, budgetMs: 60_000, windowMs: 10 * 60_000 });
const toSign = turns();
const toCheck = turns();
const toOpen = turns();

async function ask<Answer>(by: string, task: Task): Promise<Answer> {
  const turn = task.do === 'check' ? toCheck : task.do === 'open' ? toOpen : toSign;
  return turn(by, async () => {
    for await (const answer of askThread<Answer>(SCRIPT, task, BOUNDS)) return answer;
    throw new ThreadLost('ended');
  });
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
/** The name in a certificate that was made here. The subject as a text would have a backslash before each comma. */
const nameIn = (certificate: Buffer): string =>
  (new X509Certificate(certificate).toLegacyObject() as unknown as { subject: { CN: string } }).subject.CN;
const missing = (): never => {
  throw new Refusal('not_found', messages.documentMissingText);
};
const unknown = {
  status: 'unknown' as const,
  title: '',
  version: '',
  party: '',
  company: '',
  accepted_at: null,
  name: '',
};

/** The signed PDFs of acceptances, the keys that they are signed with, and their check (BEY-15). */
export function createFiles(
  { db, vault, clock }: Pick<Platform, 'db' | 'vault' | 'clock'>,
  { tenants, audit, auth, limits }: { tenants: Tenants; audit: Audit; auth: Auth; limits: Limits },
) {
  type Company = { id: string; root_id: string; agency_id: string | null };
  const ownerOf = (company: Company) => ({
    root_id: company.root_id,
    agency_id: company.agency_id,
    company_id: company.id,
  });

  const keyRow = (company: Company, made: MadeKey, kind: 'made' | 'brought', at: Date) => ({
    id: newId(at),
    ...ownerOf(company),
    kind,
    subject: made.subject,
    certificate: asBuffer(made.certificate),
    fingerprint: hash('sha256', made.certificate),
    private_sealed: vault.seal(made.key, SEALED),
    valid_until: made.validUntil,
    created_at: at,
  });

  /** The key that a company signs with, made when it is needed first; one in its own name, which may have changed. */
  async function keyOf(company: Company, name: string) {
    const inRoot = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
      inScope(db.app, { rootId: company.root_id }, work);
    const at = clock.now();
    const known = await inRoot((tx) => files.keyInUse(tx, company.id));
    const isGood =
      known &&
      (known.kind === 'brought'
        ? known.valid_until > at
        : known.valid_until.getTime() - LEFT_MS > at.getTime() &&
          nameIn(known.certificate) === commonNameOf(name));
    if (known && isGood) return known;
    const made = await ask<MadeKey>(company.id, { do: 'make', name, from: at });
    return inRoot(async (tx) => {
      // Only that one: its owner may have brought another meanwhile.
      if (known) await files.endKey(tx, company.id, at, { id: known.id });
      await files.insertKey(tx, keyRow(company, made, 'made', at));
      return (await files.keyInUse(tx, company.id))!;
    });
  }

  /**
   * Signs a document that is made anew for each download, in its issuer's name. One that has not changed since gets the
   * same bytes, so that files that were downloaded can be told apart from those that were altered.
   * @throws Refusal 429 if the reader has too many signed
   */
  async function signPaper(
    { actor }: Ctx,
    paper: { issuerId: string; partyId: string; title: string; pdf: Buffer },
  ): Promise<Buffer> {
    const inRoot = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
      inScope(db.app, { rootId: actor.rootId }, work);
    const issuer = (await inRoot((tx) => tenants.company(tx, paper.issuerId))) ?? missing();
    const key = await keyOf(issuer, (await tenants.frontDoor(issuer.id)).name);
    const at = clock.now();
    const taken = await inRoot((tx) =>
      files.takePaper(tx, {
        ...{ id: newId(at), ...ownerOf(issuer), party_id: paper.partyId, title: paper.title },
        ...{ unsigned: hash('sha256', paper.pdf), fingerprint: key.fingerprint },
        // A signature has whole seconds.
        signed_at: new Date(Math.floor(at.getTime() / 1000) * 1000),
      }),
    );
    const signed = asBuffer(
      await ask<Uint8Array>(actor.companyId, {
        do: 'sign',
        pdf: paper.pdf,
        key: vault.open(key.private_sealed!, SEALED),
        certificate: key.certificate,
        at: taken.signed_at,
        reason: paper.title,
      }),
    );
    if (!taken.sha256) await inRoot((tx) => files.keepPaperHash(tx, taken.id, hash('sha256', signed)));
    return signed;
  }

  /** Signs a PDF in a company's name. */
  async function sign(company: Company, name: string, pdf: Buffer, reason: string): Promise<Buffer> {
    const key = await keyOf(company, name);
    return asBuffer(
      await ask<Uint8Array>(company.id, {
        do: 'sign',
        pdf,
        key: vault.open(key.private_sealed!, SEALED),
        certificate: key.certificate,
        at: clock.now(),
        reason,
      }),
    );
  }

  /** Makes the signed file of an acceptance, or returns the one that was made before. */
  async function make(company: Company & { name: string }, row: store.AcceptanceRow) {
    const inRoot = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
      inScope(db.app, { rootId: company.root_id }, work);
    const known = await inRoot((tx) => files.fileOf(tx, row.id));
    if (known) return known;
    const document = row.document_type as Document;
    const issuerId = row.issuer_id ?? issuerOf(company, document);
    const [issuer, brand] = await inRoot(async (tx) => [
      (await tenants.company(tx, issuerId)) ?? missing(),
      // The other party's brand may be above the reader's scope, such as the root's when an agency reads its own
      // agreement.
      await tenants.paperBrand(tx, issuerId),
    ]);
    const { name: party } = await tenants.frontDoor(issuerId);
    const host = (await tenants.primaryHost(issuerId)) ?? (await tenants.primaryHost(company.root_id)) ?? '';
    const text = row.shown ?? templateOf(document, party, company.name);
    const id = newId(clock.now());
    const pdf = await inPaperTurn(company.id, () =>
      agreementPdf(
        {
          file: id,
          text,
          at: row.accepted_at,
          appliesAt: row.applies_at,
          by: row.name === null ? null : { name: row.name, email: row.email ?? '' },
          ip: row.ip,
          device: row.user_agent && auth.deviceOf(row.user_agent),
          secondFactor: row.second_factor as '',
          isReadToEnd: row.read_to_end,
          textHash: row.text_hash,
          isSameText: row.text_hash === hashOf(text),
          company: text.company || row.company_name || company.name,
          timeZone: issuer.time_zone,
          ownTimeZone: row.time_zone,
          host,
        },
        brand,
      ),
    );
    const signed = await sign(issuer, party, pdf, `Acceptance of ${text.title}`);
    return inRoot(async (tx) => {
      await files.insertFile(tx, {
        id,
        ...ownerOf(company),
        issuer_id: issuerId,
        acceptance_id: row.id,
        sha256: hash('sha256', signed),
        bytes: signed,
        created_at: clock.now(),
      });
      return (await files.fileOf(tx, row.id))!;
    });
  }

  const keyWords = (row: NonNullable<Awaited<ReturnType<typeof files.keyInUse>>>) => ({
    kind: row.kind as 'made',
    subject: row.subject,
    fingerprint: row.fingerprint,
    valid_until: row.valid_until.toISOString(),
    certificate: `-----BEGIN CERTIFICATE-----\n${row.certificate.toString('base64').replaceAll(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  });

  const own = (ctx: Ctx): Company => ({
    id: ctx.actor.companyId,
    root_id: ctx.actor.rootId,
    agency_id: ctx.actor.agencyId,
  });

  const known = (ctx: Pick<Ctx, 'tenant'>, sha256: string) =>
    inScope(db.app, { rootId: ctx.tenant.rootId }, (tx) =>
      files.fileByHash(tx, ctx.tenant.companyId, sha256),
    );
  const lookups: ((ctx: Ctx, sha256: string) => Promise<{ title: string; at: Date } | null>)[] = [];
  async function checkedHash(ctx: Ctx, sha256: string) {
    const row = await known(ctx, sha256);
    const paper =
      !row &&
      (await inScope(db.app, { rootId: ctx.tenant.rootId }, (tx) =>
        files.paperByHash(tx, ctx.tenant.companyId, sha256),
      ));
    if (paper)
      return {
        ...{ ...unknown, status: 'known' as const, title: paper.title, company: paper.company_name },
        party: (await tenants.frontDoor(paper.issuer_id)).name,
        accepted_at: paper.signed_at.toISOString(),
      };
    if (!row) {
      for (const lookup of lookups) {
        const found = await lookup(ctx, sha256);
        if (!found) continue;
        const { name: party } = await tenants.frontDoor(ctx.tenant.companyId);
        const { title, at } = found;
        return { ...unknown, status: 'known' as const, title, party, accepted_at: at.toISOString() };
      }
      return unknown;
    }
    const party = (await tenants.frontDoor(row.issuer_id)).name;
    return {
      status: 'known' as const,
      title: (row.shown ?? templateOf(row.document_type as Document, party)).title,
      version: row.version,
      party: row.shown?.party ?? party,
      company: row.shown?.company || row.company_name,
      accepted_at: row.accepted_at.toISOString(),
      name: row.name ?? '',
    };
  }

  return {
    sign,
    signPaper,
    /** Adds where other signed files of the company of a host are known: what they are, and when they were made. */
    addKnown(lookup: (typeof lookups)[number]): void {
      lookups.push(lookup);
    },

    /**
     * The signed file of a company's newest acceptance of a document, made on demand (AGCY-20): an agency's is with the
     * platform, a client's with its agency.
     * @throws Refusal 404 for a company outside the reader's scope, and for one that has not accepted it
     */
    async ofCompany(
      ctx: Ctx,
      companyId: string,
      document: (kind: 'root' | 'agency' | 'client') => Document | null,
    ) {
      const found = await inScope(db.app, ctx.scope, async (tx) => {
        const company = await tenants.company(tx, companyId);
        const wanted = company && document(company.kind);
        if (!company || !wanted) return missing();
        const row = (await store.acceptancesOf(tx, companyId)).find((one) => one.document_type === wanted);
        return { company, row: row ?? missing() };
      });
      const file = await make(found.company, found.row);
      return { id: file.id, name: `agreement-${found.company.name}`, bytes: file.bytes };
    },

    /**
     * A file by its file_uuid.
     * @throws Refusal 404 if there is none in the reader's scope
     */
    async byId(ctx: Ctx, id: string): Promise<{ name: string; title: string; bytes: Buffer }> {
      const file = (await inScope(db.app, ctx.scope, (tx) => files.fileById(tx, id))) ?? missing();
      return {
        name: `agreement-${file.company_name}`,
        title: (file.shown ?? templateOf(file.document_type as Document, '')).title,
        bytes: file.bytes,
      };
    },

    /** The key that the actor's own company signs with; null: none yet. */
    async key(ctx: Ctx) {
      const row = await inScope(db.app, ctx.scope, (tx) => files.keyInUse(tx, ctx.actor.companyId));
      return row ? keyWords(row) : null;
    },

    /**
     * Signs with the owner's own P12 from now on.
     * @throws Refusal 422 if it cannot be used
     */
    async bringKey(ctx: Ctx, p12: Buffer, password: string) {
      const company = own(ctx);
      const made = await ask<MadeKey>(company.id, { do: 'open', p12, password }).catch((error: Error) => {
        if (error instanceof ThreadFailed && error.kind === 'P12Fault') throw refusalOf('p12', error.message);
        if (error instanceof ThreadLost) throw refusalOf('p12', 'takes too long to open');
        throw error;
      });
      const at = ctx.clock.now();
      if (made.validUntil <= at) throw refusalOf('p12', 'has a certificate that has expired');
      return inScope(db.app, ctx.scope, async (tx) => {
        await files.endKey(tx, company.id, at);
        await files.insertKey(tx, keyRow(company, made, 'brought', at));
        await audit.record(tx, ctx, {
          action: 'agreement.key',
          objectKind: 'company',
          objectId: company.id,
          description: `Signs PDFs with their own certificate ${made.subject.slice(0, 200)}`,
        });
        return keyWords((await files.keyInUse(tx, company.id))!);
      });
    },

    /**
     * Stops signing with the owner's own P12.
     * @throws Refusal 404 if there is none
     */
    async dropKey(ctx: Ctx): Promise<void> {
      await inScope(db.app, ctx.scope, async (tx) => {
        const { companyId } = ctx.actor;
        if ((await files.endKey(tx, companyId, ctx.clock.now(), { kind: 'brought' })) === 0)
          throw new Refusal('not_found', ownMessages.notFound);
        await audit.record(tx, ctx, {
          action: 'agreement.key',
          objectKind: 'company',
          objectId: companyId,
          description: 'Stopped signing PDFs with their own certificate',
        });
      });
    },

    /** Whether a file with this hash is an agreement of the company of the host. */
    async checkHash(ctx: Ctx, sha256: string) {
      await limits.take({ ...CHECKS, max: 120 }, networkOf(ctx.ip));
      return checkedHash(ctx, sha256);
    },

    /**
     * Checks the bytes of a file and the signature inside.
     * @throws Refusal 413 if it is too large, 429 if too many are being checked
     */
    async check(ctx: Ctx, pdf: Buffer) {
      if (pdf.length > CHECK_BYTES) throw new Refusal('too_large', ownMessages.checkTooLarge);
      const network = networkOf(ctx.ip);
      await limits.take(CHECKS, network);
      const sha256 = hash('sha256', pdf);
      const found = await ask<Signature>(network, { do: 'check', pdf }).catch((error: Error) => {
        if (error instanceof ThreadLost || error instanceof ThreadFailed) return null;
        throw error;
      });
      const checked = await checkedHash(ctx, sha256);
      if (!found)
        return { ...checked, sha256, signature: 'unreadable' as const, signer: '', signed_at: null };
      const { companyId, rootId } = ctx.tenant;
      const isOurs =
        found.fingerprint !== '' &&
        (checked.status === 'known' ||
          (await inScope(db.app, { rootId }, (tx) => files.isKeyOf(tx, [companyId], found.fingerprint))));
      // What was signed here is on file to the last byte. A file that is not was put together from one that is.
      const state =
        found.state !== 'intact'
          ? found.state
          : !isOurs
            ? 'foreign'
            : checked.status === 'known'
              ? 'valid'
              : 'changed';
      return {
        ...checked,
        sha256,
        signature: state,
        signer: found.subject,
        signed_at: found.signedAt?.toISOString() ?? null,
      };
    },
  };
}

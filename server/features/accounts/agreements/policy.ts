import { hash } from 'node:crypto';
import type { z } from 'zod';
import type { AgreementText } from '../../../../contract/accounts/agreement-text.ts';
import { legalDocument } from '../../../../contract/accounts/legal.ts';
import type { DocumentType } from '../../../../contract/accounts/setup.ts';
import type { Inside } from '../../../../contract/wire.ts';
import { documentHtml } from './documents.policy.ts';

export type Document = Inside<z.output<typeof DocumentType>>;
type Kind = 'root' | 'agency' | 'client';

/** The version of a document's template. */
export const versionOf = (document: Document): string => legalDocument(document, '').version;

/** The document that a company's setup requires; a root requires none. */
export const requiredOf = (kind: Kind): Document | null =>
  kind === 'agency' ? 'default_agency' : kind === 'client' ? 'default_client' : null;

/** Whether a company of this kind may accept the document: clients their own, agencies all others. */
export const isFor = (kind: Kind, document: Document): boolean =>
  kind === 'client' ? document === 'default_client' : kind === 'agency' && document !== 'default_client';

/** Whether a company of this kind makes the agreement with others, and so writes its text. */
export const isWrittenBy = (kind: Kind, document: Document): boolean =>
  kind === 'agency' ? document === 'default_client' : kind === 'root' && document !== 'default_client';

/** The company in whose name a company accepts a document: an agency's root, a client's agency. */
export const issuerOf = (
  company: { root_id: string; agency_id: string | null },
  document: Document,
): string => (document === 'default_client' && company.agency_id ? company.agency_id : company.root_id);

/** The hash of a text as it was shown. */
export const hashOf = (text: AgreementText): string => hash('sha256', documentHtml(text));

/** What the certificate of a key that is made here calls a company: 64 characters are all that a common name has. */
export const commonNameOf = (name: string): string => name.slice(0, 64).toWellFormed();

/** The documents that start an agency's obligations: with each it owes a minimum spend, if its root asks for one. */
export const BEGINNING: readonly Document[] = [
  'default_agency',
  'minimum_spend',
  'minimum_spend_v2',
  'minimum_spend_v3',
  'developer',
];

/**
 * The documents that cost something when they are accepted: only the feature that charges for one accepts it, in the
 * transaction that charges.
 */
const CHARGED: readonly Document[] = ['developer'];
export const isFree = (document: Document): boolean => !CHARGED.includes(document);

/** A version that was published, as far as its time matters. */
interface Published {
  version: number;
  effective_at: Date;
}

/**
 * How far a company is with a document. An earlier version that it accepted holds until the notice period of the first
 * later one is over.
 * @param accepted the newest version that it accepted; undefined: none
 * @param published all versions but the template, in order
 */
export function standingOf(
  accepted: number | undefined,
  published: readonly Published[],
  at: Date,
): { state: 'missing' | 'accepted' | 'changing' | 'expired'; mustAcceptBy: Date | null } {
  if (accepted === undefined) return { state: 'missing', mustAcceptBy: null };
  const later = published.filter(({ version }) => version > accepted).map((one) => one.effective_at);
  if (later.length === 0) return { state: 'accepted', mustAcceptBy: null };
  const first = new Date(Math.min(...later.map((one) => one.getTime())));
  return first > at ? { state: 'changing', mustAcceptBy: first } : { state: 'expired', mustAcceptBy: first };
}

/** Of the versions of a document, the one that holds for everyone: the template until the first is effective. */
export const inForce = (published: readonly Published[], at: Date): number =>
  Math.max(1, ...published.filter((one) => one.effective_at <= at).map(({ version }) => version));

import type { z } from 'zod';
import { legalDocument } from '../../../../contract/accounts/legal.ts';
import type { DocumentType } from '../../../../contract/accounts/setup.ts';
import type { Inside } from '../../../../contract/wire.ts';

export type Document = Inside<z.output<typeof DocumentType>>;

/** The version of a document that is currently shown. A new version must be accepted again. */
export const versionOf = (document: Document): string => legalDocument(document, '').version;

/** The document that a company's setup requires; a root requires none. */
export const requiredOf = (kind: 'root' | 'agency' | 'client'): Document | null =>
  kind === 'agency' ? 'default_agency' : kind === 'client' ? 'default_client' : null;

/** Whether a company of this kind may accept the document: clients their own, agencies all others. */
export const isFor = (kind: 'root' | 'agency' | 'client', document: Document): boolean =>
  kind === 'client' ? document === 'default_client' : kind === 'agency' && document !== 'default_client';

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

import type { z } from 'zod';
import type { DocumentType } from '../../../contract/setup.ts';

export type Document = z.output<typeof DocumentType>;

/** The version of each document that is shown at present. A new one must be accepted anew. */
export const VERSIONS: Record<Document, string> = {
  default_agency: '1',
  default_client: '1',
  minimum_spend: '1',
  minimum_spend_v2: '1',
  minimum_spend_v3: '1',
  developer: '1',
  data_wallet: '1',
  b2b_module: '1',
  simplifi_module: '1',
};

/** The document that a company's set-up needs; a root needs none. */
export const requiredOf = (kind: 'root' | 'agency' | 'client'): Document | null =>
  kind === 'agency' ? 'default_agency' : kind === 'client' ? 'default_client' : null;

/** Whether a company of this kind may accept the document: clients their own, agencies all others. */
export const isFor = (kind: 'root' | 'agency' | 'client', document: Document): boolean =>
  kind === 'client' ? document === 'default_client' : kind === 'agency' && document !== 'default_client';

import { queryOptions } from '@tanstack/react-query';
import { useState } from 'react';
import { READ_TO_END } from '../../../../contract/accounts/agreement-text.ts';
import { messages } from '../../../../contract/messages.ts';
import { api } from '../../../api/client.ts';

/** A document that a company accepts. */
export type Document = Parameters<typeof api.agreementText.read>[0]['document_type'];
/** One that companies write for others. */
export type WrittenDocument = Parameters<typeof api.agreementText.versions>[0]['document_type'];
export type AgreementRead = Awaited<ReturnType<typeof api.agreementText.read>>;
export type Standing = Awaited<ReturnType<typeof api.agreementText.standings>>['data'][number];

/** What each document is called where it is chosen. */
export const DOCUMENT_NAMES: Record<Document, string> = {
  default_agency: 'Agency agreement',
  default_client: 'Client agreement',
  minimum_spend: 'Minimum spend agreement',
  minimum_spend_v2: 'Minimum spend agreement, second edition',
  minimum_spend_v3: 'Minimum spend agreement, third edition',
  developer: 'Developer agreement',
  data_wallet: 'Data Wallet agreement',
  b2b_module: 'Service agreement: B2B',
  simplifi_module: 'Service agreement: programmatic advertising',
};

/** The newest version of an agreement of one's own company, to read. */
export const readQuery = (document_type: Document) =>
  queryOptions({
    queryKey: ['agreement', 'text', document_type],
    queryFn: ({ signal }) => api.agreementText.read({ document_type }, { signal }),
    staleTime: 0,
  });

/** The agreements of one's own company. */
export const standingsQuery = queryOptions({
  queryKey: ['agreement', 'standings'],
  queryFn: ({ signal }) => api.agreementText.standings(undefined, { signal }),
});

/** Whether a text has been read to its end and the box is ticked, and what is missing. */
export function useAcceptance() {
  const [isRead, setRead] = useState(false);
  const [isTicked, setTicked] = useState(false);
  const [problem, setProblem] = useState<string>();
  return {
    isTicked,
    problem,
    onRead: () => {
      setRead(true);
      setProblem(undefined);
    },
    onTick: (is: boolean) => {
      setTicked(is);
      setProblem(undefined);
    },
    /** Starts anew, with another text. */
    reset: () => {
      setRead(false);
      setTicked(false);
    },
    /** Whether nothing is missing; otherwise the problem is shown. */
    check: (): boolean => {
      const missing = isTicked ? (isRead ? undefined : READ_TO_END) : messages.clickAgree;
      setProblem(missing);
      return missing === undefined;
    },
  };
}
export type Acceptance = ReturnType<typeof useAcceptance>;

/** The part of an acceptance that every call takes. */
export const readOf = (text: Pick<AgreementRead, 'text_hash'>) => ({
  text_hash: text.text_hash,
  read_to_end: 'T' as const,
  time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
});

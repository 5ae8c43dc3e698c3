import { queryOptions } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { READ_TO_END } from '../../../../contract/accounts/agreement-text.ts';
import { messages } from '../../../../contract/messages.ts';
import { api } from '../../../api/client.ts';

/** A document that a company accepts. */
export type Document = Parameters<typeof api.agreementText.read>[0]['document_type'];
/** One that companies write for others. */
export type WrittenDocument = Parameters<typeof api.agreementText.versions>[0]['document_type'];
export type AgreementRead = Awaited<ReturnType<typeof api.agreementText.read>>;
export type Standing = Awaited<ReturnType<typeof api.agreementText.standings>>['data'][number];

/** How near the end of a text counts as its end: the space below its last line. */
const END_PX = 16;

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
  const box = useRef<HTMLElement>(null);
  const isRead = useRef(false);
  const [isTicked, setTicked] = useState(false);
  const [problem, setProblem] = useState<string>();
  /** Notes that the end of the text is in sight, if it is: also of one that needs no scrolling. */
  const look = (): boolean => {
    const text = box.current;
    if (text && text.scrollTop + text.clientHeight >= text.scrollHeight - END_PX && !isRead.current) {
      isRead.current = true;
      setProblem(undefined);
    }
    return isRead.current;
  };
  return {
    box,
    look,
    isTicked,
    problem,
    onTick: (is: boolean) => {
      setTicked(is);
      setProblem(undefined);
    },
    /** Starts anew, with another text. */
    reset: () => {
      isRead.current = false;
      setTicked(false);
    },
    /** Whether nothing is missing; otherwise the problem is shown. */
    check: (): boolean => {
      const missing = isTicked ? (look() ? undefined : READ_TO_END) : messages.clickAgree;
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

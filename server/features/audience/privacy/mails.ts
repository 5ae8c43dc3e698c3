import {
  CODE_MINUTES,
  KIND_WORDS,
  type PrivacyKind,
  type Step,
} from '../../../../contract/audience/privacy-rules.ts';
import type { MailContent } from '../../../platform/mail-layout.ts';
import { mailName } from '../../../platform/mail-name.ts';

const day = (at: Date): string =>
  at.toLocaleDateString('en-US', { year: 'numeric', month: 'long', day: 'numeric', timeZone: 'UTC' });
const hello = (name: string): string => `Hello ${mailName(name)},`;
const about = (kind: PrivacyKind, number: string): string => `${KIND_WORDS[kind]}, request ${number}`;

/** The code that proves the address of a request. */
export const codeMail = (given: {
  name: string;
  agent: string;
  kind: PrivacyKind;
  code: string;
}): MailContent => ({
  subject: 'Confirm your privacy request',
  lines: [
    hello(given.name),
    given.agent
      ? `${mailName(given.agent)} made a privacy request for you: ${KIND_WORDS[given.kind]}. Give them this code only if you asked them to.`
      : `Use this code to confirm your privacy request: ${KIND_WORDS[given.kind]}.`,
  ],
  code: given.code,
  after: [
    `It can be used once and expires in ${CODE_MINUTES} minutes.`,
    'If you made no request, you can ignore this email.',
  ],
});

/** Confirms receipt, and says what happens next. */
export const receivedMail = (given: {
  name: string;
  kind: PrivacyKind;
  number: string;
  due: Date;
  /** The request was entered by hand: the address was confirmed by no code. */
  isByHand?: boolean;
}): MailContent => ({
  subject: 'We received your privacy request',
  lines: [
    hello(given.name),
    `We received your request. ${about(given.kind, given.number)}.`,
    `We compare ${given.isByHand ? 'it' : 'the address that you confirmed'} with our records and answer by ${day(given.due)}.`,
  ],
});

/** Says that the answer takes longer, and why. */
export const extendedMail = (given: {
  name: string;
  kind: PrivacyKind;
  number: string;
  due: Date;
  reason: string;
}): MailContent => ({
  subject: 'Your privacy request takes longer',
  lines: [
    hello(given.name),
    `We need more time to answer. ${about(given.kind, given.number)}.`,
    `Reason: ${given.reason}`,
    `We answer by ${day(given.due)}.`,
  ],
});

const DONE: Record<PrivacyKind, string> = {
  opt_out: 'Your email address and the phone numbers that we know of you are no longer sold or shared.',
  delete:
    'We deleted what we know of you, and keep only what stops us from collecting it again. Backups still contain it until they are replaced.',
  access: 'The attached file contains what we know of you.',
  correct: 'We corrected what we know of you.',
};

/** Tells the person what was decided. */
export const decidedMail = (given: {
  name: string;
  kind: PrivacyKind;
  number: string;
  refusal: string | null;
  answer: string;
}): MailContent => ({
  subject: given.refusal === null ? 'Your privacy request is completed' : 'Your privacy request was refused',
  lines: [
    hello(given.name),
    `${about(given.kind, given.number)}.`,
    given.refusal === null ? DONE[given.kind] : `We could not do what you asked. Reason: ${given.refusal}.`,
    ...(given.answer ? [given.answer] : []),
  ],
});

/** A deadline of a request, for whoever handles it: nothing about the person. */
export interface WarnedOf {
  number: string;
  kind: PrivacyKind;
  step: Step;
  due: Date;
  isLate: boolean;
}

const MOST_WARNED = 20;

/** Warns of deadlines that are near or have passed. */
export const warningMail = (given: {
  name: string;
  warned: readonly WarnedOf[];
  url: string;
}): MailContent => {
  const late = given.warned.filter((one) => one.isLate).length;
  const more = given.warned.length - MOST_WARNED;
  const line = ({ number, kind, step, due, isLate }: WarnedOf): string =>
    `${number}, ${KIND_WORDS[kind]}: ${
      step === 'answer'
        ? isLate
          ? 'had to be answered by'
          : 'must be answered by'
        : isLate
          ? 'receipt had to be confirmed by'
          : 'receipt must be confirmed by'
    } ${day(due)}.`;
  return {
    subject:
      late > 0
        ? late === 1
          ? 'A privacy request is overdue'
          : `${late} privacy requests are overdue`
        : given.warned.length === 1
          ? 'A privacy request is due soon'
          : `${given.warned.length} privacy requests are due soon`,
    lines: [
      hello(given.name),
      // What is overdue comes first.
      ...given.warned
        .toSorted((a, b) => Number(b.isLate) - Number(a.isLate))
        .slice(0, MOST_WARNED)
        .map(line),
      ...(more > 0 ? [`${more} more ${more === 1 ? 'is' : 'are'} in the queue.`] : []),
    ],
    action: { label: 'Open Privacy Requests', url: given.url },
  };
};

import type { Questionnaire } from '../../../../contract/accounts/questionnaire.ts';
import {
  BUSINESS,
  CHANNELS,
  CRMS,
  EXPERIENCE,
  GOALS,
  INDUSTRIES,
  SIZES,
  SOURCES,
  VOLUME,
} from '../../../../contract/accounts/questions.ts';
import type { Client } from '../../../../contract/index.ts';

type Options = readonly { value: string; label: string }[];

/** One question: how many answers it takes, and what they are. */
export interface Question {
  key: keyof Questionnaire;
  ask: string;
  kind: 'one' | 'many' | 'yes' | 'text';
  options: Options;
}

const industries: Options = INDUSTRIES.map(({ id, name }) => ({ value: id, label: name }));

/** The questions in the order they are asked (PROF-05). */
export const QUESTIONS: readonly Question[] = [
  { key: 'business_type', ask: 'What type of business are you?', kind: 'one', options: BUSINESS },
  { key: 'industry_id', ask: 'Which industry are you in?', kind: 'one', options: industries },
  { key: 'franchise', ask: 'We are part of a franchise', kind: 'yes', options: [] },
  { key: 'franchise_director', ask: 'I run the franchise', kind: 'yes', options: [] },
  { key: 'office_manager', ask: 'I manage the office', kind: 'yes', options: [] },
  { key: 'client_count', ask: 'How many clients do you work for?', kind: 'one', options: SIZES },
  { key: 'verticals', ask: 'Which industries are your clients in?', kind: 'many', options: industries },
  {
    key: 'lead_volume',
    ask: 'How many leads do you work with each month?',
    kind: 'one',
    options: VOLUME,
  },
  {
    key: 'experience',
    ask: 'How long have you worked with leads?',
    kind: 'one',
    options: EXPERIENCE,
  },
  { key: 'channels', ask: 'How do you reach people today?', kind: 'many', options: CHANNELS },
  { key: 'crm', ask: 'Which CRM do you use?', kind: 'one', options: CRMS },
  { key: 'goals', ask: 'What do you want to achieve first?', kind: 'many', options: GOALS },
  { key: 'how_heard', ask: 'How did you hear about us?', kind: 'one', options: SOURCES },
  { key: 'note', ask: 'Is there anything else we should know?', kind: 'text', options: [] },
];

/** The answers as the form holds them. */
export type Answers = Record<string, string | string[]>;

/** Returns the form's values: the earlier answers, or empty ones. */
export function answersOf(saved: Questionnaire | null | undefined): Answers {
  return Object.fromEntries(
    QUESTIONS.map(({ key, kind }) => {
      const none = kind === 'many' ? [] : kind === 'yes' ? 'F' : '';
      return [key, (saved?.[key] as string | string[] | undefined) ?? none];
    }),
  );
}

/** Returns the form's values as the call takes them; the rules of QUESTIONS are those of the call. */
export const inputOf = (answers: Answers) =>
  answers as unknown as Parameters<Client['profile']['saveQuestionnaire']>[0];

/** Returns what is wrong with an answer; every question except the last and the checkboxes is required. */
export function answerFault(question: Question, answer: string | string[]): string | null {
  if (question.kind === 'one') return answer ? null : 'Choose an answer';
  if (question.kind === 'many') return answer.length > 0 ? null : 'Choose at least one';
  return question.kind === 'text' && answer.length > 2000 ? 'Use 2,000 characters or fewer' : null;
}

/** Formats an answer as text; empty if there is none. */
export function answerWords(question: Question, answer: string | string[] | undefined): string {
  if (question.kind === 'yes') return answer === 'T' ? 'Yes' : 'No';
  const word = (value: string) => question.options.find((option) => option.value === value)?.label ?? value;
  return Array.isArray(answer) ? answer.map(word).join(', ') : answer ? word(answer) : '';
}

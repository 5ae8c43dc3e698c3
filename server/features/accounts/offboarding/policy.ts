import {
  OFFBOARDING_STEPS,
  type OffboardingStep,
  type StepState,
} from '../../../../contract/accounts/offboarding-rules.ts';
import { money, usd } from '../../../../contract/dollars.ts';

/** What there is of a client, and what was decided. Amounts in micro-dollars. */
export interface Facts {
  isRemoved: boolean;
  campaigns: number;
  charges: number;
  refunds: number;
  /** Declined charges that their cardholders could still confirm. */
  confirmable: number;
  deliveries: number;
  connections: number;
  /** In balances, and as credit toward the next invoice. */
  has: bigint;
  /** The part of `has` that cards can get back. */
  refundable: bigint;
  owes: bigint;
  /** null: not started */
  decided: { keepsBalance: boolean; deleteOn: string; isExported: boolean } | null;
}

export interface Step {
  step: OffboardingStep;
  title: string;
  state: StepState;
  words: string;
}

const many = (count: number, one: string, more = `${one}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : more}`;

const dayOf = (day: string): string =>
  Temporal.PlainDate.from(day).toLocaleString('en-US', { dateStyle: 'long' });

/** A total, in cents like on a screen; what would round to nothing is said in full. */
export const sum = (micros: bigint): string => (money(micros) === money(0n) ? usd(micros) : money(micros));

/** The checklist: each step is judged by what there is, never by what was noted, so none is done twice or skipped. */
export function stepsOf(facts: Facts): Step[] {
  const { decided } = facts;
  const isMoving = facts.charges + facts.refunds > 0;
  const left = facts.has - facts.refundable;
  const judge: Record<OffboardingStep, [StepState, string]> = {
    campaigns:
      facts.campaigns === 0
        ? ['done', 'No campaign can bring or sell anything.']
        : ['waits', `${many(facts.campaigns, 'campaign')} will be archived, with automatic purchases off.`],
    charges: isMoving
      ? [
          'waits',
          `${many(facts.charges + facts.refunds, 'payment is', 'payments are')} under way at the card provider. Nothing is refunded before the outcome is known.`,
        ]
      : facts.confirmable > 0
        ? [
            'waits',
            `${many(facts.confirmable, 'declined payment')} that the cardholder could still confirm will be canceled once nothing is due.`,
          ]
        : ['done', 'No charge or refund is under way.'],
    deliveries:
      facts.deliveries === 0
        ? ['done', 'Every lead is delivered, or its delivery has ended.']
        : [
            'waits',
            `${many(facts.deliveries, 'delivery is', 'deliveries are')} still to be made. Each ends within three days.`,
          ],
    balance:
      facts.has === 0n
        ? ['done', 'No balance is left.']
        : facts.refundable > 0n
          ? ['waits', `${sum(facts.refundable)} will be refunded to the cards that paid it.`]
          : decided?.keepsBalance
            ? ['done', `${sum(left)} cannot be refunded to a card and stays as the client’s credit with you.`]
            : [
                'you',
                `${sum(left)} cannot be refunded to a card. Choose to keep it as the client’s credit with you.`,
              ],
    invoices:
      facts.owes <= 0n
        ? ['done', 'Nothing is unbilled or unpaid.']
        : [
            'waits',
            `${sum(facts.owes)} is unbilled or unpaid. It is invoiced at the end of the billing period and collected as usual.`,
          ],
    connections:
      facts.connections === 0
        ? ['done', 'No integration is connected.']
        : [
            'waits',
            `${many(facts.connections, 'integration')} will be disconnected once deliveries are done.`,
          ],
    export: decided?.isExported
      ? ['done', 'The client has its data, or does not want it.']
      : ['you', 'Give the client its data while its users can still sign in, then confirm it here.'],
    deletion: decided
      ? ['done', `The data is kept until ${dayOf(decided.deleteOn)}. Nothing is deleted automatically.`]
      : ['you', 'Choose until when the client’s data is kept.'],
    users: facts.isRemoved
      ? ['done', 'The client is off your list. Its users are signed out and cannot sign in.']
      : ['waits', 'Last, the users are signed out and the client is taken off your list.'],
  };
  return (Object.keys(OFFBOARDING_STEPS) as OffboardingStep[]).map((step) => ({
    step,
    title: OFFBOARDING_STEPS[step],
    state: judge[step][0],
    words: judge[step][1],
  }));
}

/** Whether a step is done. */
export const isDone = (steps: readonly Step[], step: OffboardingStep): boolean =>
  steps.find((one) => one.step === step)?.state === 'done';

/** Whether nothing is left but to sign the users out. */
export const isReady = (steps: readonly Step[]): boolean =>
  steps.every((one) => one.step === 'users' || one.state === 'done');

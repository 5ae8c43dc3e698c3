import type { StepState } from '../../../../contract/accounts/offboarding-rules.ts';
import {
  TRANSFER_SIDES,
  TRANSFER_STEPS,
  type TransferSide,
  type TransferState,
  type TransferStep,
} from '../../../../contract/accounts/transfer-rules.ts';
import { usd } from '../../../../contract/primitives.ts';

/** Who has agreed so far, and until when the others can. */
export interface Consents {
  state: TransferState;
  expires_at: Date;
  to_agency_id: string | null;
  giving_at: Date | null;
  receiving_at: Date | null;
  client_at: Date | null;
}

/** Who has not agreed yet. */
export const waitsFor = (row: Consents): TransferSide[] =>
  row.state === 'offered' ? TRANSFER_SIDES.filter((side) => row[`${side}_at`] === null) : [];

/** Whether nothing but what a person decides is missing: a transfer that has waited for too long is over, swept or not. */
export const isOpen = (row: Consents, now: Date): boolean =>
  row.state === 'offered' && row.expires_at.getTime() > now.getTime();

/**
 * Whether it is someone's turn to agree. A client that did not name the receiving agency itself has to know who it is, so
 * it is asked once that agency has agreed.
 */
export const mayAgree = (row: Consents, side: TransferSide, now: Date): boolean =>
  isOpen(row, now) && row[`${side}_at`] === null && (side !== 'client' || row.receiving_at !== null);

/** Whether someone can end it, and what that is called: until the client has moved, anyone can. */
export function endOf(
  row: Consents & { started_by: 'giving' | 'client' },
  side: TransferSide,
  now: Date,
): 'withdrawn' | 'declined' | 'canceled' | null {
  if (row.state === 'settling') return 'canceled';
  if (!isOpen(row, now)) return null;
  return side === row.started_by ? 'withdrawn' : 'declined';
}

/** What there is of a client that could still change its money, or that a job is working on. Amounts in micro-dollars. */
export interface Facts {
  running: number;
  ads: number;
  charges: number;
  refunds: number;
  /** Declined charges that their cardholders could still confirm. */
  confirmable: number;
  /** In balances, and as credit toward the next invoice. */
  has: bigint;
  /** The part of `has` that cards can get back. */
  refundable: bigint;
  owes: bigint;
  exports: number;
  imports: number;
  returns: number;
  isOffboarding: boolean;
}

export interface Step {
  step: TransferStep;
  title: string;
  state: StepState;
  words: string;
}

const many = (count: number, one: string, more = `${one}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : more}`;

/** What is under way besides money, in words. */
export function busyWith(facts: Facts): string[] {
  return [
    ...(facts.isOffboarding ? ['The client is being offboarded. Cancel that first.'] : []),
    ...(facts.exports > 0 ? ['A full export is being made.'] : []),
    ...(facts.imports > 0 ? [`${many(facts.imports, 'list is', 'lists are')} being imported.`] : []),
    ...(facts.returns > 0
      ? [
          `${many(facts.returns, 'returned lead waits', 'returned leads wait')} for a decision of the current agency.`,
        ]
      : []),
  ];
}

/**
 * The checklist. Consents are what people said, and everything else is judged by what there is, never by what was noted.
 * `facts`: null if the reader is not told them.
 */
export function stepsOf(row: Consents & { keeps_balance: boolean | null }, facts: Facts | null): Step[] {
  const agreed = (side: TransferSide): [StepState, string] =>
    row[`${side}_at`] ? ['done', 'Agreed.'] : ['you', 'Has not agreed yet.'];
  const begun = row.state === 'settling' || row.state === 'done';
  const isDone = row.state === 'done';
  const judge: Partial<Record<TransferStep, [StepState, string]>> = {
    giving: agreed('giving'),
    receiving: agreed('receiving'),
    client: agreed('client'),
    move: isDone
      ? ['done', 'The client is with the receiving agency.']
      : ['waits', 'Finally, everything moves at once, and the client’s users sign in again.'],
  };
  if (facts && !isDone) {
    const moving = facts.charges + facts.refunds;
    const left = facts.has - facts.refundable;
    const busy = busyWith(facts);
    judge.campaigns =
      facts.running + facts.ads === 0
        ? ['done', 'No campaign can sell anything.']
        : [
            'waits',
            `${many(facts.running + facts.ads, 'campaign')} will be paused once everyone has agreed, with automatic purchases off. Ad campaigns are archived.`,
          ];
    judge.charges =
      moving > 0
        ? [
            'waits',
            `${many(moving, 'payment is', 'payments are')} under way at the card provider. Nothing moves before the outcome is known.`,
          ]
        : facts.confirmable > 0
          ? [
              'waits',
              `${many(facts.confirmable, 'declined payment')} that the cardholder could still confirm will be canceled once nothing is due.`,
            ]
          : ['done', 'No charge or refund is under way.'];
    judge.balance =
      facts.has === 0n
        ? ['done', 'No balance is left.']
        : facts.refundable > 0n
          ? [
              'waits',
              `${usd(facts.refundable)} will be refunded to the cards that paid it${begun ? '' : ', less what is used until then'}.`,
            ]
          : row.keeps_balance
            ? ['done', `${usd(left)} cannot be refunded to a card and stays as the client’s credit with you.`]
            : [
                'you',
                `${usd(left)} cannot be refunded to a card. Choose to keep it as the client’s credit with you.`,
              ];
    judge.invoices =
      facts.owes <= 0n
        ? ['done', 'Nothing is unbilled or unpaid.']
        : [
            'waits',
            `${usd(facts.owes)} is unbilled or unpaid. It is invoiced at the end of the billing period and collected as usual.`,
          ];
    judge.busy = busy.length === 0 ? ['done', 'Nothing else is under way.'] : ['waits', busy.join(' ')];
  }
  return (Object.keys(TRANSFER_STEPS) as TransferStep[]).flatMap((step) => {
    const found = judge[step];
    return found ? [{ step, title: TRANSFER_STEPS[step], state: found[0], words: found[1] }] : [];
  });
}

/** Whether the client can move now. */
export const isReady = (steps: readonly Step[]): boolean =>
  steps.every((one) => one.step === 'move' || one.state === 'done');

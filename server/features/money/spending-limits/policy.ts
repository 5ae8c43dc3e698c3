/** A limit and its current state. */
export interface Limit {
  id: string;
  owner: { root_id: string; agency_id: string; company_id: string };
  subject: 'wallet' | 'client' | 'campaign';
  subjectId: string;
  period: 'day' | 'month';
  hard: bigint | null;
  soft: bigint | null;
  /** First day of the current period, in the subject's time zone. */
  since: string;
  /** Spent so far in the current period. */
  spent: bigint;
}

/**
 * What a lead (or another charge) uses up: the price for the campaign and the client, what the agency pays for its
 * wallet.
 */
export interface Spend {
  campaignId?: string;
  clientId?: string;
  agencyId: string;
  priceMicros: bigint;
  walletMicros: bigint;
}

export type CapRefusal = 'cap_campaign' | 'cap_client' | 'cap_wallet';

/** That a limit was passed (soft) or reached (hard). */
export interface CapNews {
  limit: Limit;
  level: 'soft' | 'hard';
}

const ORDER = { campaign: 0, client: 1, wallet: 2 };

/**
 * The limits that a transaction has locked, and what it has spent against them so far. Does not access the database.
 */
export class CapBook {
  readonly #bySubject = new Map<string, Limit[]>();
  readonly #news = new Map<string, CapNews>();

  constructor(limits: Limit[]) {
    for (const limit of limits.toSorted((a, b) => ORDER[a.subject] - ORDER[b.subject]))
      this.#bySubject.set(limit.subjectId, [...(this.#bySubject.get(limit.subjectId) ?? []), limit]);
  }

  *#touched(spend: Spend): Generator<[limit: Limit, amount: bigint]> {
    for (const id of [spend.campaignId, spend.clientId, spend.agencyId]) {
      for (const limit of (id && this.#bySubject.get(id)) || []) {
        const amount = limit.subject === 'wallet' ? spend.walletMicros : spend.priceMicros;
        if (amount > 0n) yield [limit, amount];
      }
    }
  }

  /** The first hard limit that a spend would exceed: its campaign's, its client's, its wallet's. */
  refusal(spend: Spend): CapRefusal | null {
    for (const [limit, amount] of this.#touched(spend)) {
      if (limit.hard !== null && limit.spent + amount > limit.hard) {
        this.#news.set(`${limit.id} hard`, { limit, level: 'hard' });
        return `cap_${limit.subject}`;
      }
    }
    return null;
  }

  /** Counts a spend. */
  take(spend: Spend): void {
    for (const [limit, amount] of this.#touched(spend)) {
      limit.spent += amount;
      if (limit.soft !== null && limit.spent > limit.soft)
        this.#news.set(`${limit.id} soft`, { limit, level: 'soft' });
    }
  }

  /** What has to be reported. */
  get news(): CapNews[] {
    return [...this.#news.values()];
  }
}

/** The first day of a period that a day is in, YYYY-MM-DD. */
export const firstDay = (day: string, period: 'day' | 'month'): string =>
  period === 'day' ? day : `${day.slice(0, 8)}01`;

/** The calendar day of an instant in a time zone, YYYY-MM-DD. */
export function dayIn(at: Date, timeZone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(at.getTime())
    .toZonedDateTimeISO(timeZone)
    .toPlainDate()
    .toString();
}

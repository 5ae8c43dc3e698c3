/** A lot of a wallet, as far as drawing from it goes. */
export interface OpenLot {
  id: string;
  remaining: bigint;
  expires_at: Date;
  created_at: Date;
}

export const LOT_MONTHS = 12;
/** So many days before the end of a lot its owner is told. */
export const NOTICE_DAYS = [30, 7, 1] as const;

const zoned = (at: Date, timeZone: string) =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone);

/**
 * When a lot that was bought at an instant ends: with the last moment of the same calendar day twelve months later, where
 * its owner is. A day that the month does not have is its last one (29 February 2028 -> 28 February 2029).
 */
export function expiryOf(boughtAt: Date, timeZone: string): Date {
  const last = zoned(boughtAt, timeZone).toPlainDate().add({ months: LOT_MONTHS }, { overflow: 'constrain' });
  return new Date(last.add({ days: 1 }).toZonedDateTime({ timeZone }).epochMilliseconds);
}

/** The last day on which a lot can be used, YYYY-MM-DD, where its owner is. */
export function lastDay(expiresAt: Date, timeZone: string): string {
  return zoned(expiresAt, timeZone).toPlainDate().subtract({ days: 1 }).toString();
}

/** Midnights around a month ('YYYY-MM'), where the owner is; null: all time. */
export function monthOf(month: string | null, timeZone: string): { from: Date; ends: Date } {
  if (month === null) return { from: new Date(0), ends: new Date('9999-01-01T00:00:00Z') };
  const first = Temporal.PlainYearMonth.from(month).toPlainDate({ day: 1 });
  const at = (day: Temporal.PlainDate) => new Date(day.toZonedDateTime({ timeZone }).epochMilliseconds);
  return { from: at(first), ends: at(first.add({ months: 1 })) };
}

/** The days of a month 'YYYY-MM' up to today, each with the instant at which it ends. */
export function daysUpTo(month: string, timeZone: string, now: Date): { day: string; ends: Date }[] {
  const first = Temporal.PlainYearMonth.from(month);
  const today = zoned(now, timeZone).toPlainDate();
  const days = [];
  for (let n = 1; n <= first.daysInMonth; n++) {
    const day = first.toPlainDate({ day: n });
    if (Temporal.PlainDate.compare(day, today) > 0) break;
    const ends = new Date(day.add({ days: 1 }).toZonedDateTime({ timeZone }).epochMilliseconds);
    days.push({ day: day.toString(), ends });
  }
  return days;
}

/** Whole calendar days left of a lot, where its owner is; 1 on its last day, 0 once it is over. */
export function daysLeft(now: Date, expiresAt: Date, timeZone: string): number {
  if (expiresAt <= now) return 0;
  return zoned(now, timeZone).toPlainDate().until(zoned(expiresAt, timeZone).toPlainDate()).days;
}

/**
 * The notice that is due for a lot: the most pressing of 30, 7 and 1 days whose time has come and that was not given, nor
 * one more pressing. Null: none.
 */
export function noticeDue(
  lot: { expires_at: Date; noticed: number | null },
  now: Date,
  timeZone: string,
): (typeof NOTICE_DAYS)[number] | null {
  const left = daysLeft(now, lot.expires_at, timeZone);
  if (left === 0) return null;
  const due = NOTICE_DAYS.filter((days) => left <= days).at(-1);
  return due !== undefined && (lot.noticed === null || lot.noticed > due) ? due : null;
}

/** The lots of one wallet during a transaction that has locked it: drawn soonest end first. */
export class WalletBook {
  readonly #lots: OpenLot[];
  /** What can be drawn, micro-dollars. */
  available: bigint;

  /** @param lots those that are not over */
  constructor(lots: OpenLot[]) {
    this.#lots = lots
      .map((lot) => ({ ...lot }))
      .sort(
        (a, b) =>
          a.expires_at.getTime() - b.expires_at.getTime() ||
          a.created_at.getTime() - b.created_at.getTime() ||
          (a.id < b.id ? -1 : 1),
      );
    this.available = this.#lots.reduce((sum, lot) => sum + lot.remaining, 0n);
  }

  /** Draws an amount: what of which lot, soonest end first. Null, and nothing is drawn, when it is not covered. */
  draw(amount: bigint): { lotId: string; amount: bigint }[] | null {
    if (amount > this.available) return null;
    const parts: { lotId: string; amount: bigint }[] = [];
    let rest = amount;
    for (const lot of this.#lots) {
      if (rest === 0n) break;
      // biome-ignore lint/complexity/useMathMinMax: Math.min takes no bigint
      const part = lot.remaining < rest ? lot.remaining : rest;
      if (part === 0n) continue;
      lot.remaining -= part;
      rest -= part;
      parts.push({ lotId: lot.id, amount: part });
    }
    this.available -= amount;
    return parts;
  }
}

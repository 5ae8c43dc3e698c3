/** A wallet lot, reduced to what drawing from it needs. */
export interface OpenLot {
  id: string;
  remaining: bigint;
  expires_at: Date;
  created_at: Date;
}

export const LOT_MONTHS = 12;
/** How many days before a lot ends its owner is notified. */
export const NOTICE_DAYS = [30, 7, 1] as const;

const zoned = (at: Date, timeZone: string) =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone);

/**
 * Returns when a lot bought at an instant ends: at the last moment of the same calendar day twelve months later, in its
 * owner's time zone. If the month has no such day, its last day counts (February 29, 2028 -> February 28, 2029).
 */
export function expiryOf(boughtAt: Date, timeZone: string): Date {
  const last = zoned(boughtAt, timeZone).toPlainDate().add({ months: LOT_MONTHS }, { overflow: 'constrain' });
  return new Date(last.add({ days: 1 }).toZonedDateTime({ timeZone }).epochMilliseconds);
}

/** Returns the last day on which a lot can be used, YYYY-MM-DD, in its owner's time zone. */
export function lastDay(expiresAt: Date, timeZone: string): string {
  return zoned(expiresAt, timeZone).toPlainDate().subtract({ days: 1 }).toString();
}

/** Returns the midnights that bound a month ('YYYY-MM') in the owner's time zone; null means all time. */
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

/** Returns the whole calendar days left of a lot, in its owner's time zone; 1 on its last day, 0 once it has ended. */
export function daysLeft(now: Date, expiresAt: Date, timeZone: string): number {
  if (expiresAt <= now) return 0;
  return zoned(now, timeZone).toPlainDate().until(zoned(expiresAt, timeZone).toPlainDate()).days;
}

/**
 * Returns the notice that is due for a lot: the most urgent of 30, 7, and 1 days whose time has come, unless it or a
 * more urgent one was already given. Null if no notice is due.
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

/** The lots of one wallet during a transaction that has locked it, drawn in order of expiration. */
export class WalletBook {
  readonly #lots: OpenLot[];
  /** The amount that can be drawn, in micro-dollars. */
  available: bigint;

  /** @param lots those that have not ended */
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

  /**
   * Draws an amount, earliest expiration first. Returns how much came from which lot, or null, with nothing drawn, if
   * the balance is too low.
   */
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

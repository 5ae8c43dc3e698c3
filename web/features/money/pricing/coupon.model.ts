import { microsOf } from '../../../../contract/dollars.ts';
import { messages } from '../../../../contract/messages.ts';
import { currencyFault, currencyPlain } from '../../../ui/currency.ts';
import { money } from '../../../ui/format.ts';

/** The values of a coupon's form. */
export interface CouponValues {
  coupon_code: string;
  kind: 'percent' | 'amount';
  percent: string;
  amount: string;
  max_uses: string;
  /** The last day, YYYY-MM-DD, in the reader's time zone; '': no end. */
  last_day: string;
}

/** Returns the first moment after a day, in the reader's time zone. */
export const endOfDay = (day: string): Date => {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date + 1);
};

/** Returns what is wrong with a coupon, by field. */
export function couponFaults(values: CouponValues, now: Date): Partial<Record<keyof CouponValues, string>> {
  const faults: Partial<Record<keyof CouponValues, string>> = {};
  if (!/^[A-Z0-9_-]{4,40}$/.test(values.coupon_code.trim().toUpperCase()))
    faults.coupon_code = 'Use 4 to 40 letters, digits, hyphens or underscores';
  if (values.kind === 'percent') {
    const share = values.percent.trim();
    if (!/^\d{1,3}(\.\d{1,2})?$/.test(share) || Number(share) <= 0 || Number(share) > 100)
      faults.percent = 'Enter a percentage above 0 and up to 100, such as 12.5';
  } else {
    const fault =
      values.amount.trim() === '' || Number(currencyPlain(values.amount)) === 0
        ? messages.onboardInvalid
        : currencyFault(values.amount, 2);
    if (fault) faults.amount = fault;
  }
  const uses = values.max_uses.trim();
  if (uses !== '' && (!/^\d{1,7}$/.test(uses) || Number(uses) < 1 || Number(uses) > 1_000_000))
    faults.max_uses = 'Enter a whole number from 1 to 1,000,000, or leave it blank';
  if (values.last_day && endOfDay(values.last_day) <= now) faults.last_day = 'Choose today or a later date';
  return faults;
}

/** Describes what a coupon takes off: '12.5%' or '$100.00'. */
export const worthWords = (coupon: { percent: string | null; amount: string | null }): string =>
  coupon.percent === null ? money(microsOf(coupon.amount ?? '0')) : `${Number(coupon.percent)}%`;

/** Returns a coupon's status. */
export function couponState(
  coupon: { uses: number; max_uses: number | null; expires_at: string | null },
  now: Date,
): 'usable' | 'used_up' | 'expired' {
  if (coupon.expires_at && new Date(coupon.expires_at) <= now) return 'expired';
  return coupon.max_uses !== null && coupon.uses >= coupon.max_uses ? 'used_up' : 'usable';
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * Describes how old something was at a given moment: 'at the same time', '5 minutes before', '3 days before', '2 months
 * after'.
 */
export function ageWords(then: string, at: string): string {
  const apart = Date.parse(at) - Date.parse(then);
  const size = Math.abs(apart);
  if (size < MINUTE) return 'at the same time';
  const [count, unit] =
    size < HOUR
      ? [size / MINUTE, 'minute']
      : size < DAY
        ? [size / HOUR, 'hour']
        : size < 60 * DAY
          ? [size / DAY, 'day']
          : size < 730 * DAY
            ? [size / (30.44 * DAY), 'month']
            : [size / (365.25 * DAY), 'year'];
  const whole = Math.floor(count as number);
  return `${whole} ${unit}${whole === 1 ? '' : 's'} ${apart > 0 ? 'before' : 'after'}`;
}

/** Returns the host of a page's address; the address itself if it has no host. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host.replace(/^www\./, '') || url : url;
}

/** Formats seconds like a clock: '29:05'; never less than '0:00'. */
export function timeLeft(seconds: number): string {
  const left = Math.max(0, seconds);
  return `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
}

/** Returns what is wrong with the reason for a view; null if nothing is. */
export function reasonFault(reason: string): string | null {
  const { length } = reason.trim();
  if (length < 5) return 'Enter a short reason of at least 5 characters';
  return length > 255 ? 'Use up to 255 characters' : null;
}

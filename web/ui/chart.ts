/** One day of the chart: its value, and that of the same day in the previous period. */
export interface ChartDay {
  label: string;
  now: number;
  before: number | null;
}

/**
 * Returns round steps of an axis through 0 that reach from `least` (at most 0) to `most`: about `count` of them, whole
 * numbers if the values are.
 */
export function axisSteps(most: number, count = 4, whole = true, least = 0): number[] {
  if (!(most > least)) return [0, 1];
  const rough = (most - least) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const unit = [1, 2, 2.5, 5, 10].map((step) => step * power).find((step) => step >= rough - 1e-9)!;
  const step = whole ? Math.max(1, Math.ceil(unit)) : unit;
  const above = Math.ceil(most / step - 1e-9);
  const below = Math.ceil(-least / step - 1e-9);
  return Array.from({ length: above + below + 1 }, (_, i) => Number(((i - below) * step).toPrecision(12)));
}

/**
 * Returns which labels of the x axis fit: the first, then each one at least `room` px after the previous one; all of
 * them have `width` px.
 */
export function labelsThatFit(count: number, width: number, room = 72): number[] {
  if (count <= 0) return [];
  const gap = count > 1 ? width / (count - 1) : width;
  const every = Math.max(1, Math.ceil(room / Math.max(gap, 0.001)));
  return Array.from({ length: Math.ceil(count / every) }, (_, i) => i * every);
}

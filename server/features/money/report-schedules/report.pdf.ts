import type { z } from 'zod';
import type { reportAnalytics } from '../../../../contract/money/report-analytics.ts';
import { REPORT_WORDS, type ScheduledReport } from '../../../../contract/money/report-schedules.ts';
import { usd } from '../../../../contract/primitives.ts';
import type { Inside } from '../../../../contract/wire.ts';
import { openPaper, type PaperBrand } from '../../../platform/paper.ts';
import { bars, head, table, title } from '../../../platform/paper-parts.ts';

type Output<Call extends { '~orpc': { outputSchema?: unknown } }> = Call['~orpc']['outputSchema'] extends
  | z.ZodType
  | undefined
  ? Inside<z.output<NonNullable<Call['~orpc']['outputSchema']>>>
  : never;

/** What the page's call answers. */
export type Asked =
  | { report: 'revenue'; of: Output<typeof reportAnalytics.revenue> }
  | { report: Exclude<ScheduledReport, 'revenue'>; of: Output<typeof reportAnalytics.report> };

/** Of groups, the largest. Days and months are all shown. */
const MOST_BARS = 13;
/** Of a longer list, the page has the rest. The totals are of all. */
const MOST_ROWS = 200;

const count = new Intl.NumberFormat('en-US');
const day = (text: string): string =>
  new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' }).format(
    new Date(`${text}T00:00:00Z`),
  );
const month = (key: string): string =>
  new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${key}-15T00:00:00Z`),
  );
const span = ({ starts_on, ends_on }: { starts_on: string; ends_on: string }): string =>
  `${day(starts_on)} to ${day(ends_on)}`;

/** How an amount changed, as a share of what it was; empty if it was nothing. */
export function changeWords(now: number, before: number): string {
  if (before <= 0) return '';
  const share = (100 * (now - before)) / before;
  return `${share > 0 ? '+' : ''}${count.format(Math.round(share * 10) / 10)}%`;
}

/** The names and amounts of a report's totals, as on its page. */
export function totalsOf(
  asked: Asked,
  isRoot: boolean,
): { name: string; now: number; before: number; isCount: boolean }[] {
  const line = (name: string, now: number, before: number, isCount = false) => ({
    name,
    now,
    before,
    isCount,
  });
  if (asked.report === 'revenue') {
    const { before, ...now } = asked.of.total;
    return [
      line('Revenue', now.revenue_micros, before.revenue_micros),
      line('Supplier cost', now.cost_micros, before.cost_micros),
      line('Card fees', now.fee_micros, before.fee_micros),
      line('Other', now.other_micros, before.other_micros),
      line('Margin', now.margin_micros, before.margin_micros),
    ];
  }
  const { before, ...now } = asked.of.total;
  return [
    line('Leads', now.leads, before.leads, true),
    line(isRoot ? 'Paid by agencies' : 'Paid by clients', now.revenue_micros, before.revenue_micros),
    line(isRoot ? 'Supplier cost' : 'Your cost', now.cost_micros, before.cost_micros),
    line('Margin', now.margin_micros, before.margin_micros),
  ];
}

/** A total in words: 1,234 or $1,234.50. */
export const totalWords = (value: number, isCount: boolean): string =>
  isCount ? count.format(value) : usd(value);

/**
 * A report as a PDF, in the company's own look. Pure: the same answer always produces the same bytes.
 * @param company its name and look, and the address of the report on its pages
 * @param at when it is made
 */
export async function reportPdf(
  asked: Asked,
  company: { name: string; isRoot: boolean; brand: PaperBrand; page: string },
  at: Date,
): Promise<Buffer> {
  const { of, report } = asked;
  const words = REPORT_WORDS[report];
  const paper = await openPaper({
    title: `${words}, ${span(of)}`,
    from: company.name,
    at,
    brand: company.brand,
    shows: of,
  });
  head(
    paper,
    'Report',
    company.name,
    [
      ['Report', words],
      ['Period', span(of)],
      ['Compared', span(of.before)],
      ['Time zone', of.time_zone],
    ],
    null,
  );
  await table(
    paper,
    [
      { title: 'Total' },
      { title: 'This period', at: 190 },
      { title: 'Before', at: 80 },
      { title: 'Change', at: 0 },
    ],
    totalsOf(asked, company.isRoot).map(({ name, now, before, isCount }) => ({
      cells: [name, totalWords(now, isCount), totalWords(before, isCount), changeWords(now, before)],
    })),
  );
  paper.y += 6;
  const rows =
    asked.report === 'revenue'
      ? asked.of.data.map((row) => ({
          name: row.key.length > 7 ? day(row.key) : month(row.key),
          now: row.revenue_micros,
          before: null,
        }))
      : asked.of.data.map((row) => ({
          name: row.name,
          now: row.revenue_micros,
          before: row.before?.revenue_micros ?? null,
        }));
  if (rows.length === 0)
    paper.block('Nothing was sold in this period.', paper.left, paper.y, paper.width, { color: paper.gray });
  else {
    const isOfTime = asked.report === 'revenue' || asked.report === 'month';
    const shown = isOfTime ? rows : rows.slice(0, MOST_BARS);
    title(
      paper,
      asked.report === 'revenue' ? 'Revenue' : company.isRoot ? 'Paid by agencies' : 'Paid by clients',
    );
    bars(paper, shown, shown.some(({ before }) => before !== null) ? ['This period', 'Before'] : null);
    title(paper, 'Details');
    if (asked.report === 'revenue') {
      const sums = (row: Omit<(typeof asked.of.data)[number], 'key' | 'starts_on' | 'ends_on'>) =>
        [row.revenue_micros, row.cost_micros, row.fee_micros, row.other_micros, row.margin_micros].map(usd);
      const { before: _, ...total } = asked.of.total;
      await table(
        paper,
        [
          { title: 'Period' },
          { title: 'Revenue', at: 320 },
          { title: 'Supplier cost', at: 235 },
          { title: 'Card fees', at: 160 },
          { title: 'Other', at: 85 },
          { title: 'Margin', at: 0 },
        ],
        [
          ...asked.of.data.map((row, at) => ({ cells: [rows[at]!.name, ...sums(row)] })),
          { cells: ['Total', ...sums(total)] },
        ],
      );
    } else {
      const { data, total } = asked.of;
      const cells = (row: Omit<(typeof data)[number], 'key' | 'name' | 'company_name'>) => [
        count.format(row.leads),
        ...[row.revenue_micros, row.cost_micros, row.margin_micros].map(usd),
        changeWords(row.revenue_micros, row.before?.revenue_micros ?? 0),
      ];
      if (data.length > MOST_ROWS) {
        const words = `First ${MOST_ROWS} of ${count.format(data.length)}; the rest is in Reports, where the whole list can be downloaded. The totals are of all.`;
        paper.y += paper.block(words, paper.left, paper.y, paper.width, {
          ...{ color: paper.accent, link: company.page },
        });
        paper.y += 8;
      }
      await table(
        paper,
        [
          { title: 'Name' },
          { title: 'Leads', at: 310 },
          { title: company.isRoot ? 'By agencies' : 'By clients', at: 225 },
          { title: company.isRoot ? 'Supplier cost' : 'Your cost', at: 145 },
          { title: 'Margin', at: 60 },
          { title: 'Change', at: 0 },
        ],
        [
          ...data.slice(0, MOST_ROWS).map((row) => ({
            cells: [row.name, ...cells(row)],
            // The agency of all clients of an agency is itself.
            ...(row.company_name && row.company_name !== company.name ? { note: row.company_name } : {}),
          })),
          { cells: ['Total', ...cells(total)] },
        ],
      );
    }
  }
  return paper.finish(`${company.name}, ${words.toLowerCase()}, ${span(of)}`);
}

import type { TransferKind } from '../../../../contract/money/ledger.ts';
import { kindWords } from '../../../../contract/money/ledger-words.ts';
import { usd } from '../../../../contract/primitives.ts';
import { zoneWords } from '../../../../contract/text.ts';
import type { CompanyKind } from '../../../platform/ctx.ts';
import { openPaper, type PaperBrand } from '../../../platform/paper.ts';
import { head, sums, table, title } from '../../../platform/paper-parts.ts';
import type { MonthRow } from './statement.store.ts';

/** A month of a company's money; amounts in micro-dollars. */
export interface MonthStatement {
  /** YYYY-MM, in the time zone. */
  month: string;
  timeZone: string;
  /** For the current month: the time up to which it was read. */
  until: Date | null;
  companyId: string;
  companyName: string;
  kind: CompanyKind;
  /** The company whose brand is used. */
  issuerId: string;
  opening: bigint;
  closing: bigint;
  rows: MonthRow[];
}

/** The label of the balance on the document, for each kind of company. */
const MEANING: Record<CompanyKind, string> = {
  client: 'Prepaid balance minus what you owe. A negative balance is due.',
  agency: 'Data Wallet minus what you owe the platform. A negative balance is due.',
  root: 'Revenue minus costs.',
};

const monthWords = (month: string): string =>
  new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${month}-01T00:00:00Z`),
  );

const CENT = 10_000n;
/** Micro-dollars rounded to whole cents, half away from zero. */
const inCents = (micros: bigint): number => {
  const half = micros < 0n ? -CENT / 2n : CENT / 2n;
  return Number(((micros + half) / CENT) * CENT);
};

/**
 * A month's statement as a PDF, in the brand of the company that the reader deals with. Leads take one line per
 * campaign, and so do ads; the lines sum to the change in the balance. Lines are exact, totals in cents that add up.
 * Pure: the same statement always produces the same bytes.
 */
export async function statementPdf(
  statement: MonthStatement,
  issuer: { name: string; brand: PaperBrand },
): Promise<Buffer> {
  const { timeZone, rows } = statement;
  const month = monthWords(statement.month);
  const days = new Intl.DateTimeFormat('en-US', { timeZone, month: 'short', day: 'numeric' });
  const day = (at: Date): string => days.format(at);
  const paper = await openPaper({
    title: `Statement for ${month}`,
    from: issuer.name,
    at: new Date(`${statement.month}-01T00:00:00Z`),
    brand: issuer.brand,
    shows: statement,
  });
  head(
    paper,
    'Statement',
    issuer.name,
    [
      ['Account', statement.companyName],
      ['Month', statement.until ? `${month}, through ${day(statement.until)}` : month],
      ['Time zone', zoneWords(timeZone)],
    ],
    null,
  );
  paper.block(MEANING[statement.kind], paper.left, paper.y, paper.width, { color: paper.gray });
  paper.y += 22;
  const whole = (of: (kind: string) => boolean): bigint =>
    rows.reduce((all, row) => (of(row.kind) ? all + row.amount : all), 0n);
  const isLead = (kind: string): boolean => kind === 'lead' || kind === 'lead_return';
  const [opening, leads, closing] = [statement.opening, whole(isLead), statement.closing].map(inCents);
  sums(paper, [
    ['Opening balance', opening!],
    ['Leads', leads!],
    ['Other activity', closing! - opening! - leads!],
    [statement.until ? 'Current balance' : 'Closing balance', closing!],
  ]);
  title(paper, 'Lines');
  if (rows.length === 0)
    paper.block('No activity this month.', paper.left, paper.y, paper.width, { color: paper.gray });
  else
    await table(
      paper,
      [
        { title: 'What' },
        { title: 'Date', at: 170 },
        { title: 'Count', at: 110 },
        { title: 'Amount', at: 0 },
      ],
      rows.map((row) => {
        const campaign = row.campaign_name && `${row.campaign_name} #${row.number}`;
        const whose =
          statement.kind === 'client' || row.company_name === statement.companyName ? null : row.company_name;
        const note = [whose, campaign, row.memo].filter(Boolean).join(' · ');
        return {
          cells: [
            row.count > 1 && isLead(row.kind)
              ? `${kindWords(row.kind as TransferKind)}s`
              : kindWords(row.kind as TransferKind),
            day(row.at),
            isLead(row.kind) ? new Intl.NumberFormat('en-US').format(row.count) : '',
            usd(Number(row.amount)),
          ],
          ...(note ? { note } : {}),
        };
      }),
    );
  return paper.finish(`${issuer.name}, statement for ${statement.companyName}, ${month}`);
}

import type { InvoiceData } from '../../../../contract/money/invoices.ts';
import { usd } from '../../../../contract/primitives.ts';
import { openPaper, type Paper, type PaperBrand } from '../../../platform/paper.ts';
import { head, sums, table, title } from '../../../platform/paper-parts.ts';

type Party = InvoiceData['issuer'];

/** A calendar day in the document's time zone: 'November 21, 2026'. */
const dayIn = (instant: string | Date, timeZone: string): string =>
  new Intl.DateTimeFormat('en-US', { timeZone, dateStyle: 'long' }).format(new Date(instant));

/** The first and last day of a period, whose end is the moment after the last day. */
export function periodWords(from: string | null, to: string | null, timeZone: string): string {
  if (!to) return '';
  const last = dayIn(new Date(Date.parse(to) - 1), timeZone);
  if (!from) return `Through ${last}`;
  const first = dayIn(from, timeZone);
  if (first === last) return first;
  // In one year, the year is said once.
  const year = last.slice(-6);
  return `${first.endsWith(year) ? first.slice(0, -year.length) : first} to ${last}`;
}

const count = new Intl.NumberFormat('en-US');
const STAMPS: Record<InvoiceData['status'], { word: string; color: string } | null> = {
  open: null,
  paid: { word: 'Paid', color: '#1a7f4b' },
  uncollectible: { word: 'Write-off', color: '#9a3412' },
  void: { word: 'Void', color: '#9a3412' },
};

const countries = new Intl.DisplayNames('en', { type: 'region' });
/** An address line; a country is kept by its code. */
const countryWords = (line: string): string =>
  /^[A-Z]{2}$/.test(line) ? (countries.of(line) ?? line) : line;
/** A number of the United States as screens show it; others as they are kept. */
const phoneWords = (phone: string): string => phone.replace(/^\+1(\d{3})(\d{3})(\d{4})$/, '($1) $2-$3');

/** Both parties, side by side. */
function parties(paper: Paper, issuer: Party, payer: Party) {
  const half = paper.width / 2 - 12;
  const write = (title: string, party: Party, x: number): number => {
    let at = paper.y;
    at += paper.block(title, x, at, half, { size: 8, color: paper.gray }) + 2;
    at += paper.block(party.name, x, at, half, { size: 10.5, bold: true }) + 1;
    const lines = [...party.address.map(countryWords), party.email, phoneWords(party.phone)];
    for (const line of lines.filter((one) => one.trim())) at += paper.block(line, x, at, half);
    return at;
  };
  paper.room(120);
  const ends = [write('From', issuer, paper.left), write('Bill to', payer, paper.left + half + 24)];
  paper.y = Math.max(...ends) + 20;
}

/** 'visa 4242' as 'Visa ending in 4242'. */
const cardWords = (card: string): string =>
  card.replace(' ', ' ending in ').replace(/^./, (letter) => letter.toUpperCase());

/**
 * An invoice as a PDF, in the issuer's brand and with no one else's. Pure: the same invoice always produces the same
 * bytes; its days are in the invoice's own time zone.
 */
export async function invoicePdf(invoice: InvoiceData, brand: PaperBrand): Promise<Buffer> {
  const { issuer, payer, time_zone: zone } = invoice;
  const kind = invoice.kind === 'receipt' ? 'Receipt' : 'Invoice';
  const paper = await openPaper({
    title: `${kind} ${invoice.number}`,
    from: issuer.name,
    at: new Date(invoice.finalised_at),
    brand,
    shows: invoice,
  });
  const period = periodWords(invoice.period_from, invoice.period_to, zone);
  const facts: [string, string][] = [
    ['Number', invoice.number],
    ['Issued', dayIn(invoice.finalised_at, zone)],
    ...(invoice.kind === 'receipt' ? [] : [['Due', dayIn(invoice.due_at, zone)] as [string, string]]),
    ...(period ? [['Period', period] as [string, string]] : []),
    ...(invoice.paid_at ? [['Paid', dayIn(invoice.paid_at, zone)] as [string, string]] : []),
  ];
  head(paper, kind, issuer.name, facts, STAMPS[invoice.status]);
  parties(paper, issuer, payer);
  await table(
    paper,
    [
      { title: 'Description' },
      { title: 'Quantity', at: 170 },
      { title: 'Unit price', at: 90 },
      { title: 'Amount', at: 0 },
    ],
    invoice.lines.map((line) => ({
      cells: [line.description, count.format(line.quantity), usd(line.unit_micros), usd(line.amount_micros)],
      ...(line.campaign_name && !line.description.includes(line.campaign_name)
        ? { note: line.campaign_name }
        : {}),
    })),
  );
  sums(paper, [
    ['Subtotal', invoice.subtotal_micros],
    ...(invoice.tax_name || invoice.tax_micros
      ? [[invoice.tax_name || 'Tax', invoice.tax_micros] as [string, number]]
      : []),
    ['Total', invoice.total_micros],
    ...(invoice.credited_micros ? [['Credited', -invoice.credited_micros] as [string, number]] : []),
    ...(invoice.paid_micros ? [['Paid', -invoice.paid_micros] as [string, number]] : []),
    ['Amount due', invoice.due_micros],
  ]);
  if (invoice.credit_notes.length > 0) {
    title(paper, 'Credit notes');
    await table(
      paper,
      [{ title: 'Number and reason' }, { title: 'Date', at: 90 }, { title: 'Amount', at: 0 }],
      invoice.credit_notes.map((note) => ({
        cells: [note.number, dayIn(note.created_at, zone), usd(-note.amount_micros)],
        note: note.reason,
      })),
    );
  }
  const paid = invoice.attempts.find((one) => one.state === 'succeeded' && one.card);
  if (paid) {
    paper.room(30);
    paper.y += 6;
    paper.block(`Paid by card, ${cardWords(paid.card)}.`, paper.left, paper.y, paper.width, {
      color: paper.gray,
    });
  }
  return paper.finish(`${issuer.name}, ${kind.toLowerCase()} ${invoice.number}`);
}

/** A credit note of an invoice as a PDF; see invoicePdf. */
export async function creditNotePdf(
  invoice: InvoiceData,
  note: InvoiceData['credit_notes'][number],
  brand: PaperBrand,
): Promise<Buffer> {
  const { issuer, payer, time_zone: zone } = invoice;
  const paper = await openPaper({
    title: `Credit note ${note.number}`,
    from: issuer.name,
    at: new Date(note.created_at),
    brand,
    shows: [invoice, note],
  });
  head(
    paper,
    'Credit note',
    issuer.name,
    [
      ['Number', note.number],
      ['Issued', dayIn(note.created_at, zone)],
      ['Corrects invoice', invoice.number],
      ['Invoice date', dayIn(invoice.finalised_at, zone)],
    ],
    null,
  );
  parties(paper, issuer, payer);
  await table(
    paper,
    [{ title: 'Reason' }, { title: 'Amount', at: 0 }],
    [{ cells: [note.reason, usd(-note.amount_micros)] }],
  );
  sums(paper, [['Credited', -note.amount_micros]]);
  return paper.finish(`${issuer.name}, credit note ${note.number}`);
}

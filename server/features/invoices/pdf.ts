import type { InvoiceData } from '../../../contract/invoices.ts';
import { usd } from '../../../contract/primitives.ts';
import { openPaper, type Paper, type PaperBrand } from '../../platform/paper.ts';

type Party = InvoiceData['issuer'];

/** A calendar day in the document's time zone: 'November 21, 2026'. */
const dayIn = (instant: string | Date, timeZone: string): string =>
  new Intl.DateTimeFormat('en-US', { timeZone, dateStyle: 'long' }).format(new Date(instant));

/** The first and the last day of a period, whose end is the moment after it. */
export function periodWords(from: string | null, to: string | null, timeZone: string): string {
  if (!to) return '';
  const last = dayIn(new Date(Date.parse(to) - 1), timeZone);
  if (!from) return `to ${last}`;
  const first = dayIn(from, timeZone);
  return first === last ? first : `${first} to ${last}`;
}

const count = new Intl.NumberFormat('en-US');
const STAMPS: Record<InvoiceData['status'], { word: string; colour: string } | null> = {
  open: null,
  paid: { word: 'Paid', colour: '#1a7f4b' },
  uncollectible: { word: 'Written off', colour: '#9a3412' },
  void: { word: 'Void', colour: '#9a3412' },
};

/** The name (or logo) of whoever issues it, the kind of document, and its particulars at the right. */
function head(
  paper: Paper,
  kind: string,
  issuer: Party,
  facts: [string, string][],
  stamp: typeof STAMPS.paid,
) {
  const half = paper.width / 2 - 12;
  const top = paper.y;
  let under = top + (paper.logo(160, 48) ? 60 : 0);
  if (under === top)
    under +=
      paper.block(issuer.name, paper.left, top, half, { size: 15, bold: true, colour: paper.accent }) + 8;
  let at = top;
  paper.put(kind, paper.right, at, { size: 20, bold: true, colour: paper.accent, right: true });
  at += 32;
  for (const [name, value] of facts) {
    const size = { size: 9 };
    const words = paper.lines(value, half - 80, size);
    paper.put(name, paper.right - half, at, { ...size, colour: paper.grey });
    for (const line of words) {
      paper.put(line, paper.right, at, { ...size, right: true });
      at += 14;
    }
  }
  if (stamp) {
    paper.stamp(stamp.word, at + 4, stamp.colour);
    at += 34;
  }
  paper.y = Math.max(under, at) + 10;
  paper.rule(paper.accent, 1.5);
  paper.y += 16;
}

/** Both parties, side by side. */
function parties(paper: Paper, issuer: Party, payer: Party) {
  const half = paper.width / 2 - 12;
  const write = (title: string, party: Party, x: number): number => {
    let at = paper.y;
    at += paper.block(title, x, at, half, { size: 8, colour: paper.grey }) + 2;
    at += paper.block(party.name, x, at, half, { size: 10.5, bold: true }) + 1;
    for (const line of [...party.address, party.email, party.phone].filter((one) => one.trim()))
      at += paper.block(line, x, at, half);
    return at;
  };
  paper.room(120);
  const ends = [write('From', issuer, paper.left), write('Bill to', payer, paper.left + half + 24)];
  paper.y = Math.max(...ends) + 20;
}

interface Cell {
  title: string;
  /** Right-aligned at this many points from the right margin; absent: it takes what is left at the left side. */
  at?: number;
}

/** A table whose header stands again on each sheet that it goes on to. */
function table(paper: Paper, cells: Cell[], rows: { cells: string[]; note?: string }[]) {
  const wide = paper.width - Math.max(...cells.map(({ at = 0 }) => at)) - 92;
  const header = (): void => {
    for (const { title, at } of cells) {
      const look = { size: 8, bold: true, colour: paper.grey, right: at !== undefined };
      paper.put(title, at === undefined ? paper.left : paper.right - at, paper.y, look);
    }
    paper.y += 16;
    paper.rule();
    paper.y += 6;
  };
  paper.room(60);
  header();
  for (const row of rows) {
    const words = paper.lines(row.cells[0] ?? '', wide);
    const notes = row.note ? paper.lines(row.note, wide, { size: 8 }) : [];
    const height = Math.max(words.length, 1) * 13 + notes.length * 11.5 + 7;
    if (paper.room(height)) header();
    for (const [at, line] of words.entries()) paper.put(line, paper.left, paper.y + at * 13);
    for (const [at, line] of notes.entries())
      paper.put(line, paper.left, paper.y + words.length * 13 + at * 11.5, { size: 8, colour: paper.grey });
    for (const [at, cell] of cells.entries())
      if (cell.at !== undefined)
        paper.put(row.cells[at] ?? '', paper.right - cell.at, paper.y, { right: true });
    paper.y += height - 5;
    paper.rule();
    paper.y += 6;
  }
}

/** Sums at the right, the last one in bold; together on one sheet. */
function sums(paper: Paper, rows: [string, number][]) {
  paper.room(rows.length * 17 + 12);
  paper.y += 4;
  for (const [at, [name, micros]] of rows.entries()) {
    const bold = at === rows.length - 1;
    const size = bold ? 11 : 9;
    const [label = ''] = paper.lines(name, 200, { size, bold });
    paper.put(label, paper.right - 110, paper.y, { size, bold, right: true });
    paper.put(usd(micros), paper.right, paper.y, { size, bold, right: true });
    paper.y += 17;
  }
  paper.y += 8;
}

function title(paper: Paper, words: string) {
  paper.room(70);
  paper.y += 8;
  paper.put(words, paper.left, paper.y, { size: 10.5, bold: true });
  paper.y += 22;
}

const cardWords = (card: string): string => card.replace(' ', ' ending in ');

/**
 * An invoice as a file to keep, in the brand of whoever issues it and with nothing of anybody else. Pure: the same invoice
 * makes the same bytes; its days are meant in the invoice's own time zone.
 */
export async function invoicePdf(invoice: InvoiceData, brand: PaperBrand): Promise<Buffer> {
  const { issuer, payer, time_zone: zone } = invoice;
  const kind = invoice.kind === 'receipt' ? 'Receipt' : 'Invoice';
  const paper = openPaper({
    title: `${kind} ${invoice.number}`,
    from: issuer.name,
    at: new Date(invoice.finalised_at),
    brand,
  });
  const period = periodWords(invoice.period_from, invoice.period_to, zone);
  const facts: [string, string][] = [
    ['Number', invoice.number],
    ['Issued', dayIn(invoice.finalised_at, zone)],
    ...(invoice.kind === 'receipt' ? [] : [['Due', dayIn(invoice.due_at, zone)] as [string, string]]),
    ...(period ? [['Period', period] as [string, string]] : []),
    ...(invoice.paid_at ? [['Paid', dayIn(invoice.paid_at, zone)] as [string, string]] : []),
  ];
  head(paper, kind, issuer, facts, STAMPS[invoice.status]);
  parties(paper, issuer, payer);
  table(
    paper,
    [
      { title: 'Description' },
      { title: 'Quantity', at: 170 },
      { title: 'Unit price', at: 90 },
      { title: 'Amount', at: 0 },
    ],
    invoice.lines.map((line) => ({
      cells: [line.description, count.format(line.quantity), usd(line.unit_micros), usd(line.amount_micros)],
      ...(line.campaignName && !line.description.includes(line.campaignName)
        ? { note: line.campaignName }
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
    table(
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
      colour: paper.grey,
    });
  }
  return paper.finish(`${issuer.name}, ${kind.toLowerCase()} ${invoice.number}`);
}

/** One credit note of an invoice as a file to keep, as invoicePdf. */
export async function creditNotePdf(
  invoice: InvoiceData,
  note: InvoiceData['credit_notes'][number],
  brand: PaperBrand,
): Promise<Buffer> {
  const { issuer, payer, time_zone: zone } = invoice;
  const paper = openPaper({
    title: `Credit note ${note.number}`,
    from: issuer.name,
    at: new Date(note.created_at),
    brand,
  });
  head(
    paper,
    'Credit note',
    issuer,
    [
      ['Number', note.number],
      ['Issued', dayIn(note.created_at, zone)],
      ['Corrects invoice', invoice.number],
      ['Invoice of', dayIn(invoice.finalised_at, zone)],
    ],
    null,
  );
  parties(paper, issuer, payer);
  table(
    paper,
    [{ title: 'Reason' }, { title: 'Amount', at: 0 }],
    [{ cells: [note.reason, usd(-note.amount_micros)] }],
  );
  sums(paper, [['Credited', -note.amount_micros]]);
  return paper.finish(`${issuer.name}, credit note ${note.number}`);
}

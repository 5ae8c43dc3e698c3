import { createCanvas } from '@napi-rs/canvas';
import fc from 'fast-check';
import { extractText, getDocumentProxy, getMeta } from 'unpdf';
import { describe, expect, test } from 'vitest';
import { Invoice, type InvoiceData } from '../../../../contract/money/invoices.ts';
import { toWire } from '../../../../contract/wire-schema.ts';
import { readable } from '../../../platform/paper.ts';
import { creditNotePdf, invoicePdf, periodWords } from './pdf.ts';

const id = '019a1111-2222-7333-8444-555566667777';
const line = (given: Partial<InvoiceData['lines'][number]> = {}): InvoiceData['lines'][number] => ({
  line: 1,
  kind: 'leads',
  description: 'Leads of Spring sale',
  campaign_id: id,
  campaign_name: 'Spring sale',
  quantity: 12,
  unit_micros: 2_505_000,
  amount_micros: 30_060_000,
  event_count: 12,
  ...given,
});
const invoice = (given: Partial<InvoiceData> = {}): InvoiceData => {
  const data: InvoiceData = {
    id,
    number: 'ACME-00042',
    side: 'retail',
    kind: 'period',
    term: 'Weekly',
    company_id: id,
    company_name: 'Bayou Bikes LLC',
    issuer_name: 'Acme Media',
    period_from: '2026-11-02T06:00:00.000Z',
    period_to: '2026-11-09T06:00:00.000Z',
    total_micros: 1_234_560_000,
    due_micros: 1_134_560_000,
    status: 'open',
    is_failing: false,
    finalised_at: '2026-11-09T06:00:03.000Z',
    due_at: '2026-11-09T06:00:03.000Z',
    paid_at: null,
    time_zone: 'America/Chicago',
    issuer: {
      name: 'Acme Media',
      address: ['1 Canal Street', 'New Orleans, LA 70112'],
      email: 'billing@acme.test',
      phone: '+1 504-555-0100',
    },
    payer: {
      name: 'Bayou Bikes LLC',
      address: ['9 Levee Road', 'US'],
      email: 'pay@bayou.test',
      phone: '+15045550101',
    },
    lines: [
      line(),
      line({
        line: 2,
        kind: 'rounding',
        description: 'Rounding',
        quantity: 1,
        unit_micros: -5_000,
        amount_micros: -5_000,
      }),
    ],
    subtotal_micros: 1_234_560_000,
    tax_name: '',
    tax_micros: 0,
    paid_micros: 0,
    credited_micros: 100_000_000,
    fee_micros: 400_000_000,
    credit_notes: [
      {
        id,
        number: 'ACME-CN-00003',
        amount_micros: 100_000_000,
        reason: 'Two leads were doubles',
        created_at: '2026-11-10T15:00:00.000Z',
      },
    ],
    attempts: [],
    next_attempt_at: null,
    needs_authentication: false,
    may: [],
    ...given,
  };
  Invoice.parse(toWire(Invoice, data));
  return data;
};
const plain = { accent: null };

async function read(bytes: Buffer) {
  const pdf = await getDocumentProxy(new Uint8Array(bytes));
  const { text } = await extractText(pdf, { mergePages: false });
  return { pages: text as string[], all: (text as string[]).join('\n'), meta: await getMeta(pdf) };
}
const logo = (): Buffer => {
  const canvas = createCanvas(200, 80);
  const pen = canvas.getContext('2d');
  pen.fillStyle = '#0a7';
  pen.fillRect(0, 0, 200, 80);
  return canvas.toBuffer('image/png');
};

describe('[PAY-04] an invoice as PDF', () => {
  test('says who, what, when and how much', async () => {
    const { all, pages } = await read(await invoicePdf(invoice(), plain));
    for (const words of [
      'ACME-00042',
      'Acme Media',
      '1 Canal Street',
      'New Orleans, LA 70112',
      'billing@acme.test',
      '+1 504-555-0100',
      'Bayou Bikes LLC',
      '9 Levee Road',
      'United States',
      '(504) 555-0101',
      'Leads of Spring sale',
      '12',
      '$2.505',
      '$30.06',
      '−$0.005',
      'Subtotal',
      'Total',
      '$1,234.56',
      'Credited',
      '−$100.00',
      'Amount due',
      '$1,134.56',
      'ACME-CN-00003',
      'Two leads were doubles',
      'November 9, 2026',
      'November 2 to November 8, 2026',
      'November 10, 2026',
      'Page 1 of 1',
    ])
      expect(all).toContain(words);
    expect(pages).toHaveLength(1);
    // The part that goes to the root must not be visible to the reader of the invoice.
    expect(all).not.toContain('400.00');
  });

  test('days are those of its time zone', () => {
    expect(periodWords('2026-11-02T06:00:00.000Z', '2026-11-09T06:00:00.000Z', 'America/Chicago')).toBe(
      'November 2 to November 8, 2026',
    );
    expect(periodWords('2026-11-02T06:00:00.000Z', '2026-11-03T06:00:00.000Z', 'America/Chicago')).toBe(
      'November 2, 2026',
    );
    expect(periodWords(null, '2026-11-09T06:00:00.000Z', 'UTC')).toBe('Through November 9, 2026');
    expect(periodWords(null, null, 'UTC')).toBe('');
  });

  test('tax has its line, a paid one its stamp and card; an open one neither', async () => {
    const paid = invoice({
      status: 'paid',
      paid_at: '2026-11-12T05:00:00.000Z',
      tax_name: 'Sales tax 5%',
      tax_micros: 58_790_000,
      paid_micros: 1_134_560_000,
      due_micros: 0,
      attempts: [
        {
          id,
          at: '2026-11-12T05:00:00.000Z',
          amount_micros: 1_134_560_000,
          state: 'succeeded',
          card: 'visa 4242',
          message: '',
        },
      ],
    });
    const { all } = await read(await invoicePdf(paid, plain));
    for (const words of [
      'Sales tax 5%',
      '$58.79',
      'November 11, 2026',
      '−$1,134.56',
      'Paid by card, Visa ending in 4242',
    ])
      expect(all).toContain(words);
    // The stamp, the payment line and the total.
    expect(all.match(/\bPaid\b/g)).toHaveLength(4);
    const open = (await read(await invoicePdf(invoice(), plain))).all;
    expect(open).not.toMatch(/Paid|tax/i);
    expect((await read(await invoicePdf(invoice({ status: 'uncollectible' }), plain))).all).toContain(
      'Write-off',
    );
  });

  test('a receipt is called one', async () => {
    const { all, meta } = await read(await invoicePdf(invoice({ kind: 'receipt', status: 'paid' }), plain));
    expect(all).toMatch(/^Receipt|\nReceipt|Receipt\s/);
    expect(all).not.toContain('Due');
    expect(meta.info.Title).toBe('Receipt ACME-00042');
  });

  test('[BEY-11] the file names its issuer only, and no tool that made it', async () => {
    const bytes = await invoicePdf(invoice(), { accent: '#ffee00', logo: { bytes: logo() } });
    const { meta, all } = await read(bytes);
    const { Author, Creator, Producer, Title } = meta.info;
    expect({ Author, Creator, Producer, Title }).toEqual({
      Author: 'Acme Media',
      Creator: 'Acme Media',
      Producer: 'Acme Media',
      Title: 'Invoice ACME-00042',
    });
    expect(`${bytes.toString('latin1')} ${all}`).not.toMatch(/pdfkit|lead.?platform|exactmatch/i);
  });

  test('the same invoice makes the same bytes, with a logo, too', async () => {
    const brand = { accent: '#0055aa', logo: { bytes: logo() } };
    const one = await invoicePdf(invoice(), brand);
    await new Promise((done) => setTimeout(done, 1100));
    expect((await invoicePdf(invoice(), brand)).equals(one)).toBe(true);
    expect((await read(one)).meta.info.CreationDate).toContain('20261109060003');
  });

  test('a long table goes on, with its header on each sheet, and loses no line', async () => {
    const lines = Array.from({ length: 240 }, (_, at) =>
      line({
        line: at + 1,
        description: `Leads of campaign number ${at + 1} ${'with a long name '.repeat(at % 9)}end${at + 1}.`,
        campaign_name: null,
      }),
    );
    const { pages, all } = await read(await invoicePdf(invoice({ lines }), plain));
    expect(pages.length).toBeGreaterThan(5);
    for (const one of lines) expect(all.replaceAll(/\s+/g, ' ')).toContain(`end${one.line}.`);
    for (const [at, page] of pages.entries()) {
      expect(page).toContain(`Page ${at + 1} of ${pages.length}`);
      if (page.includes('$30.06')) expect(page).toContain('Unit price');
    }
    // Totals stay together.
    expect(pages.at(-1)).toMatch(/Subtotal[\s\S]*Amount due/);
  });

  test.each([
    ['Hebrew', 'שלום עולם בע"מ', /שלום/],
    ['Arabic', 'شركة النور للإعلان', /./],
    ['Cyrillic', 'ООО «Ромашка»', /ООО «Ромашка»/],
    ['Greek', 'Καφές Αθήνα', /Καφές Αθήνα/],
    ['Vietnamese', 'Công ty Đại Phát', /Công ty Đại Phát/],
    ['Chinese', '北京广告有限公司 Beijing', /北京广告有限公司 Beijing/],
    ['emoji', 'Bikes 👨‍👩‍👧‍👦 🚲 & Co', /Bikes 👨👩👧👦 🚲 & Co/],
    ['a lone surrogate', 'A\ud83d B', /A/],
    ['controls', 'A\u0000\u001b[31m\u202eB\nC', /A\[31mB ?C/],
    ['marks', 'Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L', /./],
    ['markup', '<b>&amp;(\\) %PDF endobj</b>', /<b>&amp;\(\\\) %PDF endobj<\/b>/],
  ])('a name in %s is printed', async (_, name, expected) => {
    const given = invoice({
      issuer: { ...invoice().issuer, name },
      payer: { ...invoice().payer, name, address: [name, name] },
      number: name,
      lines: [line({ description: name })],
    });
    const { all } = await read(await invoicePdf(given, plain));
    expect(all).toMatch(expected);
    expect(all).toContain('$1,234.56');
  });

  test('a text without end, and one without spaces, stay within the sheet', async () => {
    const long = 'W'.repeat(500);
    const { pages, all } = await read(
      await invoicePdf(
        invoice({
          number: long,
          issuer: { ...invoice().issuer, name: long },
          payer: { ...invoice().payer, name: 'x '.repeat(400) },
          lines: [line({ description: long, amount_micros: 9_000_000_000_000_000 })],
          tax_name: long,
        }),
        plain,
      ),
    );
    expect(pages.length).toBeLessThan(4);
    expect(all.replaceAll(/\s+/g, '')).toContain('$9,000,000,000.00');
  });

  test('no text makes it fail', { timeout: 600_000 }, async () => {
    const text = fc.string({ unit: 'binary', maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(text, text, text, async (a, b, c) => {
        const given = invoice({
          issuer: { ...invoice().issuer, name: a },
          lines: [line({ description: b })],
          number: c,
        });
        expect((await invoicePdf(given, plain)).subarray(0, 5).toString()).toBe('%PDF-');
      }),
      { numRuns: 40 },
    );
  });

  test('a logo that cannot be read is the name instead', async () => {
    const { all } = await read(
      await invoicePdf(invoice(), { accent: null, logo: { bytes: Buffer.from('nothing') } }),
    );
    expect(all).toMatch(/^Acme Media/);
  });

  test('a credit note says what it corrects', async () => {
    const { credit_notes } = invoice();
    const { all, meta } = await read(await creditNotePdf(invoice(), credit_notes[0]!, plain));
    for (const words of [
      'Credit note',
      'ACME-CN-00003',
      'ACME-00042',
      '−$100.00',
      'Two leads were doubles',
      'Bayou Bikes LLC',
    ])
      expect(all).toContain(words);
    expect(meta.info.Title).toBe('Credit note ACME-CN-00003');
  });
});

describe('what a document is written with', () => {
  test.each([
    ['#0055aa', '#0055aa'],
    [null, '#1f2937'],
    ['red', '#1f2937'],
  ])('the accent %s can be read as %s', (given, shown) => expect(readable(given)).toBe(shown));

  test('a light accent becomes darker until it reads on white', () => {
    expect(readable('#ffee00')).not.toBe('#ffee00');
    expect(readable('#ffffff')).toMatch(/^#(7[0-6])\1\1$/);
  });
});

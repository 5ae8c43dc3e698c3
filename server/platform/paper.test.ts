import fc from 'fast-check';
import { extractText, getDocumentProxy } from 'unpdf';
import { describe, expect, test } from 'vitest';
import { openPaper } from './paper.ts';
import { loadFaces } from './paper-fonts.ts';
import { runsOf } from './paper-runs.ts';

const BOX = '\u25a1';
const facesOf = (text: string) => loadFaces(text);
/** The words of a line from left to right, those of right-to-left scripts still spelled forward. */
const drawn = async (line: string): Promise<string> =>
  runsOf(line, await facesOf(line), 'regular')
    .map(({ text }) => text)
    .join('');

describe('a line of a document', () => {
  test.each([
    ['one two', 'one two'],
    ['שלום עולם', 'עולם שלום'],
    ['Leads of שלום עולם Inc', 'Leads of עולם שלום Inc'],
    ['שלום Acme Inc עולם', 'עולם Acme Inc שלום'],
    // A number keeps its digits' order, and stands where it was said.
    ['דירה 12 חיפה', 'חיפה 12 דירה'],
    // Brackets are drawn mirrored, and each word is reversed by its font.
    ['(שלום) Inc', 'Inc )שלום('],
    ['Acme (שלום)', 'Acme (שלום)'],
    ['مرحبا بالعالم', 'بالعالم مرحبا'],
  ])('%s', async (line, expected) => expect(await drawn(line)).toBe(expected));

  test('every character is drawn once, whatever the directions', async () => {
    const faces = await facesOf('אבג abc ابت 123 漢字 ()');
    const word = fc.constantFrom('אב', 'abc', 'ابت', '12', '漢', '(', ')', ' ', '.', '-', '\u202e', '\u2067');
    const sorted = (text: string): string => [...text].sort().join('');
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), (words) => {
        const line = words.join('');
        const out = runsOf(line, faces, 'regular').map(({ text }) => text);
        const even = (text: string): string => sorted(text.replaceAll('(', ')').replaceAll(/\p{C}/gu, ''));
        expect(even(out.join(''))).toBe(even(line));
      }),
      { numRuns: 300 },
    );
  });
});

describe('the scripts of a document', () => {
  const names = {
    Chinese: '北京市朝阳区 株式會社',
    Japanese: '東京都渋谷区 カフェ・さくら',
    Korean: '서울특별시 강남구',
    Arabic: 'شركة الأمل للتجارة',
    Hebrew: 'חברת השמש בע״מ',
    Hindi: 'श्री गणेश ट्रेडर्स',
    Bengali: 'ঢাকা',
    Punjabi: 'ਅੰਮ੍ਰਿਤਸਰ',
    Gujarati: 'અમદાવાદ',
    Tamil: 'சென்னை',
    Telugu: 'హైదరాబాద్',
    Kannada: 'ಬೆಂಗಳೂರು',
    Malayalam: 'കൊച്ചി',
    Sinhala: 'කොළඹ',
    Thai: 'กรุงเทพมหานคร',
    Khmer: 'ភ្នំពេញ',
    Burmese: 'ရန်ကုန်',
    Amharic: 'አዲስ አበባ',
    Greek: 'Αθήνα',
    Russian: 'Москва',
    Georgian: 'თბილისი',
    Armenian: 'Երևան',
    Vietnamese: 'Thành phố Hồ Chí Minh',
    emoji: '🚲 👩‍👧 🇺🇸 ❤️',
  };
  test.each(Object.entries(names))('%s is drawn without a box, in both weights', async (_, text) => {
    const faces = await facesOf(text);
    for (const weight of ['regular', 'bold'] as const)
      expect(
        runsOf(text, faces, weight)
          .map((run) => run.text)
          .join(''),
      ).not.toContain(BOX);
  });

  test('all of them fit into one file, and can be read back', async () => {
    const paper = await openPaper({
      title: 'Names',
      from: 'Acme Media',
      at: new Date('2026-11-09T06:00:00Z'),
      brand: { accent: null },
      shows: names,
    });
    for (const [name, text] of Object.entries(names)) {
      paper.put(name, paper.left, paper.y, { bold: true });
      paper.y += paper.block(text, paper.left + 100, paper.y, paper.width - 100, { size: 12 }) + 4;
    }
    const bytes = await paper.finish('Acme Media');
    expect(bytes.length).toBeLessThan(400_000);
    const { text } = await extractText(await getDocumentProxy(new Uint8Array(bytes)), { mergePages: true });
    for (const name of ['北京市朝阳区', '東京都渋谷区', 'カフェ', '서울특별시', '강남구', '🚲', 'Αθήνα'])
      expect(text.normalize('NFKC')).toContain(name);
  });

  test('Japanese and Chinese have Han characters of their own shape', async () => {
    const face = async (text: string): Promise<string> => (await facesOf(text))('直', 'regular')!.name;
    expect(await face('直')).toMatch(/sans-sc/);
    expect(await face('直す')).toMatch(/sans-jp/);
  });

  test('what no font has becomes a box, as does what would need more fonts than a document may load', async () => {
    expect(await drawn('a\u{f0000}b\u{1f9ff}')).toMatch(/^a□?b/u);
    expect(await drawn('\u{10900}')).toBe(BOX);
    const all = Array.from({ length: 20_000 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join('');
    const faces = await facesOf(all);
    const missing = [...all].filter((one) => !faces(one, 'bold'));
    expect(missing.length).toBeGreaterThan(0);
    expect(missing.length).toBeLessThan(all.length);
  });
});

import fc from 'fast-check';
import { linkifyit } from 'linkify-it';
import * as linkify from 'linkifyjs';
import { expect, test } from 'vitest';
import { mailName, unlinked } from './mail-name.ts';

// What email programs do with text: two widely used libraries, each with the most that it can be told to find.
const finder = linkifyit({ fuzzyIP: true, fuzzyLink: true, fuzzyEmail: true });
/** What would become a link in a text, except for an email address, which opens no page. */
const linked = (text: string): string[] =>
  // The reader's own computer is no stranger's page.
  found(text).filter((one) => !/^(\/\/)?localhost(?![\p{L}\p{N}.-])/iu.test(one));
const found = (text: string): string[] => [
  ...(finder.match(text) ?? []).filter(({ schema }) => schema !== 'mailto:').map(({ text }) => text),
  ...linkify
    .find(text)
    .filter(({ type }) => type !== 'email')
    .map(({ value }) => value),
];
const hasIp = (text: string): boolean => /^\d{1,3}(\.\d{1,3}){3}\.?$/.test(text);

const PARTS =
  'evil example shop x Ann 1.2.3.4 1 80 www www. WWW. com co org io xn--p1ai рф 中国 localhost http https ftp mailto: javascript: :// // / @ . . . 。 ． ｡ ․ ﹒ ? # : & = % + - _ ~ ( ) [ ] < > " \' , ; ! \u200b \u00ad é ｅ *'.split(
    ' ',
  );
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...PARTS), fc.constantFrom(' ', '\n', '\t'), fc.string({ maxLength: 3 })), {
    maxLength: 14,
  })
  .map((parts) => parts.join(''));

test('[AUTH-09] no text that people chose becomes a link in an email, whatever it is', () => {
  const evil = ['www.evil.com?@x', '1.2.3.4/x', 'http://1.2.3.4', '1.2.3.4:80/x', 'a@b@evil.com'];
  expect(evil.slice(0, 3).map((text) => linked(text).length > 0)).toEqual([true, true, true]);
  for (const text of evil)
    expect([text, linked(unlinked(text)), linked(mailName(text))]).toEqual([text, [], []]);
  for (const path of ['/newsletter.html', '/shop/summer-sale.php']) {
    expect([unlinked(`viewed ${path}, then left`), linked(path)]).toEqual([`viewed ${path}, then left`, []]);
    expect(unlinked(`www.evil.com${path}`)).not.toContain('www.');
  }
  fc.assert(
    fc.property(hostile, (text) => {
      // An IP address alone stays readable in alerts.
      expect(linked(unlinked(text)).filter((found) => !hasIp(found))).toEqual([]);
      expect(linked(mailName(text))).toEqual([]);
    }),
    { numRuns: 20_000 },
  );
});

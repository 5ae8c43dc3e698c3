import { scrypt } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { describe, expect, test } from 'vitest';
import { FONT_THEMES } from '../../contract/accounts/fonts.ts';
import type { Refusal } from '../../contract/errors.ts';
import { buildDrawingFonts } from '../../scripts/build.ts';
import { reencodePicture, type UploadRules } from './image.ts';
import { drawingAt, proportions } from './picture.ts';

const red = (width: number, height: number) => {
  const canvas = createCanvas(width, height);
  const pen = canvas.getContext('2d');
  pen.fillStyle = '#ff0000';
  pen.fillRect(0, 0, width / 2, height);
  return canvas;
};
let companies = 0;
// Each for its own company: one's pictures may be drawn for a minute in ten.
const rules: UploadRules = {
  maxSide: 200,
  field: 'logo',
  get by() {
    return `company ${++companies}`;
  },
};
const svg = (inner: string, head = 'viewBox="0 0 40 20"', before = '') =>
  Buffer.from(
    `${before}<svg xmlns="http://www.w3.org/2000/svg" xmlns:x="http://www.w3.org/1999/xlink" ${head}>${inner}</svg>`,
  );
const refusal = (bytes: Uint8Array, more: Partial<UploadRules> = {}) =>
  reencodePicture(bytes, { ...rules, ...more }).then(
    () => 'taken',
    (error) => error.errors?.logo?.[0] ?? String(error),
  );

describe('[TEN-03] pictures that people upload', () => {
  test('PNG, JPEG and WebP come out as our own encoding, scaled down, never up', async () => {
    for (const format of ['png', 'jpeg', 'webp'] as const) {
      const picture = await reencodePicture(await red(300, 100).encode(format as 'png'), rules);
      expect(picture).toMatchObject({
        type: format === 'jpeg' ? 'image/jpeg' : 'image/png',
        width: 200,
        height: 67,
      });
      const again = await loadImage(picture.bytes);
      expect([again.width, again.height]).toEqual([200, 67]);
    }
    expect(await reencodePicture(await red(30, 10).encode('png'), rules)).toMatchObject({
      width: 30,
      height: 10,
    });
    // Lossless WebP has its own header.
    expect(await reencodePicture(await red(30, 10).encode('webp', 100), rules)).toMatchObject({ width: 30 });
  });

  test('text in a drawing has the face that it names, whatever the device has', async () => {
    await buildDrawingFonts();
    /** How much of the picture is ink, which tells faces and weights apart. */
    const ink = async (style: string) => {
      const drawn = await reencodePicture(
        svg(`<text x="1" y="14" font-size="12" ${style}>Hamburg</text>`, 'viewBox="0 0 60 20"'),
        rules,
      );
      const canvas = createCanvas(200, 67);
      const pen = canvas.getContext('2d');
      pen.drawImage(await loadImage(drawn.bytes), 0, 0);
      return pen.getImageData(0, 0, 200, 67).data.reduce((sum, one, at) => sum + (at % 4 === 3 ? one : 0), 0);
    };
    const faces = Object.values(FONT_THEMES).map(({ family }) => `font-family="${family}"`);
    const weights = ['font-family="Arial"', 'font-family="Arial" font-weight="bold"'];
    const inks = [];
    for (const style of [...faces, ...weights]) inks.push(await ink(style));
    expect(new Set(inks).size).toBe(inks.length);
    expect(await ink('font-family="Arimo"')).toBe(inks[faces.length]);
    expect(await ink(`style="font-family: 'Helvetica Neue', serif"`)).toBe(inks[faces.length]);
  });

  test('a square is cut out of the middle', async () => {
    const picture = await reencodePicture(await red(300, 100).encode('png'), { ...rules, square: true });
    expect([picture.width, picture.height]).toEqual([100, 100]);
    const canvas = createCanvas(100, 100);
    canvas.getContext('2d').drawImage(await loadImage(picture.bytes), 0, 0);
    const [left, right] = [25, 75].map((x) => [...canvas.getContext('2d').getImageData(x, 50, 1, 1).data]);
    expect([left, right]).toEqual([
      [255, 0, 0, 255],
      [0, 0, 0, 0],
    ]);
  });

  test('nothing of the file but its pixels survives: no metadata, no second file', async () => {
    const secret = Buffer.from('<script>alert(1)</script>PK\x03\x04 51.5074N');
    const jpeg = await red(60, 20).encode('jpeg');
    const marker = Buffer.from([0xff, 0xe1, 0, secret.length + 2]);
    const withSecret = Buffer.concat([jpeg.subarray(0, 2), marker, secret, jpeg.subarray(2), secret]);
    const picture = await reencodePicture(withSecret, rules);
    expect(withSecret.includes(secret)).toBe(true);
    expect(picture.bytes.includes('51.5074N')).toBe(false);
    const png = Buffer.concat([await red(60, 20).encode('png'), secret]);
    expect((await reencodePicture(png, rules)).bytes.includes('<script>')).toBe(false);
  });

  test('a photo turned by its metadata comes out upright', async () => {
    const jpeg = await red(60, 20).encode('jpeg');
    const turn = Buffer.from(
      'ffe100224578696600004d4d002a00000008000101120003000000010006000000000000',
      'hex',
    );
    const picture = await reencodePicture(
      Buffer.concat([jpeg.subarray(0, 2), turn, jpeg.subarray(2)]),
      rules,
    );
    expect([picture.width, picture.height]).toEqual([20, 60]);
  });

  test('bombs are refused by their header, before anything is decoded', async () => {
    const png = await red(4, 4).encode('png');
    png.writeUInt32BE(60_000, 16);
    png.writeUInt32BE(60_000, 20);
    expect(await refusal(png)).toBe('must not have more than 24 million pixels');
    const jpeg = await red(4, 4).encode('jpeg');
    const at = jpeg.indexOf(Buffer.from('ffc0', 'hex'));
    jpeg.writeUInt16BE(65_000, at + 5);
    jpeg.writeUInt16BE(65_000, at + 7);
    expect(await refusal(jpeg)).toBe('must not have more than 24 million pixels');
    const webp = await red(4, 4).encode('webp', 100);
    if (webp.toString('latin1', 12, 16) === 'VP8L') webp.writeUInt32LE(0x0fffffff, 21);
    else webp.fill(0xff, 24, 30);
    expect(await refusal(webp)).toBe('must not have more than 24 million pixels');
    expect(await refusal(await red(100, 100).encode('png'), { maxPixels: 9_999 })).toMatch(/million pixels/);
  });

  test('what is no picture, too large or broken is refused with the reason', async () => {
    const png = await red(40, 40).encode('png');
    expect(await refusal(Buffer.alloc(0))).toBe('is empty');
    expect(await refusal(Buffer.alloc(2 * 1024 * 1024 + 1))).toBe('must not be larger than 2 MB');
    const kinds = 'must be a PNG, JPEG, WebP, or SVG image';
    for (const text of ['<html><svg></svg></html>', 'GIF89a', '%PDF-1.7', 'MZ', '{}'])
      expect([text, await refusal(Buffer.from(text))]).toEqual([text, kinds]);
    const broken = 'cannot be read as an image; export it again and retry';
    expect(await refusal(png.subarray(0, 60))).toBe(broken);
    expect(await refusal(Buffer.concat([png.subarray(0, 33), Buffer.from('garbage')]))).toBe(broken);
    expect(await refusal(Buffer.from('ffd8ffe000104a46', 'hex'))).toBe(broken);
  });
});

describe('[TEN-03] drawings (SVG)', () => {
  test('become a PNG of the longer side, without their scripts', async () => {
    const hostile = svg(
      '<script>alert(1)</script><rect width="40" height="20" fill="#0000ff" onload="alert(1)"/><foreignObject><iframe src="#x"/></foreignObject>',
    );
    const picture = await reencodePicture(hostile, rules);
    expect(picture).toMatchObject({ type: 'image/png', width: 200, height: 100 });
    const canvas = createCanvas(200, 100);
    canvas.getContext('2d').drawImage(await loadImage(picture.bytes), 0, 0);
    expect([...canvas.getContext('2d').getImageData(100, 50, 1, 1).data]).toEqual([0, 0, 255, 255]);
    expect(
      await reencodePicture(svg('<rect width="9" height="9"/>', 'width="10" height="30px"'), rules),
    ).toMatchObject({ height: 200, width: 67 });
    const prolog =
      '<?xml version="1.0"?><!-- made by x --><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x.dtd">';
    expect(
      await reencodePicture(svg('<rect width="9" height="9"/>', undefined, prolog), rules),
    ).toMatchObject({
      width: 200,
    });
  });

  test('reach for no file and no address, and cannot keep the renderer busy', async () => {
    const outside = 'must not reference other files or addresses';
    expect(await refusal(svg('<image x:href="/etc/passwd" width="9" height="9"/>'))).toBe(outside);
    expect(await refusal(svg('<image href="http://169.254.169.254/x" width="9" height="9"/>'))).toBe(outside);
    expect(await refusal(svg('<use href="other.svg#a"/>'))).toBe(outside);
    expect(await refusal(svg('<rect/>', undefined, '<!DOCTYPE svg [<!ENTITY a "b">]>'))).toMatch(
      /image|entities/,
    );
    const nested = Array.from(
      { length: 12 },
      (_, i) =>
        `<g id="g${i}">${i ? `<use href="#g${i - 1}"/>`.repeat(10) : '<rect width="4" height="4"/>'}</g>`,
    ).join('');
    expect(await refusal(svg(`<defs>${nested}</defs><use href="#g11"/>`))).toMatch(/cannot be read/);
    expect(await refusal(svg('<g>'.repeat(60_000)))).toMatch(/cannot be read/);
    expect(await refusal(svg('<rect/>', 'viewBox="0 0 1 100000"'))).toMatch(/cannot be read/);
  });

  test('[BEY-31] a prolog is read once, however it is made', async () => {
    expect(drawingAt('<?xml version="1.0"?>\n<!-- a --><!-- b -->\n<!DOCTYPE svg>\n<svg/>')).toBe(-1);
    const whole = '<?xml version="1.0"?> <!-- a > b --><!DOCTYPE svg> <SVG viewBox=""';
    expect(drawingAt(whole)).toBe(whole.indexOf('<SVG'));
    for (const text of ['<svgx>', '<!-- <svg >', '<!DOCTYPE svg [<!ELEMENT a>]><svg >', 'x<svg >', ''])
      expect([text, drawingAt(text)]).toEqual([text, -1]);
    // With the pattern used here before, each additional comment doubled the time: these would have taken centuries.
    expect(await refusal(Buffer.from(`${'<!---->'.repeat(500)}x`))).toMatch(/PNG, JPEG/);
    // Half a megabyte of opening tags, none of which ends.
    expect(await refusal(Buffer.from(`<svg ${'<svg '.repeat(100_000)}`))).toMatch(/cannot be read/);
    expect(proportions('<svg viewBox="0,0 1e2 50"')).toEqual([100, 50]);
    expect(proportions('<svg width="10" height="30px"')).toEqual([10, 30]);
    expect(proportions('<svg viewBox="0 0 10"')).toEqual([Number.NaN, Number.NaN]);
  });

  test('a drawing that takes for ever is stopped, and keeps no thread from what else there is to do', {
    timeout: 600_000,
  }, async () => {
    const nested = Array.from(
      { length: 6 },
      (_, i) =>
        `<g id="g${i}">${i ? `<use href="#g${i - 1}"/>`.repeat(10) : '<rect width="40" height="20" opacity=".5"/>'}</g>`,
    ).join('');
    const endless = svg(`<defs>${nested}</defs><use href="#g5"/>`);
    // As many as the pool has threads; at most two are drawn at once.
    const answers = await Promise.all([1, 2, 3, 4].map(() => refusal(endless)));
    for (const answer of answers) expect(answer).toMatch(/cannot be read/);
    const free = new Promise((done) => scrypt('password', 'salt', 32, () => done('free')));
    expect(await Promise.race([free, setTimeout(5_000, 'held')])).toBe('free');
    // Nested layers, each as large as the picture.
    const deep = svg(`${'<g opacity=".9">'.repeat(900)}<rect width="40" height="20"/>${'</g>'.repeat(900)}`);
    await expect(reencodePicture(deep, { maxSide: 1024, by: 'acme' })).rejects.toThrow(/cannot be read/);
  });
});

test('[BEY-31] a company has one picture drawn at a time and a few waiting, and holds up no other', async () => {
  const order: string[] = [];
  const drawn = (by: string, file: Buffer) =>
    reencodePicture(file, { maxSide: 200, by }).then(
      () => order.push(by),
      (error: Refusal) => order.push(`${by}: ${error.code}`),
    );
  const small = await red(10, 10).encode('png');
  const greedy = Array.from({ length: 6 }, () => drawn('greedy', small));
  await Promise.all([...greedy, drawn('other', small)]);
  expect(order[0]).toBe('greedy: too_many');
  expect(order.filter((one) => one === 'greedy')).toHaveLength(5);
  // It is drawn beside the first, not after the fifth.
  expect(order.at(-1)).toBe('greedy');
});

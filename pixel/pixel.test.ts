import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { parseSync } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AD_TAG_LIMIT, buildAdTag, buildPixel, PIXEL_LIMIT } from './build.ts';

// What the script does in a page is tested in e2e/pixel.test.ts; this file tests what needs no browser.

let outDir: string;
let built: Awaited<ReturnType<typeof buildPixel>>;
let script: string;

beforeAll(async () => {
  outDir = await mkdtemp(join(tmpdir(), 'pixel-'));
  built = await buildPixel({ outDir });
  script = await readFile(built.file, 'utf8');
});
afterAll(() => rm(outDir, { recursive: true, force: true }));

/** Every node of a syntax tree. */
function* nodes(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as Record<string, unknown>;
  for (const child of Object.values(value)) yield* nodes(child);
}

describe('tag of house ads', () => {
  it('[SIMP-04] is at most 2 KB gzipped, and keeps and reads nothing in the browser', async () => {
    const tag = await buildAdTag({ outDir });
    expect(AD_TAG_LIMIT).toBe(2048);
    expect(tag.gzipBytes).toBeLessThanOrEqual(AD_TAG_LIMIT);
    const text = await readFile(tag.file, 'utf8');
    expect(parseSync('ad.js', text).errors).toEqual([]);
    expect(text).not.toMatch(/cookie|localStorage|sessionStorage|innerHTML|eval|document\.write/);
  });
});

describe('visitor script', () => {
  it('[CAMP-01] is at most 1.5 KB gzipped', () => {
    expect(PIXEL_LIMIT).toBe(1536);
    expect(built.gzipBytes).toBeGreaterThan(500);
    expect(built.gzipBytes).toBeLessThanOrEqual(PIXEL_LIMIT);
  });

  it('[CAMP-01] is one function in ES2018 that a strict content policy lets run', () => {
    const { program, errors } = parseSync('pixel.js', script);
    expect(errors).toEqual([]);
    expect(program.body.map((node) => node.type)).toEqual(['ExpressionStatement']);
    const all = [...nodes(program)];
    const types = new Set(all.map((node) => node.type));
    for (const type of ['ChainExpression', 'ImportExpression', 'PropertyDefinition', 'StaticBlock'])
      expect(types).not.toContain(type);
    expect(all.filter((node) => node.operator === '??' || node.operator === '**=')).toEqual([]);
    expect(all.filter((node) => node.type === 'CatchClause' && !node.param)).toEqual([]);
    const names = new Set(all.map((node) => node.name));
    expect(names).toContain('sendBeacon');
    for (const name of ['eval', 'Function', 'createElement', 'innerHTML', 'write', 'style', 'XMLHttpRequest'])
      expect(names).not.toContain(name);
  });

  it('never throws into a page whose every interface throws', () => {
    const hostile: object = new Proxy(() => {}, {
      get: () => {
        throw new Error('hostile page');
      },
    });
    for (const document of [hostile, {}, { currentScript: null, querySelector: () => null }]) {
      const page: Record<string, unknown> = { document, navigator: hostile, location: hostile };
      page.self = page;
      expect(() => runInNewContext(script, page)).not.toThrow();
      expect(page.lead).toBeUndefined();
    }
  });
});

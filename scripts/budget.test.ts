import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { FONT_LIST, FONT_THEMES, type FontRules } from '../contract/accounts/fonts.ts';
import { buildAll } from './build.ts';

interface Chunk {
  file: string;
  name?: string;
  isDynamicEntry?: boolean;
  imports?: string[];
  css?: string[];
}

const dist = join(import.meta.dirname, '../dist/web');
let manifest: Record<string, Chunk>;

beforeAll(async () => {
  await buildAll(true);
  manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8'));
});

/**
 * Scripts and styles that these parts load, without duplicates. A part: a module, or the name of a file for several.
 */
function filesOf(...parts: string[]): Set<string> {
  const files = new Set<string>();
  const take = (key: string): void => {
    const chunk = manifest[key];
    if (!chunk) throw new Error(`${key} is not in the build`);
    if (files.has(chunk.file)) return;
    files.add(chunk.file);
    for (const css of chunk.css ?? []) files.add(css);
    for (const next of chunk.imports ?? []) take(next);
  };
  for (const part of parts) {
    const named = Object.keys(manifest).filter((key) => manifest[key]!.name === part);
    take(named.length === 1 ? named[0]! : part);
  }
  return files;
}
/** Bytes over the wire for a browser that takes Brotli. */
const sent = (file: string): number =>
  readFileSync(join(dist, existsSync(join(dist, `${file}.br`)) ? `${file}.br` : file)).length;

// In addition to the files, a first load includes the page, its font, its API responses and a logo: in total 15
// requests and 180 KB for the login, 30 and 320 KB for the dashboard.
const pages: [name: string, files: number, limitKb: number, parts: string[]][] = [
  ['login', 6, 149, ['index.html', 'login']],
  ['dashboard with its chart', 8, 275, ['index.html', 'desk']],
  ['agency list', 30, 320, ['index.html', 'desk', 'features/accounts/companies/AgencyListPage.tsx']],
  ['audiences', 30, 320, ['index.html', 'desk', 'features/ads/ad-audiences/AudiencesPage.tsx']],
];

describe('the first load of a page', () => {
  test.each(pages)('%s: at most %d files and %d KB', (_, count, limitKb, parts) => {
    const files = [...filesOf(...parts)];
    const bytes = files.reduce((sum, file) => sum + sent(file), 0);
    expect(bytes).toBeGreaterThan(50_000);
    expect(files.length).toBeLessThanOrEqual(count);
    expect(Math.ceil(bytes / 1024)).toBeLessThanOrEqual(limitKb);
  });

  test('a font that a tenant chooses: at most 20 KB for most pages, and 60 KB for all of Latin', () => {
    const fonts: Record<string, FontRules> = JSON.parse(readFileSync(join(dist, FONT_LIST), 'utf8'));
    expect(Object.keys(fonts)).toEqual(Object.keys(FONT_THEMES));
    for (const [theme, { css, first }] of Object.entries(fonts)) {
      const files = [...css.matchAll(/url\(\/(assets\/[\w.-]+\.woff2)\)/g)].map(([, file]) => sent(file!));
      expect(files).toHaveLength(3);
      expect([theme, sent(first.slice(1)) <= 20 * 1024]).toEqual([theme, true]);
      expect([theme, files.reduce((sum, size) => sum + size, 0) <= 60 * 1024]).toEqual([theme, true]);
    }
  });

  test('each text has its compressed forms', () => {
    const assets = join(dist, 'assets');
    const texts = readdirSync(assets).filter((name) => /\.(js|css)$/.test(name));
    expect(texts.length).toBeGreaterThan(20);
    for (const name of texts) {
      const bytes = readFileSync(join(assets, name));
      if (bytes.length < 1024) continue;
      expect([name, brotliDecompressSync(readFileSync(join(assets, `${name}.br`))).equals(bytes)]).toEqual([
        name,
        true,
      ]);
      expect([name, gunzipSync(readFileSync(join(assets, `${name}.gz`))).equals(bytes)]).toEqual([
        name,
        true,
      ]);
    }
  });
});

test('whatever a part of the app names of the kit’s styles comes with it', () => {
  const names = /\bm_[0-9a-f]{6,8}\b/g;
  const kit = dirname(createRequire(import.meta.url).resolve('@mantine/core/styles.css'));
  const defined = new Set(readFileSync(join(kit, 'styles.css'), 'utf8').match(names));
  const read = (files: Iterable<string>, kind: string): Set<string> =>
    new Set(
      [...files]
        .filter((file) => file.endsWith(kind))
        .flatMap((file) => readFileSync(join(dist, file), 'utf8').match(names) ?? []),
    );
  const parts = Object.keys(manifest).filter((key) => manifest[key]!.isDynamicEntry);
  expect(parts.length).toBeGreaterThan(40);
  for (const part of ['index.html', ...parts]) {
    const files = filesOf('index.html', part);
    const styled = read(files, '.css');
    const bare = [...read(files, '.js')].filter((name) => defined.has(name) && !styled.has(name));
    expect([part, bare]).toEqual([part, []]);
  }
});

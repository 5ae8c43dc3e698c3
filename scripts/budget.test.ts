import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildAll } from './build.ts';

interface Chunk {
  file: string;
  imports?: string[];
}

const dist = join(import.meta.dirname, '../dist/web');
let manifest: Record<string, Chunk>;

beforeAll(async () => {
  await buildAll(true);
  manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8'));
}, 120_000);

/** Gzipped bytes of the scripts that these modules bring along, each file once. */
function scriptsOf(...modules: string[]): number {
  const files = new Set<string>();
  const seen = new Set<string>();
  const take = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    const chunk = manifest[name];
    if (!chunk) throw new Error(`${name} is not in the build`);
    if (chunk.file.endsWith('.js')) files.add(chunk.file);
    for (const next of chunk.imports ?? []) take(next);
  };
  for (const module of modules) take(module);
  return [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(dist, file))).length, 0);
}

// The host of notifications, which the frame asks for at once, is part of every first load behind the login.
const frame = ['features/shell/Frame.tsx', 'ui/Overlays.tsx'];
const pages: [name: string, limitKb: number, modules: string[]][] = [
  ['login', 180, ['features/access/LoginPage.tsx', 'api/jwe.ts']],
  [
    'dashboard with its chart',
    320,
    [...frame, 'features/insight/DashboardPage.tsx', 'ui/DayChart.tsx', 'features/insight/RangePicker.tsx'],
  ],
  ['a page that is not built yet', 320, [...frame, 'features/shell/PlannedPage.tsx']],
];

describe('the scripts of a first load, gzipped', () => {
  test.each(pages)('%s stays within %d KB', (_, limitKb, modules) => {
    const bytes = scriptsOf('index.html', ...modules);
    expect(bytes).toBeGreaterThan(50_000);
    expect(Math.ceil(bytes / 1024)).toBeLessThanOrEqual(limitKb);
  });
});

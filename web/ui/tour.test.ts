import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { tourSteps } from './tour.ts';

test('[NAV-05] every entry of the sidebar is explained to each role that has it', () => {
  // The titles, as the icons of the sidebar name them.
  const icons = /const ICONS[^{]*\{([^}]*)\}/.exec(readFileSync('web/shell/links.ts', 'utf8'))![1]!;
  const titles = Array.from(
    icons.matchAll(/^ {2}(?:'([^']+)'|(\w+)):/gm),
    ([, quoted, plain]) => quoted ?? plain!,
  );
  expect(titles.length).toBeGreaterThan(8);
  for (const kind of ['client', 'agency', 'root'] as const)
    expect(tourSteps(kind, titles).map(({ title }) => title)).toEqual([...titles, 'Search', 'Your account']);
});

import { afterEach } from 'vitest';
import { whatPagesShow } from './browser.ts';

afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  for (const shown of await whatPagesShow()) console.error(`${task.name}: ${shown}`);
});

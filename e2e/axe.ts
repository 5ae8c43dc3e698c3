import AxeBuilder from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** `rules`: only these; `within`: a selector, nothing outside of it; `serious`: only what is serious or critical. */
export interface AxeOptions {
  rules?: string[];
  within?: string;
  serious?: boolean;
}

/**
 * What axe finds on a page at rest. In the middle of a change of color, or of a request that disables a button,
 * nothing can be judged: so it waits for what moves, and says only what a second look finds as well. Each finding says
 * the rule, its impact, where, and why.
 */
export async function axeFindings(page: Page, options: AxeOptions = {}): Promise<string[]> {
  const found = await look(page, options);
  if (!found.length) return found;
  await page.waitForTimeout(1000);
  const again = await look(page, options);
  return again.filter((one) => found.includes(one));
}

async function look(page: Page, { rules, within, serious }: AxeOptions): Promise<string[]> {
  await page.evaluate(() =>
    Promise.all(
      document
        .getAnimations()
        .filter((one) => one.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY)
        .map((one) => one.finished.catch(() => {})),
    ),
  );
  let axe = new AxeBuilder({ page: page as never });
  if (rules) axe = axe.withRules(rules);
  if (within) axe = axe.include(within);
  const { violations } = await axe.analyze();
  return violations
    .filter(({ impact }) => !serious || impact === 'serious' || impact === 'critical')
    .flatMap(({ id, impact, nodes }) =>
      nodes.map(({ target, html, any }) => `${id} (${impact}): ${target} ${html} ${any[0]?.message ?? ''}`),
    );
}

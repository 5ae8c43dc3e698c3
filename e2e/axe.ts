import AxeBuilder from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/**
 * What axe finds on a page, once what moves on it has come to rest: in the middle of a change of colour nothing can be
 * judged. Each finding says the rule, its impact, where, and why.
 */
export async function axeFindings(page: Page, rules?: string[]): Promise<string[]> {
  await page.evaluate(() =>
    Promise.all(
      document
        .getAnimations()
        .filter((one) => one.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY)
        .map((one) => one.finished.catch(() => {})),
    ),
  );
  const axe = new AxeBuilder({ page: page as never });
  const { violations } = await (rules ? axe.withRules(rules) : axe).analyze();
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ target, html, any }) => `${id} (${impact}): ${target} ${html} ${any[0]?.message ?? ''}`),
  );
}

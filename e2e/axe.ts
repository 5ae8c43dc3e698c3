import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** `rules`: only these; `within`: a selector, nothing outside it; `serious`: only serious or critical findings. */
export interface AxeOptions {
  rules?: string[];
  within?: string;
  serious?: boolean;
}

/**
 * Returns what axe finds on a page at rest. Nothing can be judged in the middle of a color transition, or of a request
 * that disables a button, so this waits for animations and reports only what a second check also finds. Each finding
 * gives the rule, its impact, where, and why.
 */
export async function axeFindings(page: Page, options: AxeOptions = {}): Promise<string[]> {
  const found = await look(page, options);
  if (!found.length) return found;
  await page.waitForTimeout(1000);
  const again = await look(page, options);
  return again.filter((one) => found.includes(one));
}

/** What breaks axe's rules in a document as it is at this moment. */
async function violationsOf(
  page: Page,
  { rules, within }: Pick<AxeOptions, 'rules' | 'within'> = {},
): Promise<axe.Result[]> {
  // Once for each document: it is half a megabyte to compile.
  if (!(await page.evaluate("typeof axe === 'object'"))) await page.evaluate(SOURCE);
  return page.evaluate(
    async ({ rules, within }) => {
      const { axe: found } = window as unknown as { axe: typeof axe };
      // Not inside frames: axe waits forever for a script in one that may run none, such as the outbox's.
      const context = { exclude: [['iframe']], ...(within ? { include: [[within]] } : {}) };
      const { violations } = await found.run(context, {
        iframes: false,
        resultTypes: ['violations'],
        ...(rules ? { runOnly: rules } : {}),
      });
      return violations;
    },
    { rules, within },
  );
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
  const violations = await violationsOf(page, { rules, within });
  const findings = violations
    .filter(({ impact }) => !serious || impact === 'serious' || impact === 'critical')
    .flatMap(({ id, impact, nodes }) =>
      nodes.map(({ target, html, any }) => ({
        id,
        target: String(target),
        says: `${id} (${impact}): ${target} ${html} ${any[0]?.message ?? ''}`,
      })),
    );
  const told: string[] = [];
  for (const { id, target, says } of findings)
    if (id !== 'region' || !(await isFloating(page, target))) told.push(says);
  return told;
}

/**
 * Whether all that an element shows is tooltips or a menu. Axe wants them in a landmark, although they are read where
 * they belong: as the description of what they are of, and from the button that opens them.
 */
const isFloating = (page: Page, target: string): Promise<boolean> =>
  page.evaluate((selector) => {
    const element = document.querySelector(selector);
    if (element?.closest('[role=menu]')) return true;
    const copy = element?.cloneNode(true) as Element | undefined;
    const tips = copy?.querySelectorAll('[role=tooltip], [role=menu]') ?? [];
    for (const tip of tips) tip.remove();
    return tips.length > 0 && !copy!.textContent?.trim();
  }, target);

// npm run screens [-- --readme]: opens every page as each role at three widths in both themes and saves the screenshots
// in ./screens (ignored by git), for review. With --readme it takes only the README's screenshots, into docs/images, as
// WebP for screens with two pixels to one. It starts a demo, unless --at=http://localhost:8080 --password=... names one.
// When narrowed by --only=REGEX (matching shot names), --widths=375,1440 and --themes=dark, it keeps the other
// screenshots.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import type { Browser, Page } from 'playwright-core';
import { axeFindings } from '../e2e/axe.ts';
import { createDemo, demoFolder } from '../e2e/demo.ts';
import { PATIENCE_MS } from '../e2e/patience.ts';
import { buildAll } from './build.ts';
import { launchChromium } from './chromium.ts';

/** A typical user's browser, for pages that should name the browser. */
const USER_AGENT =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0.0.0 Safari/537.36';
const { values: options } = parseArgs({
  options: {
    readme: { type: 'boolean', default: false },
    only: { type: 'string' },
    widths: { type: 'string' },
    themes: { type: 'string' },
    at: { type: 'string' },
    password: { type: 'string', default: '' },
  },
});
const { readme } = options;
const only = new RegExp(options.only ?? '');
const widths = readme ? [1440] : (options.widths ?? '375,768,1440').split(',').map(Number);
const themes = (readme ? 'light' : (options.themes ?? 'light,dark')).split(',') as ('light' | 'dark')[];
const narrowed = options.only ?? options.widths ?? options.themes;
const folder = join(import.meta.dirname, readme ? '../docs/images' : '../screens');

/** Opens the first row of the last list on the page, a table or, on a phone, cards. */
const openRow = async (page: Page): Promise<void> => {
  const lists = page.locator('tbody:visible, ul[aria-label]:visible').filter({ has: page.locator('li, td') });
  await lists.last().locator('button').first().click({ timeout: 8_000 });
  await page.getByRole('dialog').waitFor({ timeout: 8_000 });
};

/** Saves a screenshot as WebP, which is a fifth of the PNG and as sharp to the eye. */
async function saveWebp(png: Buffer, path: string): Promise<void> {
  const image = await loadImage(png);
  const canvas = createCanvas(image.width, image.height);
  canvas.getContext('2d').drawImage(image, 0, 0);
  writeFileSync(path, await canvas.encode('webp', 82));
}

interface Shot {
  name: string;
  host: string;
  path: string;
  as?: string;
  act?: (page: Page) => Promise<void>;
}

const client = { host: 'acme.localhost', as: 'client@demo.test' };
const agency = { host: 'acme.localhost', as: 'agency@demo.test' };
const root = { host: 'localhost', as: 'root@demo.test' };
const summit = { host: 'summit.localhost', as: 'enterprise@demo.test' };
const ridge = { host: 'ridgeline.localhost', as: 'agency3@demo.test' };
const oakwood = { host: 'oakwood-portal.localhost', as: 'oakwood@demo.test' };
const juniper = { host: 'juniper.localhost', as: 'juniper@demo.test' };
const fresh = { host: 'fresh.localhost', as: 'newagency@demo.test' };
const executive = { host: 'localhost', as: 'executive@demo.test' };
const seller = { host: 'acme.localhost', as: 'seller@demo.test' };
/** Presses a button; if there are several with that name, the first. */
const press = (name: string) => (page: Page) => page.getByRole('button', { name }).first().click();
const tab = (name: string | RegExp) => async (page: Page) => {
  await openRow(page);
  await page.getByRole('tab', { name }).click({ timeout: 8_000 });
};

/** Opens the delivery of the campaign that has a webhook. */
const openDelivery = async (page: Page) => {
  const row = page.locator('tbody tr:visible, ul[aria-label] > li:visible');
  await row.filter({ hasText: 'Outdoor shop visitors' }).locator('button').first().click();
  await page.getByRole('dialog').waitFor({ timeout: 8_000 });
  await page.getByRole('tab', { name: 'Delivery' }).click({ timeout: 8_000 });
};

/** Opens the payload of its webhook, in a format, with one header. */
const payload = (format: string) => async (page: Page) => {
  await openDelivery(page);
  await page
    .getByRole('button', { name: /^Actions for http/ })
    .first()
    .click({ timeout: 8_000 });
  await page.getByRole('menuitem', { name: 'Payload' }).click();
  const modal = page.getByRole('dialog', { name: 'Payload' });
  await modal.getByText(format, { exact: true }).click({ timeout: 8_000 });
  if (format === 'Template') await modal.getByRole('button', { name: 'Use the RB2B format' }).click();
  await modal.getByRole('button', { name: 'Add header' }).click();
  await modal.getByRole('textbox', { name: 'Name of header 1' }).fill('X-Api-Key');
  await modal.getByText(/x-api-key: /).waitFor({ timeout: 8_000 });
};

/** Creates an API key, whether the first or another one, until its secret is shown. */
const makeKey = async (page: Page) => {
  await page.getByRole('button', { name: /New key|Choose permissions/ }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('CRM sync');
  await page.getByRole('checkbox', { name: /View campaigns/ }).check();
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByText('I’ve saved it').waitFor({ timeout: 8_000 });
};

/** Folds the sidebar and opens an entry's menu; on a phone, opens the menu and one of its entries. */
const openSidebar = async (page: Page) => {
  const nav = page.getByRole('navigation', { name: 'Main' });
  const burger = page.getByRole('button', { name: 'Open menu' });
  if (await burger.isVisible()) {
    await burger.click();
    await nav.getByRole('button', { name: 'Show pages of Campaigns' }).click();
    return;
  }
  await nav.getByRole('button', { name: 'Collapse sidebar' }).click();
  await nav.getByRole('button', { name: 'Campaigns' }).click();
};

const fromMenu = (item: string | RegExp) => async (page: Page) => {
  const burger = page.getByRole('button', { name: 'Open menu' });
  if (await burger.isVisible()) await burger.click();
  await page.getByRole('button', { name: /profile menu/ }).click();
  await page.getByRole('menuitem', { name: item }).click({ timeout: 8_000 });
  await page.getByRole('dialog').waitFor({ timeout: 8_000 });
};

/** The products of the guided setup, and its steps. */
const SETUP = ['Visitor ID', 'Search ID', 'Enhance ID', 'B2B ID'];
const SETUP_STEPS = ['campaign', 'audience', 'leads', 'price'];

/** Builds a campaign up to a step, filling in what each step before it needs. */
const buildUntil = (product: string, step: number) => async (page: Page) => {
  await page.getByRole('radio', { name: new RegExp(product) }).click({ timeout: 8_000 });
  for (let at = 0; at < step; at++) {
    if (at === 0) {
      await page.getByRole('combobox', { name: 'Client' }).fill('Northwind');
      await page.getByRole('option', { name: /Northwind/ }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('A campaign with a name that is rather long');
      if (product === 'Visitor ID')
        await page.getByRole('textbox', { name: 'Site', exact: true }).fill('shop.example.com');
    }
    if (at === 1 && product !== 'Visitor ID')
      await page.getByRole('textbox', { name: 'Keywords' }).fill('family tents\nhiking boots\ncrm software');
    await page.getByRole('button', { name: 'Next' }).click();
  }
  if (step === 0 || !(await page.getByRole('region', { name: 'Estimate' }).isVisible())) return;
  await page.getByText('Qualify now').waitFor({ timeout: 20_000 });
};

const shots: Shot[] = [
  { name: 'agency-wallet', ...agency, path: '/user/sessions', act: fromMenu(/Data Wallet/) },
  { name: 'cedar-wallet-agreement', host: 'cedar.localhost', as: 'cedar@demo.test', path: '/user/sessions' },
  { name: 'login', host: 'acme.localhost', path: '/login' },
  { name: 'forgot', host: 'acme.localhost', path: '/login?forgot=1' },
  { name: 'register', host: 'acme.localhost', path: '/register' },
  { name: 'agency-register', host: 'localhost', path: '/agency-register' },
  { name: 'register-confirm', host: 'acme.localhost', path: '/register/confirm/x?email=new%40client.test' },
  { name: 'reset-invalid', host: 'acme.localhost', path: '/reset-password-invalid' },
  { name: 'client-devices', ...client, path: '/user/sessions' },
  { name: 'agency-password', ...agency, path: '/user/sessions', act: fromMenu('Change Password') },
  { name: 'agency-factor', ...agency, path: '/user/sessions', act: fromMenu('Two Factor Authentication') },
  { name: 'agency-setting-security', ...agency, path: '/configuration/general-setting?tab=security' },
  { name: 'second-factor', ...client, path: '/user/second-factor' },
  { name: 'developer-terms', host: 'walnut.localhost', as: 'walnut@demo.test', path: '/developer' },
  {
    name: 'developer-keys',
    ...oakwood,
    path: '/user/sessions',
    act: async (page) => {
      const burger = page.getByRole('button', { name: 'Open menu' });
      if (await burger.isVisible()) await burger.click();
      await page.getByRole('button', { name: /profile menu/ }).click();
      await page.getByRole('menuitem', { name: 'Developer' }).click({ timeout: 8_000 });
      await page.getByText('lps_live_').first().waitFor({ timeout: 8_000 });
    },
  },
  { name: 'developer-new', ...oakwood, path: '/developer', act: press('New key') },
  {
    name: 'developer-rotate',
    ...oakwood,
    path: '/developer',
    act: async (page) => {
      await press('Change CRM sync')(page);
      await page.getByRole('menuitem', { name: 'Rotate secret' }).click();
      await page.getByRole('dialog').waitFor({ timeout: 8_000 });
    },
  },
  { name: 'developer-webhooks', ...oakwood, path: '/developer?tab=webhooks' },
  { name: 'developer-webhook', ...oakwood, path: '/developer?tab=webhooks', act: openRow },
  {
    name: 'developer-webhook-new',
    ...oakwood,
    path: '/developer?tab=webhooks',
    act: async (page) => {
      await press('New endpoint')(page);
      await page.getByLabel('Only these events').click();
    },
  },
  { name: 'developer-requests', ...oakwood, path: '/developer?tab=requests' },
  { name: 'developer-request', ...oakwood, path: '/developer?tab=requests&status=refused', act: openRow },
  { name: 'developer-none', ...juniper, path: '/developer' },
  // Last of its kind: it makes the key that the one before says is missing.
  { name: 'developer-secret', ...juniper, path: '/developer', act: makeKey },
  { name: 'login-root', host: 'localhost', path: '/login' },
  { name: 'client-dashboard', ...client, path: '/dashboard' },
  { name: 'client-leads', ...client, path: '/leads' },
  {
    name: 'client-leads-one',
    ...client,
    path: '/leads?sort=score&order=desc',
    act: async (page) => {
      const rows = page.locator('tbody tr[data-open], section[aria-label=Leads] li');
      await rows.first().getByRole('button').first().click({ timeout: 8_000 });
      await page.getByRole('list', { name: 'Journey' }).waitFor({ timeout: 8_000 });
    },
  },
  { name: 'client-audience', ...client, path: '/audience' },
  { name: 'client-audience-one', ...client, path: '/audience', act: openRow },
  {
    name: 'client-audience-new',
    ...client,
    path: '/audience',
    act: (page) => page.getByRole('button', { name: 'New audience' }).click(),
  },
  { name: 'client-deliveries', ...client, path: '/deliveries' },
  { name: 'client-lead', ...client, path: '/dashboard', act: openRow },
  { name: 'client-campaigns', ...client, path: '/visitor-id/campaign-management' },
  { name: 'client-banners', ...client, path: '/banner/list' },
  { name: 'client-banner-new', ...client, path: '/banner/create' },
  {
    name: 'client-banner',
    ...client,
    path: '/banner/list',
    act: async (page) => {
      await page.getByText('Tarn 28, spring').first().click();
      await page.getByRole('button', { name: 'Headline', exact: true }).click({ timeout: 8_000 });
      await page
        .getByRole('region', { name: 'Checks' })
        .getByText(/KB as PNG/)
        .waitFor({ timeout: 8_000 });
    },
  },
  { name: 'client-campaign-setup', ...client, path: '/visitor-id/campaign-management', act: openRow },
  {
    name: 'client-campaign-install',
    ...client,
    path: '/visitor-id/campaign-management',
    act: tab(/install/i),
  },
  {
    name: 'client-campaign-delivery',
    ...client,
    path: '/visitor-id/campaign-management',
    act: tab(/delivery/i),
  },
  {
    name: 'client-campaign-rules',
    ...client,
    path: '/visitor-id/campaign-management',
    act: async (page) => {
      await openDelivery(page);
      await page.getByRole('button', { name: 'Rules', exact: true }).first().click({ timeout: 8_000 });
      const modal = page.getByRole('dialog', { name: 'Rules' });
      await modal.getByRole('button', { name: 'Add condition' }).click();
      await modal.getByLabel('Value of condition 1').fill('TX, OK');
      await modal.getByRole('switch', { name: 'Send only at certain times' }).press('Space');
      await modal.getByText('Take turns with other destinations').click({ force: true });
      await modal.getByRole('button', { name: /^Try on/ }).click();
      await modal.getByText(/of 100/).waitFor({ timeout: 8_000 });
    },
  },
  ...(['Flat JSON', 'Template'] as const).map(
    (format): Shot => ({
      name: `client-webhook-${format === 'Template' ? 'template' : 'fields'}`,
      ...client,
      path: '/visitor-id/campaign-management',
      act: payload(format),
    }),
  ),
  { name: 'client-search', ...client, path: '/search-id/campaign-management' },
  {
    name: 'client2-search-counts',
    host: 'acme.localhost',
    as: 'client2@demo.test',
    path: '/search-id/campaign-management',
    act: tab(/keyword/i),
  },
  ...(['search-id', 'enhance-id', 'b2b-id'] as const).flatMap((slug): Shot[] => {
    const short = slug.replace('-id', '');
    return [
      { name: `agency-${short}-edit`, ...agency, path: `/${slug}/campaign-management`, act: openRow },
      {
        name: `agency-${short}-counts`,
        ...agency,
        path: `/${slug}/campaign-management`,
        act: tab(/keyword/i),
      },
      { name: `agency-${short}-dashboard`, ...agency, path: `/${slug}/dashboard` },
      { name: `agency-${short}-lead`, ...agency, path: `/${slug}/dashboard`, act: openRow },
    ];
  }),
  ...SETUP.flatMap((product) =>
    SETUP_STEPS.map(
      (step, at): Shot => ({
        name: `agency-setup-${product.split(' ')[0]!.toLowerCase()}-${at}-${step}`,
        ...agency,
        path: '/campaign-setup',
        act: buildUntil(product, at),
      }),
    ),
  ),
  { name: 'client-campaigns-compact', ...client, path: '/visitor-id/campaign-management-v1' },
  { name: 'client-all-campaigns', ...client, path: '/campaign' },
  { name: 'agency-campaigns-compact', ...agency, path: '/search-id/campaign-management-v1' },
  { name: 'agency-all-campaigns', ...agency, path: '/campaign' },
  { name: 'agency-client', ...agency, path: '/client' },
  { name: 'agency-client-none', ...agency, path: '/client?q=nobody-of-that-name' },
  { name: 'agency-campaign-new', ...agency, path: '/visitor-id/campaign-management?new=1' },
  {
    name: 'agency-campaigns-groups',
    ...agency,
    path: '/visitor-id/campaign-management?groups=1',
    act: async (page) => {
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'agency-price-protection',
    ...agency,
    path: '/visitor-id/campaign-management',
    act: (page) => page.getByRole('button', { name: 'Price protection' }).first().click(),
  },
  { name: 'agency-campaigns-none', ...agency, path: '/visitor-id/campaign-management?q=zzzz' },
  {
    name: 'agency-palette',
    ...agency,
    path: '/campaign',
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog', { name: 'Search' }).getByRole('combobox').fill('pause guide');
      await page
        .getByRole('option', { name: /^Pause / })
        .first()
        .waitFor();
    },
  },
  {
    name: 'agency-palette-actions',
    ...agency,
    path: '/campaign',
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog', { name: 'Search' }).getByRole('combobox').fill('a');
      await page.getByRole('group', { name: 'Actions' }).scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'agency-campaign-menu',
    ...agency,
    path: '/visitor-id/campaign-management',
    act: (page) =>
      page
        .getByRole('button', { name: /^Actions for / })
        .first()
        .click(),
  },
  {
    name: 'agency-campaigns-activate',
    ...agency,
    path: '/campaign',
    act: async (page) => {
      const select = async () => {
        for (const name of ['Outdoor families', 'Decision makers', 'Looking for a dentist'])
          await page.getByRole('checkbox', { name: `Select ${name}` }).check();
      };
      await select();
      const pause = page.getByRole('button', { name: /^Pause \d/ });
      if (await pause.isEnabled()) {
        await pause.click();
        await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
        await page.getByText('3 campaigns are paused').waitFor({ timeout: 8_000 });
        await select();
      }
      await page.getByRole('button', { name: /^Activate \d/ }).click();
      await page.getByText('leads on the first day').waitFor({ timeout: 20_000 });
    },
  },
  {
    name: 'admin-leads',
    host: 'acme.localhost',
    as: 'admin@demo.test',
    path: '/leads?sort=score&order=desc',
  },
  {
    name: 'admin-leads-lead',
    host: 'acme.localhost',
    as: 'admin@demo.test',
    path: '/leads?sort=score&order=desc',
    act: openRow,
  },
  { name: 'client-not-found', ...client, path: '/no/such/page' },
  { name: 'agency-dashboard', ...agency, path: '/visitor-id/dashboard' },
  { name: 'agency-home', ...agency, path: '/dashboard' },
  { name: 'newcomer-home', ...oakwood, path: '/dashboard' },
  { name: 'client-weeks', ...client, path: '/dashboard?days=90&by=week' },
  { name: 'client-day', ...client, path: '/dashboard?from=2026-11-20&to=2026-11-20' },
  { name: 'agency-campaigns', ...agency, path: '/visitor-id/campaign-management' },
  { name: 'agency-clients', ...agency, path: '/configuration/client-management' },
  { name: 'agency-settings-branding', ...agency, path: '/configuration/general-setting' },
  { name: 'agency-settings-domain', ...agency, path: '/configuration/general-setting?tab=domain' },
  { name: 'agency-settings-embed', ...agency, path: '/configuration/general-setting?tab=embed' },
  { name: 'agency-settings-modules', ...agency, path: '/configuration/general-setting?tab=modules' },
  { name: 'agency-settings-threshold', ...agency, path: '/configuration/general-setting?tab=threshold' },
  {
    name: 'agency-settings-subscription',
    ...agency,
    path: '/configuration/general-setting?tab=subscription',
  },
  {
    name: 'agency-settings-subscription-cancel',
    ...agency,
    path: '/configuration/general-setting?tab=subscription',
    act: async (page) => {
      await page.getByRole('button', { name: 'Cancel subscription' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'root-settings-packages', ...root, path: '/configuration/general-setting?tab=packages' },
  { name: 'root-settings-registration', ...root, path: '/configuration/general-setting?tab=registration' },
  { name: 'root-settings-email', ...root, path: '/configuration/general-setting?tab=email' },
  { name: 'admin-dashboard', host: 'acme.localhost', as: 'admin@demo.test', path: '/dashboard' },
  { name: 'agency2-dashboard', host: 'bluepeak.localhost', as: 'agency2@demo.test', path: '/dashboard' },
  {
    name: 'agency-campaigns-selected',
    ...agency,
    path: '/visitor-id/campaign-management',
    act: async (page) => {
      const ticks = page.getByRole('checkbox', { name: /^Select / });
      await ticks.nth(1).check();
      await ticks.nth(2).check();
    },
  },
  { name: 'agency-profile', ...agency, path: '/user/profile' },
  { name: 'client-profile', ...client, path: '/user/profile' },
  { name: 'agency-questionnaire', ...agency, path: '/user/questionnaire' },
  { name: 'agency-questionnaire-add', ...agency, path: '/user/questionnaire-add' },
  { name: 'agency-roles', ...agency, path: '/configuration/role-list' },
  { name: 'agency-role', ...agency, path: '/configuration/role-list', act: openRow },
  { name: 'fresh-setup', ...fresh, path: '/user/profile-setup' },
  { name: 'client-setup', ...client, path: '/user/profile-setup' },
  { name: 'root-agencies', ...root, path: '/configuration/agency-list' },
  { name: 'agency-limits', ...agency, path: '/configuration/limits' },
  { name: 'client-limits', ...client, path: '/configuration/limits' },
  { name: 'agency-limit-new', ...agency, path: '/configuration/limits?limit=new' },
  { name: 'root-minimum-spend', ...root, path: '/configuration/minimum-spend' },
  { name: 'root-minimum-spend-plan', ...root, path: '/configuration/minimum-spend?plan=new' },
  { name: 'root-coupons', ...root, path: '/configuration/coupons' },
  { name: 'root-coupon-new', ...root, path: '/configuration/coupons?coupon=new' },
  {
    name: 'root-agency-clients',
    ...root,
    path: '/configuration/agency-list',
    act: (page) => page.getByRole('button', { name: 'Clients of Acme Leads' }).click(),
  },
  {
    name: 'root-agency-edit',
    ...root,
    path: '/configuration/agency-list',
    act: (page) => page.getByRole('button', { name: 'Edit Acme Leads' }).click(),
  },
  {
    name: 'root-agency-add',
    ...root,
    path: '/configuration/agency-list',
    act: (page) => page.getByRole('button', { name: 'Add agency' }).click(),
  },
  { name: 'root-company-imports', ...root, path: '/configuration/company-imports' },
  { name: 'root-import', ...root, path: '/configuration/people-import' },
  { name: 'root-background-jobs', ...root, path: '/configuration/background-jobs' },
  { name: 'root-data-retention', ...root, path: '/configuration/data-retention' },
  { name: 'root-outbox', ...root, path: '/configuration/outbox' },
  {
    name: 'root-outbox-email',
    ...root,
    path: '/configuration/outbox',
    act: async (page) => {
      await openRow(page);
      await page.frameLocator('iframe').locator('body').waitFor({ timeout: 8_000 });
    },
  },
  { name: 'root-enrichment', ...root, path: '/configuration/data-enrichment' },
  { name: 'agency-enrichment', ...agency, path: '/configuration/data-enrichment?of=one' },
  { name: 'agency-enrichment-own', ...agency, path: '/configuration/data-enrichment' },
  { name: 'root-merge', ...root, path: '/configuration/people-merge' },
  { name: 'root-merge-done', ...root, path: '/configuration/people-merge?tab=merged' },
  { name: 'root-settings-minimums', ...root, path: '/configuration/general-setting?tab=minimums' },
  {
    name: 'agency-prices',
    ...agency,
    path: '/configuration/client-management',
    act: async (page) => {
      await page.getByRole('button', { name: 'Actions for Northwind Outfitters' }).click();
      await page.getByRole('menuitem', { name: 'Price setup' }).click();
      await page.getByLabel('Cost per lead', { exact: true }).waitFor();
    },
  },
  {
    name: 'agency-grant-credit',
    ...agency,
    path: '/configuration/client-management',
    act: async (page) => {
      await page.getByRole('button', { name: 'Actions for Northwind Outfitters' }).click();
      await page.getByRole('menuitem', { name: 'Grant credit' }).click();
      await page.getByLabel('Amount').waitFor();
    },
  },
  {
    name: 'agency-lead-refund',
    ...agency,
    path: '/dashboard',
    act: async (page) => {
      await openRow(page);
      await page.getByRole('button', { name: 'Refund lead' }).click();
      await page.getByLabel('Reason').first().waitFor();
    },
  },
  { name: 'agency-payouts', ...agency, path: '/configuration/general-setting?tab=payment' },
  {
    name: 'agency-payout',
    ...agency,
    path: '/configuration/general-setting?tab=payment',
    act: openRow,
  },
  { name: 'root2-minimum-spend', ...summit, path: '/configuration/minimum-spend' },
  { name: 'agency3-dashboard', ...ridge, path: '/dashboard' },
  { name: 'agency3-invoices', ...ridge, path: '/configuration/invoices?side=wholesale' },
  { name: 'templates', ...agency, path: '/configuration/templates' },
  { name: 'template-new', ...agency, path: '/configuration/templates', act: press('New template') },
  { name: 'offboardings', ...agency, path: '/configuration/offboarding' },
  { name: 'transfers', ...agency, path: '/configuration/transfers' },
  { name: 'privacy-requests', ...root, path: '/configuration/privacy-requests' },
  {
    name: 'privacy-enter',
    ...root,
    path: '/configuration/privacy-requests',
    act: press('Enter a request'),
  },
  { name: 'privacy-drop', ...root, path: '/configuration/privacy-requests?tab=drop' },
  { name: 'privacy-themes', ...root, path: '/configuration/privacy-requests?tab=themes' },
  {
    name: 'privacy-theme-allow',
    ...root,
    path: '/configuration/privacy-requests?tab=themes',
    act: press('Allow a theme'),
  },
  { name: 'root-exclusions', ...root, path: '/configuration/opt-out-list' },
  { name: 'agency-exclusions', ...agency, path: '/configuration/exclusion-lists' },
  { name: 'client-lists', ...client, path: '/configuration/exclusion-lists' },
  { name: 'agency-sidebar', ...agency, path: '/leads', act: openSidebar },
  { name: 'client-exclusions', ...client, path: '/user/sessions', act: fromMenu('Exclusion List') },
  { name: 'root2-dashboard', ...summit, path: '/dashboard' },
  { name: 'sales-dashboard', host: 'localhost', as: 'sales@demo.test', path: '/dashboard' },
  { name: 'executive-agencies', ...executive, path: '/configuration/agency-list', act: press('Edit Acme') },
  {
    name: 'executive-menu',
    ...executive,
    path: '/configuration/agency-list',
    act: press('Actions for Acme'),
  },
  {
    name: 'executive-cost',
    ...executive,
    path: '/configuration/agency-list',
    act: async (page) => {
      await press('Actions for Acme')(page);
      await page.getByRole('menuitem', { name: 'Set cost' }).click();
      await page.getByRole('button', { name: 'Save' }).waitFor({ timeout: 8_000 });
    },
  },
  {
    name: 'executive-view',
    ...executive,
    path: '/configuration/agency-list',
    act: async (page) => {
      await press('Actions for Acme')(page);
      await page.getByRole('menuitem', { name: 'View as agency' }).click();
    },
  },
  // Last of this user's: it stays in view mode.
  {
    name: 'executive-viewing',
    ...executive,
    path: '/configuration/agency-list',
    act: async (page) => {
      await press('Actions for Acme')(page);
      await page.getByRole('menuitem', { name: 'View as agency' }).click();
      await page.getByLabel('Reason').fill('Call about the forecast');
      await page.getByRole('button', { name: 'View as Alex Acme' }).click();
      await page.getByRole('button', { name: 'Return to my account' }).waitFor({ timeout: 8_000 });
    },
  },
  { name: 'seller-clients', ...seller, path: '/configuration/client-management', act: press('Edit Harbor') },
  { name: 'client-card', ...client, path: '/user/card-setting' },
  { name: 'agency-not-found', ...agency, path: '/configuration/opt-out-list' },
  { name: 'agency-planned', ...agency, path: '/integrations' },
  { name: 'agency-download', ...agency, path: '/download-auth/default_agency' },
  {
    name: 'agency-menu',
    ...agency,
    path: '/user/card-setting',
    act: async (page) => {
      const burger = page.getByRole('button', { name: 'Open menu' });
      if (await burger.isVisible()) await burger.click();
      await page.getByRole('button', { name: /profile menu/ }).click();
    },
  },
  { name: 'fresh-card', ...fresh, path: '/user/card-setting' },
  {
    name: 'sales-connect',
    host: 'localhost',
    as: 'sales@demo.test',
    path: '/configuration/sales-connect-account',
  },
  {
    name: 'sales-help',
    host: 'localhost',
    as: 'sales@demo.test',
    path: '/configuration/sales-connect-account',
    act: (page) => page.getByRole('button', { name: /^Help/ }).click(),
  },
  { name: 'privacy', host: 'acme.localhost', path: '/privacy' },
  { name: 'privacy-policy', host: 'acme.localhost', path: '/privacy-policy' },
  {
    name: 'developer-agreement',
    host: 'acme.localhost',
    path: '/marketing-services-agreement-developer',
  },
  { name: 'reference', host: 'localhost', path: '/api/reference' },
  { name: 'setup', host: 'localhost', path: '/setup?token=used' },
  { name: 'client-statement', ...client, path: '/configuration/statement' },
  { name: 'client-invoices', ...client, path: '/configuration/invoices' },
  { name: 'agency-invoices', ...agency, path: '/configuration/invoices' },
  { name: 'agency-invoices-own', ...agency, path: '/configuration/invoices?side=wholesale' },
  { name: 'agency-statement', ...agency, path: '/configuration/statement' },
  { name: 'agency-margins', ...agency, path: '/configuration/margins?by=client' },
  { name: 'agency-margin-lines', ...agency, path: '/configuration/margins', act: openRow },
  { name: 'agency-reports', ...agency, path: '/configuration/reports?by=client' },
  {
    name: 'agency-report-email',
    ...agency,
    path: '/configuration/reports',
    act: async (page) => {
      await page.getByRole('button', { name: 'Schedule a report' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'agency-report-growth', ...agency, path: '/configuration/reports?tab=growth' },
  { name: 'agency-taxes', ...agency, path: '/configuration/taxes' },
  { name: 'agency-tax-payer', ...agency, path: '/configuration/taxes', act: openRow },
  { name: 'root-taxes', ...root, path: '/configuration/taxes' },
  { name: 'root-tax-rate', ...root, path: '/configuration/taxes?rate=new' },
  { name: 'root-reports', ...root, path: '/configuration/report-analytics' },
  { name: 'root-report-agencies', ...root, path: '/configuration/report-analytics?tab=parties' },
  { name: 'root-report-under', ...root, path: '/configuration/report-analytics?tab=under' },
  { name: 'root-margins', ...root, path: '/configuration/margins?by=campaign' },
  { name: 'root-supplier-costs', ...root, path: '/configuration/margins?suppliers=all' },
  { name: 'agency-statement-line', ...agency, path: '/configuration/statement', act: openRow },
  {
    // The agency's last one: from here on its session is in the client's view.
    name: 'agency-viewing',
    ...agency,
    path: '/configuration/client-management',
    act: async (page) => {
      await page.getByRole('button', { name: 'Actions for Northwind Outfitters' }).click();
      await page.getByRole('menuitem', { name: 'View as client' }).click();
      await page.getByLabel('Reason').fill('Support call about the pixel');
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^View as/ })
        .click();
      await page.getByText('you are viewing as').waitFor();
    },
  },
  { name: 'shop', host: 'shop.localhost', path: '/' },
  { name: 'receiver', host: 'receiver.localhost', path: '/' },
];
const forReadme: Record<string, string> = {
  'client-dashboard': 'dashboard',
  'client-leads-one': 'lead',
  'agency-setup-search-2-leads': 'campaign',
};

await buildAll(true);
const running = options.at && new URL(options.at);
const demo = running
  ? {
      url: (host: string, path: string) => `http://${host}:${running.port}${path}`,
      password: options.password,
      close: async () => {},
    }
  : await createDemo(demoFolder(), { DEMO_DAYS: '60' });
const browser: Browser = await launchChromium();
if (!readme && !narrowed) rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
let findings = 0;
try {
  for (const theme of themes) {
    for (const width of widths) {
      const sessions = new Map<string, Page>();
      for (const shot of shots) {
        if (!only.test(shot.name) || (readme && !forReadme[shot.name])) continue;
        const key = `${shot.host} ${shot.as ?? ''}`;
        let page = sessions.get(key);
        if (!page) {
          const context = await browser.newContext({
            viewport: { width, height: width === 375 ? 812 : 900 },
            deviceScaleFactor: readme ? 2 : 1,
            colorScheme: theme,
            reducedMotion: 'reduce',
            userAgent: USER_AGENT,
          });
          // A busy machine takes its time, most of all with long pages.
          context.setDefaultTimeout(PATIENCE_MS);
          page = await context.newPage();
          page.on('pageerror', (error) => console.log(`${shot.name} ${width} ${theme}: ${error.message}`));
          sessions.set(key, page);
          if (shot.as) {
            await page.goto(demo.url(shot.host, '/login'));
            await page.getByLabel('Email').fill(shot.as);
            await page.getByLabel('Password', { exact: true }).fill(demo.password);
            await page.getByRole('button', { name: 'Sign in', exact: true }).click();
            await page.waitForURL((url) => !url.pathname.startsWith('/login'));
          }
        }
        try {
          await page.goto(demo.url(shot.host, shot.path));
          await page.waitForLoadState('networkidle');
          await shot.act?.(page);
          await page.waitForLoadState('networkidle');
        } catch (error) {
          console.log(`${shot.name} ${width} ${theme}: ${(error as Error).message.split('\n')[0]}`);
        }
        await page.waitForTimeout(300);
        if (readme) {
          await saveWebp(await page.screenshot(), join(folder, `${forReadme[shot.name]}.webp`));
          continue;
        }
        const name = `${shot.name}-${width}-${theme}.png`;
        await page.screenshot({ path: join(folder, name), fullPage: !shot.act });
        const sideways = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
        if (sideways) console.log(`${shot.name} ${width} ${theme}: scrolls horizontally`);
        for (const found of await axeFindings(page)) {
          findings++;
          console.log(`${shot.name} ${width} ${theme}: ${found.slice(0, 300)}`);
        }
      }
      for (const page of sessions.values()) await page.context().close();
    }
  }
} finally {
  await browser.close();
  await demo.close();
}
console.log(
  readme ? `Screenshots are in ${folder}` : `Screenshots are in ${folder}; ${findings} axe findings`,
);

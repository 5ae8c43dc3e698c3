import { maySee } from '../../contract/routing/routing.ts';
import type { SignedIn } from '../../contract/routing/routing-facts.ts';

/** Something new in the product. It is shown to those who may open its page. */
export interface News {
  /** When it came, as YYYY-MM-DD. */
  on: string;
  title: string;
  text: string;
  /** The page where it is, and what its link is called. */
  page: { path: string; label: string };
}

/** What is new, newest first. No entry names the platform or an agency: each reads it under their own name. */
export const NEWS: readonly News[] = [
  {
    on: '2026-11-29',
    title: 'Counts of people in full tens',
    text: 'Keyword counts and audiences show full tens, and “Fewer than 20” below that, so that no figure tells about one person. Ads can be aimed at audiences of 20 people or more, or at uploaded lists of 100.',
    page: { path: '/audience', label: 'Open Audiences' },
  },
  {
    on: '2026-11-29',
    title: 'Data retention',
    text: 'See how long each kind of data is kept, what the next cleanup deletes, and what the last one did. Change a period within its limits.',
    page: { path: '/configuration/data-retention', label: 'Open Data retention' },
  },
  {
    on: '2026-11-29',
    title: 'Reports by email',
    text: 'Have a report emailed as a PDF every week or month, to users of your agency who may read reports. It is below the reports.',
    page: { path: '/configuration/reports', label: 'Open Reports' },
  },
  {
    on: '2026-11-29',
    title: 'Report Analytics by email',
    text: 'Have a report emailed as a PDF every week or month, to users who may read Report Analytics. It is below the reports.',
    page: { path: '/configuration/report-analytics', label: 'Open Report Analytics' },
  },
  {
    on: '2026-11-29',
    title: 'Signed invoices',
    text: 'Invoices, credit notes, and statements are signed. Anyone who has the file can check that it is genuine and unchanged.',
    page: { path: '/configuration/invoices', label: 'Open Invoices' },
  },
  {
    on: '2026-11-28',
    title: 'From an ad’s figures to its leads',
    text: 'The numbers of leads in the ad report open the leads behind them, and leads can be filtered by the ad that brought them.',
    page: { path: '/simplifi-id/campaign-management', label: 'Open ad campaigns' },
  },
  {
    on: '2026-11-28',
    title: 'Import companies',
    text: 'Owners can import the full export of an agency or a client: see what would be imported, import it, compare the result, and invite its users.',
    page: { path: '/configuration/company-imports', label: 'Open Import companies' },
  },
  {
    on: '2026-11-28',
    title: 'Sensitive keywords are blocked',
    text: 'Keywords on health, minors, religion, and distress are refused wherever they come in. Make exceptions under Privacy Requests, Keyword themes.',
    page: { path: '/configuration/privacy-requests', label: 'Open Privacy Requests' },
  },
  {
    on: '2026-11-28',
    title: 'Full exports',
    text: 'Owners can take everything of a client, or of the whole agency, out in one archive. It is in the menu of each client.',
    page: { path: '/configuration/client-management', label: 'Open Clients' },
  },
  {
    on: '2026-11-28',
    title: 'Places on a map for ads',
    text: 'Show ads within a radius or a shape that you draw or import, and see in the report which states, audiences, and hours they work in.',
    page: { path: '/campaign-setup', label: 'Build a campaign' },
  },
  {
    on: '2026-11-28',
    title: 'Templates',
    text: 'Take a template from a campaign, see what a push would change for each client, and push it to one client first and then the rest. A push can be rolled back.',
    page: { path: '/configuration/templates', label: 'Open Templates' },
  },
  {
    on: '2026-11-28',
    title: 'Transfers of clients',
    text: 'A client can move to another agency with its users, campaigns, and leads once both agencies and the client agree. Invoices and payments of the past stay where they are.',
    page: { path: '/configuration/transfers', label: 'Open Transfers' },
  },
  {
    on: '2026-11-28',
    title: 'Offboarding',
    text: 'When a client leaves, a checklist stops its campaigns, refunds the unused balance, waits for what is under way, and signs the users out.',
    page: { path: '/configuration/offboarding', label: 'Open Offboarding' },
  },
  {
    on: '2026-11-28',
    title: 'Banners and audiences for ads',
    text: 'Design an ad once and use it in every size, and aim ads at your own lists or at the leads of a campaign. Exclusion lists always apply.',
    page: { path: '/banner/list', label: 'Open Banners' },
  },
  {
    on: '2026-11-28',
    title: 'California’s deletion lists',
    text: 'Under Privacy Requests, California DROP: its lists are downloaded, carried out, and answered every day, and stay in force for whoever you buy later.',
    page: { path: '/configuration/privacy-requests', label: 'Open California DROP' },
  },
  {
    on: '2026-11-28',
    title: 'Privacy desk',
    text: 'People ask at /privacy what is known about them, or to be deleted. Requests come with their deadlines, and are carried out everywhere.',
    page: { path: '/configuration/privacy-requests', label: 'Open Privacy requests' },
  },
  {
    on: '2026-11-28',
    title: 'Agreements in versions',
    text: 'Read, accept, and download your agreements as signed files. You get an email before a new version takes effect.',
    page: { path: '/configuration/agreements', label: 'Open Agreements' },
  },
  {
    on: '2026-11-28',
    title: 'Reports on what you earn',
    text: 'Revenue, cost, and margin by product, client, and month, with growth, churn, and lifetime value. Each number opens to its ledger lines.',
    page: { path: '/configuration/reports', label: 'Open Reports' },
  },
  {
    on: '2026-11-27',
    title: 'Leads that explain themselves',
    text: 'A score from 0 to 100 with its reasons, and a journey of every page a person viewed before they became a lead.',
    page: { path: '/leads', label: 'Open Leads' },
  },
  {
    on: '2026-11-27',
    title: 'Alerts',
    text: 'Hear by email, in Slack, or in Teams when a hot lead arrives or comes back. See what yesterday would have sent first.',
    page: { path: '/alerts', label: 'Open Alerts' },
  },
  {
    on: '2026-11-27',
    title: 'Returns',
    text: 'A lead that reaches nobody can be returned for a credit, with the reason on record.',
    page: { path: '/returns', label: 'Open Returns' },
  },
  {
    on: '2026-11-20',
    title: 'Deliveries you can follow',
    text: 'Every lead at every destination: what was sent, what was answered, and when the next attempt is. Send again one, or all that failed.',
    page: { path: '/deliveries', label: 'Open Deliveries' },
  },
  {
    on: '2026-11-20',
    title: 'More places to send leads',
    text: 'HubSpot, GoHighLevel, Google Sheets, Slack, Teams, and more, with your own field mapping and a test before anything is sent.',
    page: { path: '/integrations', label: 'Open Integrations' },
  },
  {
    on: '2026-11-20',
    title: 'Passkeys',
    text: 'Sign in with your fingerprint, your face, or a security key, and see where you are signed in.',
    page: { path: '/user/sessions', label: 'Open sign-in and security' },
  },
];

/** What is new for a user. */
export const newsFor = (facts: SignedIn): readonly News[] =>
  NEWS.filter(({ page }) => maySee(page.path, facts));

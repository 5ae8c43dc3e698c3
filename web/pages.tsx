import type { ComponentType } from 'react';
import type { PAGES, PageId } from '../contract/routing-pages.ts';
import type { PlannedId } from './features/shell/PlannedPage.tsx';
import { lazyPage } from './ui/chunk.ts';

const register = lazyPage(() => import('./features/access/RegisterPage.tsx'));
const dashboard = lazyPage(() => import('./features/insight/DashboardPage.tsx'));
const campaigns = lazyPage(() => import('./features/campaigns/CampaignsPage.tsx'));
const compact = lazyPage(() => import('./features/campaigns/CampaignsCompactPage.tsx'));
const legal = lazyPage(() => import('./features/legal/LegalPage.tsx'));
type Page = ComponentType & { preload?: () => Promise<void> };

type LeadsOn = Extract<(typeof PAGES)[number], { to: string }>['id'];

/**
 * The component of each page in the table. Addresses that only redirect have none, and pages that are not built yet
 * have a text in PlannedPage.
 */
const pages = {
  login: lazyPage(() => import('./features/access/LoginPage.tsx')),
  register,
  'agency-register': register,
  'confirm-register': lazyPage(() => import('./features/access/ConfirmPage.tsx')),
  sso: lazyPage(() => import('./features/access/SsoPage.tsx')),
  'set-new-password': lazyPage(() => import('./features/access/SetPasswordPage.tsx')),
  unsubscribe: lazyPage(() => import('./features/access/UnsubscribePage.tsx')),
  'confirm-email': lazyPage(() => import('./features/access/ConfirmEmailPage.tsx')),
  'reset-password-invalid': lazyPage(() => import('./features/access/ResetInvalidPage.tsx')),
  setup: lazyPage(() => import('./features/access/SetupPage.tsx')),
  'privacy-policy': legal,
  'term-of-use': legal,
  'service-billing-agreement': legal,
  'marketing-services-agreement-developer': legal,
  'download-auth': lazyPage(() => import('./features/legal/DownloadPage.tsx')),

  integrations: lazyPage(() => import('./features/integrations/IntegrationsPage.tsx')),
  integration: lazyPage(() => import('./features/integrations/IntegrationPage.tsx')),

  profile: lazyPage(() => import('./features/profile/ProfilePage.tsx')),
  'profile-setup': lazyPage(() => import('./features/profile/ProfileSetupPage.tsx')),
  'profile-setup-v1': lazyPage(() => import('./features/profile/ProfileSetupV1Page.tsx')),
  questionnaire: lazyPage(() => import('./features/questionnaire/QuestionnairePage.tsx')),
  'questionnaire-add': lazyPage(() => import('./features/questionnaire/QuestionnaireAddPage.tsx')),
  'card-setting': lazyPage(() => import('./features/billing/CardSettingPage.tsx')),
  'sandbox-account': lazyPage(() => import('./features/payments/SandboxAccountPage.tsx')),
  'second-factor': lazyPage(() => import('./features/access/SecondFactorPage.tsx')),
  sessions: lazyPage(() => import('./features/access/SessionsPage.tsx')),
  developer: lazyPage(() => import('./features/developer/DeveloperPage.tsx')),

  dashboard,

  'client-management': lazyPage(() => import('./features/companies/ClientManagementPage.tsx')),
  'agency-list': lazyPage(() => import('./features/companies/AgencyListPage.tsx')),
  'root-list': lazyPage(() => import('./features/roots/RootListPage.tsx')),
  'administrator-list': lazyPage(() => import('./features/staff/AdministratorListPage.tsx')),
  'sales-account-list': lazyPage(() => import('./features/staff/SalesAccountListPage.tsx')),
  'role-list': lazyPage(() => import('./features/roles/RoleListPage.tsx')),
  'general-setting': lazyPage(() => import('./features/settings/GeneralSettingPage.tsx')),
  'data-enrichment': lazyPage(() => import('./features/enrichment/DataEnrichmentPage.tsx')),
  'opt-out-list': lazyPage(() => import('./features/exclusions/OptOutListPage.tsx')),
  'exclusion-lists': lazyPage(() => import('./features/exclusions/ExclusionListsPage.tsx')),
  'sales-connect-account': lazyPage(() => import('./features/billing/SalesConnectPage.tsx')),
  invoices: lazyPage(() => import('./features/invoices/InvoicesPage.tsx')),
  taxes: lazyPage(() => import('./features/taxes/TaxesPage.tsx')),
  margins: lazyPage(() => import('./features/ledger/MarginsPage.tsx')),
  statement: lazyPage(() => import('./features/ledger/StatementPage.tsx')),
  limits: lazyPage(() => import('./features/caps/LimitsPage.tsx')),
  'minimum-spend': lazyPage(() => import('./features/minspend/MinimumSpendPage.tsx')),
  coupons: lazyPage(() => import('./features/costs/CouponsPage.tsx')),
  'background-jobs': lazyPage(() => import('./features/background/StoppedJobsPage.tsx')),
  outbox: lazyPage(() => import('./features/outbox/OutboxPage.tsx')),
  payments: lazyPage(() => import('./features/payments/ProblemsPage.tsx')),
  'people-import': lazyPage(() => import('./features/identity/ImportPage.tsx')),
  'people-merge': lazyPage(() => import('./features/identity/MergePage.tsx')),

  'module-dashboard': dashboard,
  'campaign-management': campaigns,
  'campaign-management-v1': compact,
  'leads-management': lazyPage(() => import('./features/leads/LeadsManagementPage.tsx')),
  leads: lazyPage(() => import('./features/leads/LeadsPage.tsx')),
  client: lazyPage(() => import('./features/campaigns/ClientsPage.tsx')),
  campaign: lazyPage(() => import('./features/campaigns/AllCampaignsPage.tsx')),
  'campaign-setup': lazyPage(() => import('./features/campaigns/CampaignSetupPage.tsx')),
} satisfies Record<Exclude<PageId, PlannedId | LeadsOn>, Page>;

/** Shown for a page that is not built yet: an honest note about what it will be for. */
export const Planned = lazyPage(() => import('./features/shell/PlannedPage.tsx'));

/** The page's component and how its code is prefetched. */
export function pageOf(id: PageId): Page | undefined {
  return id in pages ? pages[id as keyof typeof pages] : undefined;
}

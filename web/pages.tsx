import type { ComponentType } from 'react';
import type { PAGES, PageId } from '../contract/routing/routing-pages.ts';
import { lazyPage } from './ui/chunk.ts';

const register = lazyPage(() => import('./features/accounts/auth/RegisterPage.tsx'));
const dashboard = lazyPage(() => import('./features/campaigns/analytics/DashboardPage.tsx'));
const campaigns = lazyPage(() => import('./features/campaigns/campaigns/CampaignsPage.tsx'));
const compact = lazyPage(() => import('./features/campaigns/campaigns/CampaignsCompactPage.tsx'));
const reports = lazyPage(() => import('./features/money/report-analytics/ReportAnalyticsPage.tsx'));
const legal = lazyPage(() => import('./features/accounts/agreements/LegalPage.tsx'));
type Page = ComponentType & { preload?: () => Promise<void> };

type LeadsOn = Extract<(typeof PAGES)[number], { to: string }>['id'];

/** The component of each page in the table. Addresses that only redirect have none. */
const pages = {
  login: lazyPage(() => import('./features/accounts/auth/LoginPage.tsx')),
  register,
  'agency-register': register,
  'confirm-register': lazyPage(() => import('./features/accounts/auth/ConfirmPage.tsx')),
  sso: lazyPage(() => import('./features/accounts/auth/SsoPage.tsx')),
  'set-new-password': lazyPage(() => import('./features/accounts/auth/SetPasswordPage.tsx')),
  unsubscribe: lazyPage(() => import('./features/accounts/auth/UnsubscribePage.tsx')),
  'confirm-email': lazyPage(() => import('./features/accounts/auth/ConfirmEmailPage.tsx')),
  'reset-password-invalid': lazyPage(() => import('./features/accounts/auth/ResetInvalidPage.tsx')),
  setup: lazyPage(() => import('./features/accounts/auth/SetupPage.tsx')),
  privacy: lazyPage(() => import('./features/audience/privacy/PrivacyPage.tsx')),
  'privacy-policy': legal,
  'term-of-use': legal,
  'service-billing-agreement': legal,
  'marketing-services-agreement-developer': legal,
  verify: lazyPage(() => import('./features/accounts/agreements/VerifyPage.tsx')),
  agreements: lazyPage(() => import('./features/accounts/agreements/AgreementsPage.tsx')),
  agreement: lazyPage(() => import('./features/accounts/agreements/AgreementPage.tsx')),
  'download-auth': lazyPage(() => import('./features/accounts/agreements/DownloadPage.tsx')),

  'banner-create': lazyPage(() => import('./features/ads/banners/BannerCreatePage.tsx')),
  'banner-list': lazyPage(() => import('./features/ads/banners/BannersPage.tsx')),
  audience: lazyPage(() => import('./features/ads/ad-audiences/AudiencesPage.tsx')),
  alerts: lazyPage(() => import('./features/campaigns/alerts/AlertsPage.tsx')),
  returns: lazyPage(() => import('./features/campaigns/returns/ReturnsPage.tsx')),
  deliveries: lazyPage(() => import('./features/campaigns/delivery/DeliveriesPage.tsx')),
  integrations: lazyPage(() => import('./features/campaigns/connections/IntegrationsPage.tsx')),
  integration: lazyPage(() => import('./features/campaigns/connections/IntegrationPage.tsx')),

  profile: lazyPage(() => import('./features/accounts/profile/ProfilePage.tsx')),
  'profile-setup': lazyPage(() => import('./features/accounts/profile/ProfileSetupPage.tsx')),
  'profile-setup-v1': lazyPage(() => import('./features/accounts/profile/ProfileSetupV1Page.tsx')),
  questionnaire: lazyPage(() => import('./features/accounts/questionnaire/QuestionnairePage.tsx')),
  'questionnaire-add': lazyPage(() => import('./features/accounts/questionnaire/QuestionnaireAddPage.tsx')),
  'card-setting': lazyPage(() => import('./features/money/payments/CardSettingPage.tsx')),
  'sandbox-account': lazyPage(() => import('./features/money/payments/SandboxAccountPage.tsx')),
  'second-factor': lazyPage(() => import('./features/accounts/auth/SecondFactorPage.tsx')),
  sessions: lazyPage(() => import('./features/accounts/auth/SessionsPage.tsx')),
  developer: lazyPage(() => import('./features/developer/api/DeveloperPage.tsx')),
  authorize: lazyPage(() => import('./features/developer/api/AuthorizePage.tsx')),

  dashboard,

  transfers: lazyPage(() => import('./features/accounts/client-transfers/TransfersPage.tsx')),
  transfer: lazyPage(() => import('./features/accounts/client-transfers/TransferPage.tsx')),
  offboardings: lazyPage(() => import('./features/accounts/offboarding/OffboardingsPage.tsx')),
  offboarding: lazyPage(() => import('./features/accounts/offboarding/OffboardingPage.tsx')),
  'client-management': lazyPage(() => import('./features/accounts/companies/ClientManagementPage.tsx')),
  'agency-list': lazyPage(() => import('./features/accounts/companies/AgencyListPage.tsx')),
  'root-list': lazyPage(() => import('./features/accounts/roots/RootListPage.tsx')),
  'administrator-list': lazyPage(() => import('./features/accounts/staff/AdministratorListPage.tsx')),
  'sales-account-list': lazyPage(() => import('./features/accounts/staff/SalesAccountListPage.tsx')),
  'role-list': lazyPage(() => import('./features/accounts/roles/RoleListPage.tsx')),
  'general-setting': lazyPage(() => import('./features/accounts/settings/GeneralSettingPage.tsx')),
  'data-enrichment': lazyPage(() => import('./features/audience/enrichment/DataEnrichmentPage.tsx')),
  'opt-out-list': lazyPage(() => import('./features/audience/exclusions/OptOutListPage.tsx')),
  templates: lazyPage(() => import('./features/campaigns/templates/TemplatesPage.tsx')),
  template: lazyPage(() => import('./features/campaigns/templates/TemplatePage.tsx')),
  'privacy-requests': lazyPage(() => import('./features/audience/privacy/PrivacyRequestsPage.tsx')),
  'exclusion-lists': lazyPage(() => import('./features/audience/exclusions/ExclusionListsPage.tsx')),
  'sales-connect-account': lazyPage(() => import('./features/money/payments/SalesConnectPage.tsx')),
  invoices: lazyPage(() => import('./features/money/invoices/InvoicesPage.tsx')),
  taxes: lazyPage(() => import('./features/money/taxes/TaxesPage.tsx')),
  margins: lazyPage(() => import('./features/money/ledger/MarginsPage.tsx')),
  'report-analytics': reports,
  reports,
  statement: lazyPage(() => import('./features/money/ledger/StatementPage.tsx')),
  limits: lazyPage(() => import('./features/money/spending-limits/LimitsPage.tsx')),
  'minimum-spend': lazyPage(() => import('./features/money/minimum-spend/MinimumSpendPage.tsx')),
  coupons: lazyPage(() => import('./features/money/pricing/CouponsPage.tsx')),
  'background-jobs': lazyPage(() => import('./features/operations/jobs/StoppedJobsPage.tsx')),
  'data-retention': lazyPage(() => import('./features/operations/retention/DataRetentionPage.tsx')),
  outbox: lazyPage(() => import('./features/operations/outbox/OutboxPage.tsx')),
  payments: lazyPage(() => import('./features/money/payments/ProblemsPage.tsx')),
  'company-imports': lazyPage(() => import('./features/accounts/company-imports/CompanyImportsPage.tsx')),
  'people-import': lazyPage(() => import('./features/audience/people/ImportPage.tsx')),
  'people-merge': lazyPage(() => import('./features/audience/people/MergePage.tsx')),

  'module-dashboard': dashboard,
  'campaign-management': campaigns,
  'campaign-management-v1': compact,
  'leads-management': lazyPage(() => import('./features/campaigns/leads/LeadsManagementPage.tsx')),
  leads: lazyPage(() => import('./features/campaigns/leads/LeadsPage.tsx')),
  client: lazyPage(() => import('./features/campaigns/campaigns/ClientsPage.tsx')),
  campaign: lazyPage(() => import('./features/campaigns/campaigns/AllCampaignsPage.tsx')),
  'campaign-setup': lazyPage(() => import('./features/campaigns/campaigns/CampaignSetupPage.tsx')),
} satisfies Record<Exclude<PageId, LeadsOn>, Page>;

/** The page's component and how its code is prefetched. */
export function pageOf(id: PageId): Page | undefined {
  return id in pages ? pages[id as keyof typeof pages] : undefined;
}

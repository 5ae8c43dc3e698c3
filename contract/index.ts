import type { AnySchema, ContractProcedure, InferSchemaInput, InferSchemaOutput } from '@orpc/contract';
import { agreementText } from './accounts/agreement-versions.ts';
import { agreements } from './accounts/agreements.ts';
import { auth } from './accounts/auth.ts';
import { clientTransfers } from './accounts/client-transfers.ts';
import { companies } from './accounts/companies.ts';
import { companyExports } from './accounts/company-exports.ts';
import { companyImports, pastBilling } from './accounts/company-imports.ts';
import { documents } from './accounts/documents.ts';
import { logs } from './accounts/logs.ts';
import { offboarding } from './accounts/offboarding.ts';
import { ProfileForm, profile } from './accounts/profile.ts';
import { roles } from './accounts/roles.ts';
import { roots } from './accounts/roots.ts';
import { sales } from './accounts/sales.ts';
import { search } from './accounts/search.ts';
import { settings } from './accounts/settings.ts';
import { setup } from './accounts/setup.ts';
import { tenants } from './accounts/tenants.ts';
import { views } from './accounts/views.ts';
import { adCampaigns, CreativeForm, creatives } from './ads/ad-campaigns.ts';
import { adExchanges } from './ads/ad-exchanges.ts';
import { adMaps } from './ads/ad-maps.ts';
import { adReports } from './ads/ad-reports.ts';
import { adZones } from './ads/ad-zones.ts';
import { AudienceUpload, audiences } from './ads/audiences.ts';
import { banners } from './ads/banners.ts';
import { MediaForm, media } from './ads/media.ts';
import { drop } from './audience/drop.ts';
import { enrichment } from './audience/enrichment.ts';
import { ExclusionForm, ExclusionUpload, exclusions, RootExclusionUpload } from './audience/exclusions.ts';
import { keywordThemes } from './audience/keyword-allowances.ts';
import { people } from './audience/people.ts';
import { privacy } from './audience/privacy.ts';
import { signals } from './audience/signals.ts';
import { alerts } from './campaigns/alerts.ts';
import { analytics } from './campaigns/analytics.ts';
import { campaignMore } from './campaigns/campaign-more.ts';
import { campaigns } from './campaigns/campaigns.ts';
import { connections } from './campaigns/connections.ts';
import { customers } from './campaigns/customers.ts';
import { delivery, spreadsheets } from './campaigns/delivery.ts';
import { digest } from './campaigns/digest.ts';
import { groups } from './campaigns/groups.ts';
import { held } from './campaigns/held.ts';
import { leads } from './campaigns/leads.ts';
import { pixel } from './campaigns/pixel.ts';
import { reports } from './campaigns/reports.ts';
import { returns } from './campaigns/returns.ts';
import { silence } from './campaigns/silence.ts';
import { templates } from './campaigns/templates.ts';
import { viewExports } from './campaigns/view-exports.ts';
import { developer } from './developer/developer.ts';
import { credits } from './money/credits.ts';
import { dataWallet } from './money/data-wallet.ts';
import { dunning, invoices } from './money/invoices.ts';
import { ledger, spendingLimits } from './money/ledger.ts';
import { margins } from './money/margins.ts';
import { minimumSpend } from './money/minimum-spend.ts';
import { onboardingCharge } from './money/onboarding-charge.ts';
import { payments } from './money/payments.ts';
import { prepaid } from './money/prepaid.ts';
import { pricing } from './money/pricing.ts';
import { reportAnalytics } from './money/report-analytics.ts';
import { reportSchedules } from './money/report-schedules.ts';
import { taxes } from './money/taxes.ts';
import { backgroundJobs } from './operations/jobs.ts';
import { outbox } from './operations/outbox.ts';
import { retention } from './operations/retention.ts';
import { visitLog } from './operations/visit-log.ts';
import type { Inside } from './wire.ts';

/** Every call of the product, by feature. */
export const contract = {
  auth,
  tenants,
  settings,
  setup,
  profile,
  roles,
  adCampaigns,
  creatives,
  adZones,
  adExchanges,
  adMaps,
  adReports,
  banners,
  media,
  audiences,
  sales,
  documents,
  agreements,
  agreementText,
  campaigns,
  campaignMore,
  groups,
  prepaid,
  companies,
  companyExports,
  companyImports,
  pastBilling,
  pricing,
  credits,
  taxes,
  leads,
  reports,
  reportAnalytics,
  reportSchedules,
  connections,
  delivery,
  spreadsheets,
  developer,
  enrichment,
  exclusions,
  backgroundJobs,
  people,
  drop,
  keywordThemes,
  privacy,
  analytics,
  signals,
  ledger,
  spendingLimits,
  margins,
  held,
  visitLog,
  pixel,
  alerts,
  returns,
  customers,
  digest,
  silence,
  minimumSpend,
  onboardingCharge,
  outbox,
  retention,
  roots,
  search,
  logs,
  viewExports,
  templates,
  offboarding,
  clientTransfers,
  views,
  dataWallet,
  payments,
  invoices,
  dunning,
};

/** What pages send to routes outside the calls: forms, and the queries of uploads. */
export const inputs = {
  profile: ProfileForm,
  exclusionForm: ExclusionForm,
  exclusionUpload: ExclusionUpload,
  rootExclusionUpload: RootExclusionUpload,
  creativeForm: CreativeForm,
  mediaForm: MediaForm,
  audienceUpload: AudienceUpload,
};

interface CallOptions {
  signal?: AbortSignal | undefined;
}
type Given<I> = I extends AnySchema ? Inside<InferSchemaInput<I>> : undefined;
type Call<C> =
  C extends ContractProcedure<infer I, infer O, infer _E, infer _M>
    ? (
        ...given: undefined extends Given<I>
          ? [input?: undefined, options?: CallOptions]
          : Record<string, never> extends Given<I>
            ? [input?: Given<I>, options?: CallOptions]
            : [input: Given<I>, options?: CallOptions]
      ) => Promise<O extends AnySchema ? Inside<InferSchemaOutput<O>> : unknown>
    : never;

/** A call by feature and name: 'leads.list'. */
export type CallName = {
  [Feature in keyof typeof contract]: `${Feature}.${keyof (typeof contract)[Feature] & string}`;
}[keyof typeof contract];

/** The calls as the web client makes them: with the names that fields have inside. */
export type Client = {
  readonly [Feature in keyof typeof contract]: {
    readonly [Name in keyof (typeof contract)[Feature]]: Call<(typeof contract)[Feature][Name]>;
  };
};

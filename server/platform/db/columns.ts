import type { AgreementText } from '../../../contract/accounts/agreement-text.ts';
import type { Area } from '../../../contract/ads/area-rules.ts';
import type { AudienceSearch } from '../../../contract/ads/audience-rules.ts';
import type { BannerDesign } from '../../../contract/ads/banner-rules.ts';
import type { CampaignRules } from '../../../contract/campaigns/campaign-rules.ts';
import type { Exchange } from '../../../contract/campaigns/destinations.ts';
import type { Payload } from '../../../contract/campaigns/payloads.ts';
import type { PixelCause, WhyRead } from '../../../contract/campaigns/pixel.ts';
import type { Proof } from '../../../contract/campaigns/return-rules.ts';
import type { Hours, Rules } from '../../../contract/campaigns/rules.ts';
import type { ScoreDetails } from '../../../contract/campaigns/scores.ts';

/** A permission granted to one user (report_analytics), stored in their row. */
export interface PersonalPermission {
  name: string;
  active: boolean;
}

/** The issuer or payer of an invoice, as of the moment it became final. */
export interface InvoiceParty {
  name: string;
  address: string[];
  email: string;
  phone: string;
}

/**
 * The types of columns that the database does not know: what JSON documents contain, and texts that a check does not
 * list. `npm run schema` uses them for the types of the tables (schema.ts).
 */
export interface Columns {
  'ad_campaign.areas': Area[];
  'agreement_acceptance.shown': AgreementText | null;
  'alert.hours': Hours | null;
  'banner.design': BannerDesign;
  'audience.search': AudienceSearch | null;
  'charge.details': Record<string, string>;
  'connected_account.requirements': string[];
  /** What an export has, table by table. */
  'company_import.manifest': Record<string, unknown>;
  'company_import.result': Record<string, unknown> | null;
  'company_import_run.result': Record<string, unknown> | null;
  'company_export.tables': { name: string; rows: number }[] | null;
  /** How many rows of each table a transfer has moved. */
  'client_transfer.moved': Record<string, number> | null;
  'delivery_exchange.exchanges': Exchange[];
  'template_version.fields': Record<string, unknown>;
  'template_target.applied': Record<string, unknown>;
  'template_target.changes': { field: string; before: unknown; after: unknown }[];
  'template_target.kept': { field: string; before: unknown; after: unknown }[];
  'template_target.undone': { field: string; label: string; message: string }[];
  'import_job.ignored': { column: string; reason: string }[];
  'import_job.left_out': { what: 'row' | 'value'; field: string | null; reason: string; count: number }[];
  'import_job.mapping': Record<string, string>;
  'integration.mapping': Record<string, string>;
  'integration.payload': Payload;
  'integration.rules': Rules;
  'integration.settings': Record<string, string>;
  'intent_count.rules': Partial<CampaignRules>;
  'intent_count.waterfall': Record<string, number>;
  'invoice.issuer': InvoiceParty;
  'invoice.payer': InvoiceParty;
  'job_run.payload': Record<string, unknown>;
  'lead.evidence': Record<string, unknown>;
  'lead.score_details': ScoreDetails;
  /** By field key; null if nothing was known. */
  'lead_data.fields': Record<string, string | null>;
  'list_view.params': Record<string, string>;
  'payment_notice.content': Record<string, unknown>;
  'pixel_report.cause': PixelCause;
  'pixel_report.fixes': { label: string; code: string }[];
  'pixel_report.why_read': WhyRead | null;
  'prepaid_refund.parts': { charge: string; cents: number }[];
  /** What was found and done, in numbers. */
  'drop_account.standing': Record<string, number>;
  'privacy_request.result': Record<string, number> | null;
  'questionnaire.answers': Record<string, string | string[]>;
  'receipt_due.term': 'One Time' | 'Prepaid';
  'return_request.proofs': Proof[];
  'sales_account.requirements': string[];
  'sandbox_network.body': object;
  'setting.value': Record<string, unknown>;
  'signing_key.public_jwk': Record<string, unknown>;
  'user_account.permissions': PersonalPermission[];
}

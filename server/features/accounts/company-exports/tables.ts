/**
 * What a full export has: every table with rows of a client or an agency is here, or in `LEFT_OUT` with its reason, and
 * so is every column. A new table or column is in neither and fails tables.test.ts until someone decides.
 */
export interface ExportedTable {
  name: string;
  /** The columns, besides `company_id`, which every row has. */
  columns: readonly string[];
  /** Columns that only an agency's export has: what the agency pays, which it does not show its clients. */
  agencyOnly: readonly string[];
  /** Columns that are never exported, with the reason. */
  without: Readonly<Record<string, keyof typeof WHY>>;
  /** The column with a file's bytes: files lie beside the rows, as `files/TABLE/ID`. */
  file?: string;
  /** Which rows are exported, if not all of the company's. */
  rows?: RowRule;
  /** A column with a JSON object whose secrets are left out, recognized by their names. */
  scrubbed?: string;
  /** Rows about a person who may be on an exclusion list since: the column with the lead. */
  lead?: string;
  /** Columns that are shown as on the screens, not as they are stored (store.ts). */
  shown?: Readonly<Record<string, ColumnRule>>;
}

/** Which rows of a table are exported (store.ts). */
export type RowRule =
  | 'listedMembers'
  | 'ownAccount'
  | 'ownAccounts'
  | 'ownEntries'
  | 'ownTransfers'
  | 'ownInvoices';

/**
 * How a column is shown. `sources`: what identified a person, without which file of the root's it came from.
 * `ownAnswers`: what services answered, unless it was through a connection that the subject does not see.
 */
export type ColumnRule = 'sources' | 'ownAnswers';

export const WHY = {
  secret: 'gives access to something, or could be used to find out what does',
  platform: 'is between the platform and its suppliers or payment providers',
  working: 'is the working state of this installation and means nothing elsewhere',
  identity: 'identifies people who were not bought as leads, or tells what is known of them',
} as const;

type Without = Partial<Record<keyof typeof WHY, string>>;
const words = (text: string): string[] => text.split(/\s+/).filter(Boolean);

/** `columns`: separated by blanks; those that end with ! are only in an agency's export. */
function table(
  name: string,
  columns: string,
  without: Without = {},
  more: Pick<ExportedTable, 'file' | 'rows' | 'scrubbed' | 'lead' | 'shown'> = {},
): ExportedTable {
  const all = words(columns);
  return {
    name,
    columns: all.filter((one) => !one.endsWith('!')),
    agencyOnly: all.filter((one) => one.endsWith('!')).map((one) => one.slice(0, -1)),
    without: Object.fromEntries(
      Object.entries(without).flatMap(([why, list]) =>
        words(list).map((column) => [column, why as keyof typeof WHY]),
      ),
    ),
    ...more,
  };
}

/** In this order: what others refer to comes first. */
export const EXPORTED: readonly ExportedTable[] = [
  // Companies and users.
  table(
    'company',
    `id kind name legal_name short_name time_zone created_at removed_at address city zip state_code country_code phone
     email owner_id owner_name owner_email external_id industry registration_open phones_off sheet_editor factor_people
     factor_owners factor_from updated_at`,
    { working: 'parent_id is_master version search changed_at' },
  ),
  table('company_products', 'modules terms updated_at'),
  table(
    'company_billing',
    `package_id manual_bill payment_status access_module campaigns_closed onboarding_on onboarding_micros
     onboarding_coupon onboarding_charged api_mode white_labelling excluded_minimum_spend excluded_onboarding
     package_since cancelled_at api_mode_since updated_at`,
  ),
  table('picture', 'id purpose type width height created_at', {}, { file: 'bytes' }),
  table(
    'brand',
    `name tagline box_bgcolor text_color link_color template_bgcolor sidebar_bgcolor font_theme logo_id favicon_id
     updated_at`,
  ),
  table('domain', 'host is_primary kind verified_at reserved_until created_at'),
  table('module_label', 'module name slug'),
  table('setting', 'name value version updated_at', {}, { scrubbed: 'value' }),
  table('role', 'id name created_at updated_at removed_at'),
  table('role_module', 'role_id module may_see may_create may_update may_delete'),
  table(
    'user_account',
    `id role is_account_executive email name created_at disabled_at phone phone_country phone_calling address city zip
     state_code country_code picture role_id permission_active permissions profile_done is_default_admin customer_care
     gets_notices mail_off campaigns_closed`,
    { secret: 'password_hash', working: 'version' },
  ),
  table('questionnaire', 'user_id industry_id franchise franchise_director office_manager answers saved_at'),
  table('sales_assignment', 'role user_id assigned_at'),
  table('referral_code', 'code user_id created_at'),
  table('list_view', 'id user_id list name is_shared params columns created_at updated_at'),
  table('list_look', 'user_id list density columns updated_at'),
  table('view_export', 'view_id user_id every form next_at sent_at'),
  table(
    'report_schedule',
    'id report period compare every user_ids is_paused next_at last_at last_sent created_by created_at',
  ),
  table('digest_choice', 'user_id is_on changed_at'),
  table('silence_choice', 'user_id is_on changed_at'),
  table(
    'agreement_version',
    'id document_type version title body effective_on effective_at published_at published_by',
  ),
  table(
    'agreement_acceptance',
    `id user_id document_type version accepted_at ip text_hash company_name location_menu issuer_id user_agent time_zone
     second_factor read_to_end applies_at shown`,
  ),
  table('agreement_file', 'id issuer_id acceptance_id sha256 created_at', {}, { file: 'bytes' }),

  // Campaigns and their settings.
  table(
    'campaign',
    `id number module name state state_reason site_key site_url thank_you_url phone_required address_required
     email_required reidentify min_confidence daily_cap starts_on ends_on pixel_checked_at pixel_check created_at
     updated_at limit_every limit_starts_on limit_ends_on minimum_limit advance_information b2b_information site_hosts
     dnc_phones min_pages fit_titles fit_seniorities fit_industries fit_sizes fit_states fit_zips fit_ages fit_incomes
     fit_home fit_unknown score_recency score_depth score_hot score_fit score_pages fit_use company_leads`,
    { working: 'version' },
  ),
  table('campaign_data', 'campaign_id field'),
  table('campaign_keyword', 'campaign_id words', { working: 'hash stems themes' }),
  table('campaign_place', 'campaign_id kind place'),
  table(
    'campaign_target',
    `campaign_id location states cities zips keywords description titles seniorities departments industries sizes size
     updated_at`,
    { working: 'themes_version waits_since' },
  ),
  table('template', 'id kind module name versions created_by created_at updated_at removed_at'),
  table('template_version', 'template_id number fields source note created_by created_at'),
  table('company_group', 'id name created_at updated_at'),
  table('company_group_campaign', 'campaign_id group_id'),
  table(
    'campaign_report',
    `campaign_id notify_every notify_to report_every report_to report_type covers_from due_at updated_at`,
    { working: 'counted told' },
  ),
  table('campaign_report_sent', 'campaign_id covers_from covers_to leads recipients created_at'),
  table('trusted_address', 'id campaign_id network note created_at created_by trusted_at trusted_by'),
  table('connection', 'id vendor name account state state_reason checked_at created_at updated_at auth', {
    secret: 'credentials_sealed',
    working: 'held_until lane token_ends_at ends_at renewed_at renewing_until told_ending',
  }),
  table(
    'integration',
    `id campaign_id kind state state_reason created_at updated_at connection_id name settings mapping payload
     header_names rules`,
    { secret: 'url secret_sealed headers_sealed', working: 'alerted lane' },
    { scrubbed: 'settings' },
  ),
  table('destination_document', 'integration_id document_id url recipients created_at ended_at'),
  table(
    'alert',
    `id campaign_id name state trigger min_score pages fit per_hour user_ids connection_ids cooldown_hours hours
     most_per_hour created_at updated_at`,
    { secret: 'webhook_url webhook_sealed' },
  ),
  table(
    'exclusion_list',
    `id owner_id level name md5_only sha256_only accepts state total_rows rows_added rows_bad emails phones domains
     created_at created_by finished_at removed_at ignore_aliases country most_entries use connection_id refreshed_at
     is_standing standing_for phone_hashes`,
    { working: 'error file_path byte_offset line rows_read rows_same started_at refresh_error' },
  ),
  table('exclusion', 'list_id owner_id kind value', { identity: 'label' }),

  // Ads.
  table('banner', 'id name alt_text click_url design state created_by created_at updated_at', {
    working: 'version',
  }),
  table(
    'audience',
    `id name source kind origin campaign_id days search state file_name total_rows rows_added rows_bad size refreshed_at
     created_by created_at updated_at removed_at`,
    {
      // Of a short list, they would say who of it is known, and who is excluded.
      identity: 'matched excluded reachable addresses',
      working: `error file_path byte_offset line rows_read rows_same refresh_at queued_at begun_at checked_to external_id
        placed_hash place_error`,
    },
  ),
  table(
    'audience_member',
    'id audience_id kind value email address city state zip',
    { identity: 'person_id residents has_address is_matched is_excluded is_reachable' },
    { rows: 'listedMembers' },
  ),
  table(
    'ad_campaign',
    `campaign_id platform max_bid_micros daily_micros monthly_micros total_micros goal_type goal_micros markup_bp!
     frequency_cap frequency_hours click_days view_hours states cities zips areas spent_micros ran_until created_at updated_at`,
    {
      working: `held_micros unposted_micros external_id synced_at sync_error told_on told_daily_micros told_monthly_micros
        told_total_micros told_markup_bp telling_until`,
      platform: 'told_share_bp',
    },
  ),
  table('ad_campaign_audience', 'campaign_id audience_id is_excluded'),
  table(
    'creative',
    'id campaign_id name kind width height type alt_text click_url state created_by created_at updated_at',
    { working: 'external_id' },
    { file: 'bytes' },
  ),
  table('ad_terms', 'minimum_bid_micros minimum_daily_micros minimum_monthly_micros share_bp! updated_at'),
  table('ad_exchange', 'id name state created_at updated_at', { secret: 'key_hash' }),
  table('ad_zone', 'id name hosts width height cpm_micros state created_at updated_at', { secret: 'key' }),
  table('ad_day', 'campaign_id day spent_micros', {
    working: 'held_micros told_daily_micros told_monthly_micros told_total_micros told_markup_bp',
    platform: 'told_share_bp',
  }),
  table(
    'ad_hour',
    `campaign_id hour creative_id place impressions viewable clicks visits leads view_leads spend_micros
     wholesale_micros!`,
    { platform: 'media_micros' },
  ),
  table(
    'ad_slice',
    `campaign_id hour kind key impressions viewable clicks visits leads view_leads spend_micros wholesale_micros!`,
  ),
  table('ad_outside_day', 'campaign_id creative_id day impressions clicks price_micros', {
    platform: 'media_micros',
  }),

  // Visits, leads, and where they were sent.
  table('visit', 'day event_id campaign_id received_at url referrer title event gpc resolved_at outcome', {
    identity: 'visitor_id hash_kind hash ip user_agent person_id',
  }),
  table('campaign_hour', 'campaign_id hour visits matched leads spend_micros cost_micros!'),
  table('campaign_refusal', 'campaign_id hour reason count last_at'),
  table(
    'lead',
    `id campaign_id person_id visit_day visit_event_id match_kind confidence evidence price_micros cost_micros!
     transfer_id is_test created_at score score_details seen_at company_domain`,
    { working: 'score_due_at' },
    { shown: { evidence: 'sources' } },
  ),
  table(
    'lead_contact',
    `lead_id campaign_id created_at first_name last_name email phone phone2 address city county state zip company_name
     website job_title page_url referrer ip phones_withheld phone_dnc phone2_dnc`,
    { working: 'search' },
    { lead: 'lead_id' },
  ),
  table(
    'lead_data',
    'lead_id campaign_id fields created_at',
    { working: 'waits_until' },
    { lead: 'lead_id' },
  ),
  table('ad_lead', 'lead_id campaign_id creative_id place way touched_at shown_at at', {
    working: 'impression_id',
  }),
  table('lead_return', 'lead_id at campaign_id'),
  table(
    'return_request',
    `id campaign_id lead_id reason note state proofs! is_proven! answer is_automatic credit_id opened_by decided_by
     created_at decided_at`,
  ),
  table('customer_visit', 'id campaign_id list_id page_url first_at at', { identity: 'person_id label' }),
  table('alert_event', 'id alert_id lead_id kind count at batch_id created_at customer_visit_id'),
  table(
    'delivery',
    'id campaign_id integration_id lead_id message_id state attempts is_test created_at delivered_at remote_id cause',
    { working: 'next_at turn chosen waits_for_hours refuses_email' },
    { shown: { cause: 'ownAnswers' } },
  ),
  table(
    'delivery_attempt',
    'delivery_id number started_at duration_ms status answer error',
    {},
    { shown: { status: 'ownAnswers', answer: 'ownAnswers', error: 'ownAnswers' } },
  ),

  // Money.
  table(
    'retail_cost',
    `serial campaign_id module term valid_from recorded_at lead_micros lead_advanced_micros
     lead_b2b_micros lead_company_micros lead_max_micros month_micros setup_micros topup leads_buy daily_cap starts_on
     ends_on accepted_loss_micros! limit_every`,
  ),
  table(
    'wholesale_cost',
    `serial! module! term! valid_from! recorded_at! setup_micros! month_micros! lead_micros!
     lead_advanced_micros! lead_company_micros!`,
  ),
  table('cap', 'id subject subject_id period set_by hard_micros soft_micros updated_at'),
  table('coupon', 'id code percent amount_micros max_uses uses expires_at created_at removed_at'),
  table('package_choice', 'serial package_id chosen_at'),
  table('tax_profile', 'tax_id is_exempt exempt_reason rate_name rate_ppm updated_at'),
  table('payment_card', 'id brand last4 exp_month exp_year created_at removed_at', {
    secret: 'reference fingerprint',
    platform: 'provider account customer',
  }),
  table(
    'charge',
    `id purpose reference_id amount_cents fee_cents! currency description brand last4 state decline_message
     refunded_cents user_id created_at sent_at settled_at`,
    {
      secret: 'idempotency_key',
      platform: 'provider account customer card provider_reference decline_code details',
      working: 'attempts next_ask_at needs_authentication ip settled_by_hand',
    },
  ),
  table('refund', 'id charge_id amount_cents reason state created_at settled_at', {
    secret: 'idempotency_key',
    platform: 'provider_reference failure',
    working: 'next_ask_at sent_at',
  }),
  table('wallet_setting', `amount_micros custom continual day_ceiling month_ceiling state updated_at`, {
    working: 'declines retry_at reason told gave_back',
  }),
  table('wallet_lot', 'id account_id is_granted amount remaining expires_at created_at is_open', {
    working: 'noticed',
  }),
  table('prepaid_auto', 'campaign_id state updated_at', {
    working: 'declines is_failing retry_at reason gave_back',
  }),
  table('prepaid_order', 'id campaign_id term leads price_micros amount_micros created_at', {
    secret: 'idempotency_key charge_key',
  }),
  table('prepaid_refund', 'id campaign_id amount_micros parts created_at', { secret: 'idempotency_key' }),
  table('account', 'id campaign_id kind created_at', {}, { rows: 'ownAccount' }),
  table('account_balance', 'account_id balance', {}, { rows: 'ownAccounts' }),
  table(
    'transfer',
    'id kind reference_id created_at campaign_id memo',
    { secret: 'idempotency_key' },
    { rows: 'ownTransfers' },
  ),
  table(
    'entry',
    'transfer_id line account_id amount created_at account_code lot_id',
    {},
    { rows: 'ownEntries' },
  ),
  table(
    'invoice',
    `id issuer_id side kind term period_key period_from period_to number seq subtotal_micros tax_micros tax_name
     total_micros issuer payer transfer_id finalised_at due_at status paid_micros credited_micros first_failed_at
     paid_at closed_at`,
    { platform: 'fee_micros fee_released_at', working: 'attempts next_attempt_at last_failure' },
    { rows: 'ownInvoices' },
  ),
  table('invoice_line', 'invoice_id line kind campaign_id description quantity unit_micros amount_micros'),
  table(
    'credit_note',
    'id issuer_id invoice_id number seq amount_micros reason transfer_id user_id created_at',
    {
      secret: 'idempotency_key',
    },
  ),
  table('credit', 'id giver_id lead_id campaign_id amount_micros reason note transfer_id user_id created_at'),
  table(
    'campaign_fee',
    'campaign_id kind period term retail_micros wholesale_micros! transfer_id created_at',
  ),
  table('minspend_choice', 'serial! plan_id! valid_from!'),
  table(
    'minspend_month',
    `month! life! plan_name! asked_micros! spent_micros! shortfall_micros! outcome! transfer_id!
     decided_at!`,
  ),
];

/** Tables with rows of companies that are not exported, by the reason. */
export const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  'They give access, or tell how access was given: users, keys, and sign-ins are set up anew.': words(`
    agreement_key connection_sign_in developer_attempt developer_grant developer_hook developer_key developer_message
    developer_request developer_sandbox developer_usage developer_write download_token email_change login_challenge
    passkey password_reset recovery_code security_notice session sso_token user_factor domain_claim`),
  'They belong to the people graph of the platform. What was bought of it is in lead_contact and lead_data.':
    words(`
    audience_key identity_key import_error import_job intent_candidate intent_count intent_match intent_phrase
    intent_term person person_merge person_profile signal signal_batch do_not_call phone_scrub data_choice data_provider`),
  'They are between the platform and its suppliers or payment providers.': words(`
    connected_account payment_customer payment_dispute payment_mismatch sales_account supplier_cost tax_quote
    tax_reversal tax_setting tax_rate`),
  'They are working states and counters that are computed from what is exported.': words(`
    account_snapshot alert_message alert_person agreement_notice audience_error billing_close billing_mark
    campaign_conversion campaign_foreign_host cap_event company_export connection_queue coupon_use delivery_day
    delivery_exchange delivery_turn digest_sent exclusion_error held_notice invoice_series invoice_wait job_run lead_change mail
    minspend_amount minspend_close minspend_offer minspend_plan pixel_report prepaid_attempt receipt_due sale_day
    silence_told spend_day transfer_cover wallet_attempt ad_impression ad_lease ad_visit offboarding
    template_push template_target signed_paper beta_feature beta_user margin_rule client_transfer client_transfer_id lead_bill company_import
    company_import_row company_import_run`),
  'They are sign-ups and visits that are held back until someone releases them, from people who were not bought.':
    words(`
    held_visit sign_up signup signup_hour`),
  'They are emails that bounced, and the email outbox.': words('mail_refusal'),
  'They belong to the user log, which is one chain of hashes for each root, and has a file of its own.':
    words(`
    log_seal log_unsealed user_log user_log_detail`),
  'They are requests of people about their own data, which the platform answers.': words(`
    drop_account drop_batch drop_entry drop_event drop_match privacy_certificate privacy_event privacy_request
    privacy_warning`),
  'They are exceptions that the platform made.': words('keyword_allowance'),
  'They are changes to accounts that wait until they take effect.': words('account_change'),
};

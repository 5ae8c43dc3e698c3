/**
 * What goes with a client that moves to another agency: every table with rows of a client is here, or in `STAYS` with its
 * reason. A new table is in neither and fails tables.test.ts until someone decides.
 */
export interface MovedTable {
  name: string;
  /** Columns with the id of the client or of a campaign, which get new ones. */
  maps: readonly string[];
  /** JSON columns in which such ids may occur. */
  texts: readonly string[];
  /** Columns with amounts of the past, which are none of the receiving agency's business. */
  zero: readonly string[];
  /** Columns that refer to money of the past. */
  none: readonly string[];
  /** Columns that say when a program last saw a change. */
  now: readonly string[];
}

const words = (text: string): string[] => text.split(/\s+/).filter(Boolean);

function table(
  name: string,
  maps = '',
  more: Partial<Record<'texts' | 'zero' | 'none' | 'now', string>> = {},
): MovedTable {
  const { texts = '', zero = '', none = '', now = '' } = more;
  return {
    name,
    maps: words(maps),
    texts: words(texts),
    zero: words(zero),
    none: words(none),
    now: words(now),
  };
}

export const MOVED: readonly MovedTable[] = [
  // Users and what is theirs.
  ...words(`
    role role_module user_account picture questionnaire user_factor recovery_code passkey email_change setting list_look
    view_export digest_choice silence_choice digest_sent`).map((name) => table(name)),
  table('list_view', '', { texts: 'params' }),

  // Campaigns and their settings. The campaigns themselves get successors (move_client).
  ...words(`
    campaign_conversion campaign_data campaign_foreign_host campaign_keyword campaign_place campaign_refusal
    campaign_report campaign_report_sent campaign_target company_group_campaign pixel_report silence_told
    trusted_address intent_candidate intent_count intent_match signup signup_hour held_visit`).map((name) =>
    table(name, 'campaign_id'),
  ),
  ...words('company_group held_notice').map((name) => table(name)),
  table('campaign_hour', 'campaign_id', { zero: 'spend_micros cost_micros' }),
  table('cap', 'subject_id'),
  table('cap_event'),

  // Exclusion lists, audiences, and banners.
  table('exclusion_list', 'owner_id'),
  table('exclusion', 'owner_id'),
  table('exclusion_error'),
  table('audience', 'campaign_id'),
  ...words('audience_error audience_key audience_member banner').map((name) => table(name)),

  // Visits, leads, and where they are sent.
  table('visit', 'campaign_id'),
  table('lead', 'campaign_id', { zero: 'price_micros cost_micros', none: 'transfer_id' }),
  table('lead_change', 'campaign_id', { now: 'changed_at' }),
  ...words(
    'lead_contact lead_data lead_return return_request customer_visit delivery delivery_turn integration alert',
  ).map((name) => table(name, 'campaign_id')),
  ...words(`
    connection delivery_attempt delivery_day delivery_exchange destination_document alert_event alert_message
    alert_person`).map((name) => table(name)),
];

/** What a process that still knew the client by its old name may have written since (move_client_late). */
export const LATE: readonly MovedTable[] = MOVED.filter(({ name }) =>
  ['visit', 'delivery_attempt', 'delivery_exchange'].includes(name),
);

/** Tables with rows of clients that do not go with them, by the reason. */
export const STAYS: Readonly<Record<string, readonly string[]>> = {
  'They get successors with new ids. The old ones are what the money of the past names.': words(
    'campaign client_transfer client_transfer_id lead_bill',
  ),
  'They are money of the past, which is never rewritten: it stays with the giving agency.': words(`
    account account_balance account_snapshot entry transfer transfer_cover charge refund invoice invoice_line
    invoice_series invoice_wait signed_paper credit_note credit campaign_fee retail_cost receipt_due sale_day spend_day prepaid_order prepaid_refund
    prepaid_attempt prepaid_auto billing_mark billing_close tax_quote tax_reversal payment_dispute payment_mismatch`),
  'They are between the client and the giving agency: cards on its account, taxes, terms, products, and agreements.':
    words(`
    payment_card payment_customer tax_profile company_billing company_products data_choice agreement_acceptance
    agreement_file agreement_notice agreement_version agreement_key sales_assignment offboarding company_export
    company_import company_import_row company_import_run
    module_label brand domain domain_claim beta_feature beta_user mail_refusal`),
  'They are the log of what happened under the giving agency, which is one chain of hashes, and the emails it sent.':
    words('user_log user_log_detail log_seal log_unsealed mail security_notice job_run'),
  'They end: everyone signs in again, at the receiving agency’s address.': words(`
    session login_challenge password_reset sso_token download_token connection_sign_in`),
  'They are ad campaigns, whose bids, holds, and figures belong to the money of the past. They are archived.':
    words(`
    ad_campaign ad_campaign_audience ad_day ad_hour ad_impression ad_lead ad_lease ad_outside_day ad_slice ad_visit creative`),
  'They belong to agencies and roots, never to clients.': words(`
    account_change connected_account coupon coupon_use data_provider margin_rule minspend_amount minspend_choice
    minspend_close minspend_month minspend_offer minspend_plan package_choice referral_code report_schedule sales_account sign_up
    supplier_cost tax_rate tax_setting template template_push template_target template_version wallet_attempt wallet_lot
    wallet_setting wholesale_cost ad_exchange ad_terms ad_zone developer_attempt developer_grant developer_hook developer_key
    developer_message developer_request developer_sandbox developer_usage developer_write`),
  'They belong to the root’s graph of people, and to its privacy desk.': words(`
    do_not_call identity_key import_error import_job intent_phrase intent_term person person_merge person_profile
    phone_scrub signal signal_batch drop_account drop_batch drop_entry drop_event drop_match privacy_certificate
    privacy_event privacy_request privacy_warning`),
  'They are exceptions for the client as it was: the root decides again.': words('keyword_allowance'),
};

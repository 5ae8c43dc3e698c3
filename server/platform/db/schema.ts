// Made by `npm run schema` from the tables of the database. Do not edit.
import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { Columns } from './columns.ts';

/** Read as a value, and written as JSON.stringify makes it. */
type Json<T> = ColumnType<T, JsonText<T>, JsonText<T>>;
type DefaultJson<T> = ColumnType<T, JsonText<T> | undefined, JsonText<T>>;
type JsonText<T> = null extends T ? string | null : string;

/** Column types of every table (bigint columns are JS bigints, dates 'YYYY-MM-DD', timestamps Date). */
export interface Schema {
  account: {
    id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    campaign_id: string | null;
    kind:
      | 'client_prepaid'
      | 'client_unbilled'
      | 'client_receivable'
      | 'agency_wallet'
      | 'agency_payable'
      | 'agency_invoiced'
      | 'agency_revenue'
      | 'root_revenue'
      | 'root_cost'
      | 'expired'
      | 'granted'
      | 'card_clearing'
      | 'supplier_due'
      | 'provider_fee'
      | 'tax_due'
      | 'written_off';
    created_at: Date;
  };
  account_balance: {
    account_id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    balance: Generated<bigint>;
  };
  account_change: {
    id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    user_id: string | null;
    reference: string;
    asked_by: string;
    created_at: Date;
    effective_at: Date;
    ended_at: Date | null;
    outcome: 'done' | 'stopped' | null;
  };
  account_snapshot: {
    company_id: string;
    account_code: number;
    upto: Date;
    root_id: string;
    agency_id: string | null;
    balance: bigint;
  };
  ad_campaign: {
    campaign_id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    platform: 'sandbox' | 'house' | 'simplifi';
    max_bid_micros: bigint;
    daily_micros: bigint;
    monthly_micros: bigint;
    total_micros: bigint | null;
    goal_type: 'cpc' | 'cpa' | 'ctr' | null;
    goal_micros: bigint | null;
    markup_bp: Generated<number>;
    frequency_cap: number | null;
    frequency_hours: Generated<number>;
    click_days: Generated<number>;
    view_hours: Generated<number>;
    states: Generated<string[]>;
    zips: Generated<string[]>;
    held_micros: Generated<bigint>;
    spent_micros: Generated<bigint>;
    unposted_micros: Generated<bigint>;
    external_id: string | null;
    synced_at: Date | null;
    sync_error: string | null;
    ran_until: Date | null;
    created_at: Date;
    updated_at: Date;
    cities: Generated<string[]>;
    areas: DefaultJson<Columns['ad_campaign.areas']>;
  };
  ad_campaign_audience: {
    campaign_id: string;
    audience_id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    is_excluded: boolean;
  };
  ad_day: {
    campaign_id: string;
    day: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    held_micros: Generated<bigint>;
    spent_micros: Generated<bigint>;
  };
  ad_exchange: {
    id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    name: string;
    key_hash: Buffer;
    state: Generated<'active' | 'removed'>;
    created_at: Date;
    updated_at: Date;
  };
  ad_hour: {
    campaign_id: string;
    hour: Date;
    creative_id: string;
    place: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    impressions: Generated<bigint>;
    viewable: Generated<bigint>;
    clicks: Generated<bigint>;
    visits: Generated<bigint>;
    leads: Generated<bigint>;
    view_leads: Generated<bigint>;
    spend_micros: Generated<bigint>;
    wholesale_micros: Generated<bigint>;
    media_micros: Generated<bigint>;
  };
  ad_impression: {
    id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    campaign_id: string;
    creative_id: string;
    zone_id: string | null;
    place: string;
    state: 'held' | 'billed' | 'lost' | 'expired';
    day: string;
    at: Date;
    expires_at: Date;
    held_micros: bigint;
    media_micros: Generated<bigint>;
    wholesale_micros: Generated<bigint>;
    price_micros: Generated<bigint>;
    viewer: Buffer | null;
    billed_at: Date | null;
    viewable_at: Date | null;
    clicked_at: Date | null;
    is_posted: Generated<boolean>;
    region: string | null;
    audiences: Generated<string[]>;
  };
  ad_lead: {
    lead_id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    campaign_id: string;
    creative_id: string;
    impression_id: string;
    place: string;
    way: 'click' | 'view';
    touched_at: Date;
    at: Date;
    shown_at: Date;
  };
  ad_lease: {
    id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    campaign_id: string;
    day: string;
    at: Date;
    expires_at: Date;
    left_micros: bigint;
  };
  ad_outside_day: {
    campaign_id: string;
    creative_id: string;
    day: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    impressions: bigint;
    clicks: bigint;
    media_micros: bigint;
    price_micros: bigint;
  };
  ad_slice: {
    campaign_id: string;
    hour: Date;
    kind: 'state' | 'audience';
    key: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    impressions: Generated<bigint>;
    viewable: Generated<bigint>;
    clicks: Generated<bigint>;
    visits: Generated<bigint>;
    leads: Generated<bigint>;
    view_leads: Generated<bigint>;
    spend_micros: Generated<bigint>;
    wholesale_micros: Generated<bigint>;
  };
  ad_terms: {
    root_id: string;
    agency_id: string | null;
    company_id: string;
    minimum_bid_micros: Generated<bigint>;
    minimum_daily_micros: Generated<bigint>;
    minimum_monthly_micros: Generated<bigint>;
    share_bp: Generated<number>;
    updated_at: Date;
  };
  ad_visit: {
    impression_id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    campaign_id: string;
    creative_id: string;
    place: string;
    site_id: string;
    event_id: string;
    visitor_id: string | null;
    clicked_at: Date;
    at: Date;
  };
  ad_zone: {
    id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    key: string;
    name: string;
    hosts: string[];
    width: number;
    height: number;
    cpm_micros: bigint;
    state: Generated<'active' | 'removed'>;
    created_at: Date;
    updated_at: Date;
  };
  agreement_acceptance: {
    id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    user_id: string;
    document_type: string;
    version: string;
    accepted_at: Date;
    ip: string | null;
    text_hash: Generated<string>;
    company_name: Generated<string>;
    location_menu: Generated<string>;
    issuer_id: string | null;
    user_agent: Generated<string>;
    time_zone: Generated<string>;
    second_factor: Generated<'' | 'email' | 'google' | 'passkey'>;
    read_to_end: Generated<boolean>;
    applies_at: Date | null;
    shown: Json<Columns['agreement_acceptance.shown'] | null>;
  };
  agreement_file: {
    id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    issuer_id: string;
    acceptance_id: string;
    sha256: string;
    bytes: Buffer;
    created_at: Date;
  };
  agreement_key: {
    id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    kind: 'made' | 'brought';
    subject: string;
    certificate: Buffer;
    fingerprint: string;
    private_sealed: string | null;
    valid_until: Date;
    created_at: Date;
    ended_at: Date | null;
  };
  agreement_notice: {
    version_id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    kind: 'published' | 'soon' | 'ended';
    told_at: Date;
  };
  agreement_version: {
    id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    document_type: string;
    version: number;
    title: string;
    body: string;
    effective_on: string;
    effective_at: Date;
    published_at: Date;
    published_by: string;
  };
  alert: {
    id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    campaign_id: string | null;
    name: string;
    state: 'on' | 'off' | 'removed';
    trigger: 'lead' | 'return' | 'lead_or_return' | 'number' | 'customer';
    min_score: number;
    pages: string[];
    fit: 'any' | 'fits';
    per_hour: number | null;
    user_ids: string[];
    connection_ids: string[];
    webhook_url: string | null;
    webhook_sealed: string | null;
    cooldown_hours: number;
    hours: Json<Columns['alert.hours'] | null>;
    most_per_hour: number;
    created_at: Date;
    updated_at: Date;
  };
  alert_event: {
    id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    alert_id: string;
    lead_id: string | null;
    kind: 'new' | 'returned' | 'seen' | 'number' | 'customer';
    count: number | null;
    at: Date;
    batch_id: string | null;
    created_at: Date;
    customer_visit_id: string | null;
  };
  alert_message: {
    id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    alert_id: string;
    batch_id: string;
    way: 'mail' | 'chat' | 'webhook';
    target: string;
    message_id: string;
    events: number;
    is_test: Generated<boolean>;
    state: 'pending' | 'delivered' | 'failed';
    attempts: Generated<number>;
    error: string | null;
    created_at: Date;
    done_at: Date | null;
  };
  alert_person: {
    alert_id: string;
    person_id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    told_at: Date;
  };
  attempt: {
    key: Buffer;
    tries: number;
    last_at: Date;
    blocked_until: Date | null;
  };
  audience: {
    id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    name: string;
    source: 'upload' | 'leads' | 'keywords';
    kind: 'email' | 'address' | 'device' | 'ip' | null;
    origin: 'customers' | 'other' | null;
    campaign_id: string | null;
    days: number | null;
    search: Json<Columns['audience.search'] | null>;
    state: 'queued' | 'loading' | 'held' | 'ready' | 'failed' | 'removed';
    error: string | null;
    file_name: string | null;
    file_path: string | null;
    byte_offset: Generated<bigint>;
    line: Generated<bigint>;
    total_rows: Generated<bigint>;
    rows_read: Generated<bigint>;
    rows_added: Generated<bigint>;
    rows_same: Generated<bigint>;
    rows_bad: Generated<bigint>;
    size: Generated<bigint>;
    matched: Generated<bigint>;
    excluded: Generated<bigint>;
    reachable: Generated<bigint>;
    addresses: Generated<bigint>;
    refreshed_at: Date | null;
    refresh_at: Date | null;
    external_id: string | null;
    placed_hash: Buffer | null;
    place_error: string | null;
    created_by: string | null;
    created_at: Date;
    updated_at: Date;
    removed_at: Date | null;
  };
  audience_error: {
    audience_id: string;
    line: bigint;
    root_id: string;
    agency_id: string;
    company_id: string;
    reason: string;
    value: string | null;
  };
  audience_key: {
    member_id: bigint;
    kind: number;
    value: Buffer;
    audience_id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
  };
  audience_member: {
    id: GeneratedAlways<bigint>;
    audience_id: string;
    kind: number;
    value: Buffer;
    root_id: string;
    agency_id: string;
    company_id: string;
    email: string | null;
    address: string | null;
    city: string | null;
    state: string | null;
    zip: string | null;
    person_id: string | null;
    is_matched: Generated<boolean>;
    is_excluded: Generated<boolean>;
    is_reachable: Generated<boolean>;
    has_address: Generated<boolean>;
  };
  banner: {
    id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    name: string;
    alt_text: Generated<string>;
    click_url: Generated<string>;
    design: Json<Columns['banner.design']>;
    state: Generated<'active' | 'removed'>;
    version: Generated<number>;
    created_by: string;
    created_at: Date;
    updated_at: Date;
  };
  beta_feature: {
    root_id: string;
    feature: number;
    agency_id: string | null;
    company_id: string;
    is_beta: boolean;
    for_all: boolean;
    updated_at: Date;
  };
  beta_user: {
    company_id: string;
    root_id: string;
    agency_id: string;
    created_at: Date;
  };
  billing_close: {
    root_id: string;
    term: 'Weekly' | 'Monthly';
    agency_id: string | null;
    company_id: string;
    closed_to: Date;
  };
  billing_mark: {
    company_id: string;
    side: 'retail' | 'wholesale';
    root_id: string;
    agency_id: string;
    clear_to: Date;
  };
  brand: {
    company_id: string;
    root_id: string;
    agency_id: string | null;
    name: string;
    tagline: string | null;
    box_bgcolor: string | null;
    text_color: string | null;
    link_color: string | null;
    template_bgcolor: string | null;
    sidebar_bgcolor: string | null;
    font_theme: string | null;
    updated_at: Date;
    logo_id: string | null;
    favicon_id: string | null;
  };
  campaign: {
    id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    number: GeneratedAlways<bigint>;
    module: 'local' | 'locator' | 'enhance' | 'b2b' | 'simplifi';
    name: string;
    state: 'active' | 'paused' | 'archived' | 'removed';
    state_reason: string | null;
    site_key: string;
    site_url: Generated<string>;
    thank_you_url: string | null;
    phone_required: Generated<boolean>;
    address_required: Generated<boolean>;
    email_required: Generated<boolean>;
    reidentify: Generated<'never' | '1_week' | '1_month' | '3_months' | '6_months' | '12_months'>;
    min_confidence: Generated<number>;
    daily_cap: number | null;
    starts_on: string | null;
    ends_on: string | null;
    pixel_checked_at: Date | null;
    pixel_check: string | null;
    version: Generated<number>;
    created_at: Date;
    updated_at: Date;
    limit_every: Generated<'day' | 'week' | 'month'>;
    limit_starts_on: string | null;
    limit_ends_on: string | null;
    minimum_limit: number | null;
    advance_information: Generated<number[]>;
    b2b_information: Generated<number[]>;
    site_hosts: Generated<string[]>;
    dnc_phones: Generated<boolean>;
    min_pages: Generated<number>;
    fit_titles: Generated<string[]>;
    fit_seniorities: Generated<string[]>;
    fit_industries: Generated<string[]>;
    fit_sizes: Generated<string[]>;
    fit_states: Generated<string[]>;
    fit_zips: Generated<string[]>;
    fit_ages: Generated<string[]>;
    fit_incomes: Generated<string[]>;
    fit_home: Generated<'any' | 'owner' | 'renter'>;
    fit_unknown: Generated<'take' | 'refuse'>;
    score_recency: Generated<number>;
    score_depth: Generated<number>;
    score_hot: Generated<number>;
    score_fit: Generated<number>;
    score_pages: Generated<string[]>;
    fit_use: Generated<'refuse' | 'score'>;
    company_leads: Generated<boolean>;
  };
  campaign_conversion: {
    campaign_id: string;
    person_id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    converted_at: Date;
  };
  campaign_data: {
    campaign_id: string;
    field: number;
    root_id: string;
    agency_id: string;
    company_id: string;
  };
  campaign_fee: {
    campaign_id: string;
    kind: 'platform_fee' | 'monthly_fee';
    period: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    term: string;
    retail_micros: bigint;
    wholesale_micros: bigint;
    transfer_id: string | null;
    created_at: Date;
  };
  campaign_foreign_host: {
    campaign_id: string;
    day: string;
    host: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    count: bigint;
    last_at: Date;
  };
  campaign_hour: {
    campaign_id: string;
    hour: Date;
    root_id: string;
    agency_id: string;
    company_id: string;
    visits: Generated<bigint>;
    matched: Generated<bigint>;
    leads: Generated<bigint>;
    spend_micros: Generated<bigint>;
    cost_micros: Generated<bigint>;
  };
  campaign_keyword: {
    campaign_id: string;
    words: string;
    hash: bigint;
    root_id: string;
    agency_id: string;
    company_id: string;
    stems: Generated<bigint[]>;
    themes: Generated<number>;
  };
  campaign_place: {
    campaign_id: string;
    kind: number;
    place: bigint;
    root_id: string;
    agency_id: string;
    company_id: string;
  };
  campaign_refusal: {
    campaign_id: string;
    hour: Date;
    reason: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    count: bigint;
    last_at: Date;
  };
  campaign_report: {
    campaign_id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    notify_every: number | null;
    notify_to: Generated<string[]>;
    counted: Generated<bigint>;
    told: Generated<bigint>;
    report_every: 'lead' | 'hour' | 'day' | 'week' | 'month' | null;
    report_to: Generated<string[]>;
    covers_from: Date | null;
    due_at: Date | null;
    updated_at: Date;
    report_type: Generated<'link' | 'details' | 'CSV'>;
  };
  campaign_report_sent: {
    campaign_id: string;
    covers_from: Date;
    covers_to: Date;
    root_id: string;
    agency_id: string;
    company_id: string;
    leads: number;
    recipients: number;
    created_at: Date;
  };
  campaign_target: {
    campaign_id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    location: 'national' | 'state' | 'zip';
    states: Generated<string[]>;
    cities: Generated<string[]>;
    zips: Generated<string[]>;
    keywords: string[];
    description: Generated<string>;
    updated_at: Date;
    titles: Generated<string[]>;
    seniorities: Generated<string[]>;
    departments: Generated<string[]>;
    industries: Generated<string[]>;
    sizes: Generated<number[]>;
    size: Generated<number>;
    themes_version: Generated<number>;
  };
  cap: {
    id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    subject: 'wallet' | 'client' | 'campaign';
    subject_id: string;
    period: 'day' | 'month';
    set_by: 'agency' | 'client';
    hard_micros: bigint | null;
    soft_micros: bigint | null;
    updated_at: Date;
  };
  cap_event: {
    cap_id: string;
    level: 'soft' | 'hard';
    day: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    created_at: Date;
    told_at: Date | null;
  };
  captcha_used: {
    signature: Buffer;
    expires_at: Date;
  };
  charge: {
    id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    purpose: string;
    reference_id: string;
    idempotency_key: string;
    amount_cents: number;
    fee_cents: Generated<number>;
    currency: Generated<'usd'>;
    description: string;
    details: DefaultJson<Columns['charge.details']>;
    provider: 'sandbox' | 'stripe';
    account: string;
    customer: string;
    card: string;
    brand: string;
    last4: string;
    state: 'intended' | 'sent' | 'unknown' | 'succeeded' | 'declined' | 'canceled' | 'refunded' | 'disputed';
    provider_reference: string | null;
    attempts: Generated<number>;
    next_ask_at: Date | null;
    decline_code: string | null;
    decline_message: string | null;
    needs_authentication: Generated<boolean>;
    refunded_cents: Generated<number>;
    user_id: string | null;
    ip: string | null;
    settled_by_hand: string | null;
    created_at: Date;
    sent_at: Date | null;
    settled_at: Date | null;
  };
  client_transfer: {
    id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    to_email: string;
    to_agency_id: string | null;
    state: 'offered' | 'settling' | 'done' | 'declined' | 'withdrawn' | 'expired' | 'canceled';
    keeps_balance: boolean | null;
    client_name: string;
    from_name: string;
    to_name: Generated<string>;
    started_by: 'giving' | 'client';
    giving_at: Date | null;
    giving_user: string | null;
    receiving_at: Date | null;
    receiving_user: string | null;
    client_at: Date | null;
    client_user: string | null;
    problem: Generated<string>;
    started_at: Date;
    expires_at: Date;
    ended_at: Date | null;
    successor_id: string | null;
    moved: Json<Columns['client_transfer.moved'] | null>;
  };
  client_transfer_id: {
    transfer_id: string;
    old_id: string;
    new_id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
  };
  company: {
    id: string;
    root_id: string;
    agency_id: string | null;
    parent_id: string | null;
    kind: 'root' | 'agency' | 'client';
    is_master: Generated<boolean>;
    name: string;
    time_zone: Generated<string>;
    created_at: Date;
    removed_at: Date | null;
    registration_open: Generated<boolean>;
    legal_name: string | null;
    short_name: string | null;
    address: string | null;
    city: string | null;
    zip: string | null;
    state_code: string | null;
    country_code: string | null;
    phone: string | null;
    email: string | null;
    owner_id: string | null;
    owner_name: Generated<string>;
    owner_email: Generated<string>;
    external_id: Generated<string>;
    version: Generated<number>;
    search: GeneratedAlways<string | null>;
    phones_off: Generated<boolean>;
    sheet_editor: Generated<boolean>;
    factor_people: Generated<boolean>;
    factor_owners: Generated<boolean>;
    factor_from: string | null;
    industry: Generated<string>;
    changed_at: Date | null;
    updated_at: GeneratedAlways<Date>;
  };
  company_billing: {
    company_id: string;
    root_id: string;
    agency_id: string;
    package_id: Generated<string>;
    manual_bill: Generated<boolean>;
    payment_status: Generated<'' | 'failed'>;
    access_module: Generated<'' | 'paymentfailed'>;
    campaigns_closed: Generated<boolean>;
    onboarding_on: Generated<boolean>;
    onboarding_micros: Generated<bigint>;
    onboarding_coupon: Generated<boolean>;
    onboarding_charged: Date | null;
    api_mode: Generated<boolean>;
    white_labelling: Generated<boolean>;
    updated_at: Date;
    excluded_minimum_spend: Generated<boolean>;
    excluded_onboarding: Generated<boolean>;
    package_since: Date | null;
    cancelled_at: Date | null;
    api_mode_since: Date | null;
  };
  company_export: {
    id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    company_kind: 'agency' | 'client';
    state: 'queued' | 'making' | 'held' | 'ready' | 'removed';
    asked_by: string;
    created_at: Date;
    finished_at: Date | null;
    expires_at: Date | null;
    file_path: string | null;
    bytes: bigint | null;
    sha256: Buffer | null;
    tables: Json<Columns['company_export.tables'] | null>;
    error: string | null;
  };
  company_group: {
    id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    name: string;
    created_at: Date;
    updated_at: Date;
  };
  company_group_campaign: {
    campaign_id: string;
    company_id: string;
    root_id: string;
    agency_id: string;
    group_id: string;
  };
  company_import: {
    id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    company_kind: 'agency' | 'client';
    name: string;
    sha256: Buffer;
    new_ids: boolean;
    balances: 'open' | 'none' | null;
    state: 'reading' | 'read' | 'done';
    parts_read: Generated<number>;
    manifest: Json<Columns['company_import.manifest']>;
    result: Json<Columns['company_import.result'] | null>;
    created_at: Date;
    finished_at: Date | null;
  };
  company_import_row: {
    import_id: string;
    table_name: string;
    key: string;
    number: bigint;
    root_id: string;
    agency_id: string;
    company_id: string;
    is_document: boolean;
    content: string;
    kept: string | null;
    bytes: Buffer | null;
    part_of: GeneratedAlways<string | null>;
  };
  company_import_run: {
    id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    receiver_id: string | null;
    file_name: string;
    file_path: string | null;
    is_export: boolean;
    bytes: bigint;
    phase: 'try' | 'import';
    state: 'queued' | 'running' | 'held' | 'refused' | 'ready' | 'removed';
    new_ids: Generated<boolean>;
    balances: 'open' | 'none' | null;
    step: string | null;
    step_done: Generated<number>;
    step_of: Generated<number>;
    result: Json<Columns['company_import_run.result'] | null>;
    made_id: string | null;
    error: string | null;
    asked_by: string;
    created_at: Date;
    finished_at: Date | null;
  };
  company_products: {
    company_id: string;
    root_id: string;
    agency_id: string | null;
    modules: string[] | null;
    terms: string[] | null;
    updated_at: Date;
  };
  connected_account: {
    company_id: string;
    root_id: string;
    agency_id: string;
    provider: 'sandbox' | 'stripe';
    reference: Generated<string>;
    status: '' | 'pending' | 'inverification' | 'completed' | 'failed';
    charges_enabled: Generated<boolean>;
    payouts_enabled: Generated<boolean>;
    requirements: DefaultJson<Columns['connected_account.requirements']>;
    updated_at: Date;
  };
  connection: {
    id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    vendor: string;
    name: string;
    account: string;
    credentials_sealed: string | null;
    state: 'connected' | 'broken' | 'paused' | 'removed';
    state_reason: string | null;
    held_until: Date | null;
    checked_at: Date | null;
    created_at: Date;
    updated_at: Date;
    lane: Generated<number>;
    auth: Generated<'key' | 'oauth'>;
    token_ends_at: Date | null;
    ends_at: Date | null;
    renewed_at: Date | null;
    renewing_until: Date | null;
    told_ending: Generated<boolean>;
  };
  connection_queue: {
    root_id: string;
    vendor: string;
    account: string;
    busy_until: Date | null;
    calls: number;
    counted_at: Date;
  };
  connection_sign_in: {
    state_hash: Buffer;
    root_id: string;
    agency_id: string;
    company_id: string;
    session_id: string;
    vendor: string;
    connection_id: string | null;
    name: string | null;
    verifier_sealed: string;
    return_to: string;
    ends_at: Date;
  };
  coupon: {
    id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    code: string;
    percent: string | null;
    amount_micros: bigint | null;
    max_uses: number | null;
    uses: Generated<number>;
    expires_at: Date | null;
    created_at: Date;
    removed_at: Date | null;
  };
  coupon_use: {
    coupon_id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    used_at: Date;
  };
  creative: {
    id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    campaign_id: string | null;
    name: string;
    kind: Generated<'image'>;
    width: number;
    height: number;
    type: 'image/png' | 'image/jpeg';
    bytes: Buffer;
    alt_text: string | null;
    click_url: string | null;
    state: Generated<'active' | 'paused' | 'removed'>;
    external_id: string | null;
    created_at: Date;
    updated_at: Date;
    created_by: string | null;
  };
  credit: {
    id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    giver_id: string;
    lead_id: string | null;
    campaign_id: string | null;
    amount_micros: bigint;
    reason:
      | 'wrong_person'
      | 'duplicate'
      | 'invalid_contact'
      | 'customer'
      | 'excluded'
      | 'outside_target'
      | 'goodwill'
      | 'promotion'
      | 'other';
    note: Generated<string>;
    transfer_id: string;
    user_id: string | null;
    created_at: Date;
  };
  credit_note: {
    id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    issuer_id: string;
    invoice_id: string;
    number: string;
    seq: number;
    amount_micros: bigint;
    reason: string;
    idempotency_key: string;
    transfer_id: string;
    user_id: string | null;
    created_at: Date;
  };
  customer_visit: {
    id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    campaign_id: string;
    list_id: string;
    person_id: string;
    label: string;
    page_url: string | null;
    first_at: Date;
    at: Date;
  };
  data_choice: {
    company_id: string;
    root_id: string;
    agency_id: string | null;
    information: number[];
    providers: string[];
    updated_at: Date;
  };
  data_provider: {
    root_id: string;
    agency_id: string | null;
    company_id: string;
    provider: 'pdl';
    key_sealed: string;
    asked: Generated<bigint>;
    found: Generated<bigint>;
    failed: Generated<bigint>;
    last_error: string | null;
    last_error_at: Date | null;
    updated_at: Date;
  };
  delivery: {
    id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    campaign_id: string;
    integration_id: string;
    lead_id: string | null;
    message_id: string;
    state: 'pending' | 'unknown' | 'delivered' | 'failed' | 'skipped';
    attempts: Generated<number>;
    next_at: Date | null;
    is_test: Generated<boolean>;
    created_at: Date;
    delivered_at: Date | null;
    remote_id: string | null;
    turn: number | null;
    chosen: boolean | null;
    waits_for_hours: Generated<boolean>;
    cause: string | null;
    refuses_email: Generated<boolean>;
  };
  delivery_attempt: {
    delivery_id: string;
    number: number;
    root_id: string;
    agency_id: string;
    company_id: string;
    started_at: Date;
    duration_ms: number;
    status: number | null;
    answer: string | null;
    error: string | null;
  };
  delivery_day: {
    integration_id: string;
    day: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    delivered: Generated<number>;
    failed: Generated<number>;
    took: number[];
  };
  delivery_exchange: {
    delivery_id: string;
    number: number;
    root_id: string;
    agency_id: string;
    company_id: string;
    at: Date;
    exchanges: Json<Columns['delivery_exchange.exchanges']>;
  };
  delivery_turn: {
    campaign_id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    turns: number;
  };
  demo: {
    only_one: Generated<boolean>;
    begun_at: Generated<Date>;
    port: number;
    whole_at: Date | null;
  };
  destination_document: {
    integration_id: string;
    document_id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    url: string;
    recipients: Generated<string[]>;
    created_at: Date;
    ended_at: Date | null;
  };
  developer_attempt: {
    message_id: string;
    number: number;
    root_id: string;
    agency_id: string;
    company_id: string;
    started_at: Date;
    duration_ms: number;
    status: number | null;
    answer: string | null;
    error: string | null;
  };
  developer_grant: {
    key_id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    client_hash: Buffer;
    redirect_uri: string;
    challenge: string;
    code_hash: Buffer;
    code_until: Date;
    refreshed_at: Date | null;
    generation: Generated<number>;
  };
  developer_hook: {
    id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    url: string;
    description: Generated<string>;
    types: string[];
    client_ids: string[] | null;
    state: 'enabled' | 'disabled' | 'removed';
    state_reason: 'person' | 'gone' | 'failing' | null;
    secret_sealed: string;
    previous_sealed: string | null;
    previous_until: Date | null;
    alerted: Generated<number>;
    created_at: Date;
    updated_at: Date;
    version: string;
  };
  developer_key: {
    id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    maker_id: string;
    name: string;
    mode: 'live' | 'test';
    client_id: string;
    secret_hash: Buffer;
    secret_end: string;
    generation: Generated<number>;
    previous_hash: Buffer | null;
    previous_until: Date | null;
    scopes: string[];
    created_at: Date;
    rotated_at: Date | null;
    expires_at: Date | null;
    warned_days: number | null;
    disabled_at: Date | null;
    removed_at: Date | null;
    last_used_at: Date | null;
    last_used_ip: string | null;
    version: string;
    app: string | null;
  };
  developer_message: {
    id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    hook_id: string;
    type: string;
    object_id: string | null;
    message_id: string;
    state: 'pending' | 'delivered' | 'failed';
    attempts: Generated<number>;
    next_at: Date | null;
    is_test: Generated<boolean>;
    event_key: string;
    created_at: Date;
    delivered_at: Date | null;
  };
  developer_request: {
    id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    key_id: string;
    mode: 'live' | 'test';
    method: string;
    route: string;
    path: string;
    status: number;
    duration_ms: number;
    ip: string | null;
    user_agent: string | null;
    idempotency_key: string | null;
    body: string | null;
    problem: string | null;
    at: Date;
  };
  developer_sandbox: {
    company_id: string;
    root_id: string;
    agency_id: string;
    sandbox_root_id: string;
    sandbox_agency_id: string;
    created_at: Date;
  };
  developer_usage: {
    company_id: string;
    day: string;
    root_id: string;
    agency_id: string;
    requests: bigint;
    refused: bigint;
  };
  developer_write: {
    company_id: string;
    key: string;
    root_id: string;
    agency_id: string;
    request_hash: Buffer;
    status: number;
    answer_sealed: string;
    created_at: Date;
    key_id: string;
    scopes: string[];
  };
  digest_choice: {
    user_id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    is_on: boolean;
    changed_at: Date;
  };
  digest_sent: {
    company_id: string;
    week: string;
    user_id: string;
    root_id: string;
    agency_id: string;
    mail_id: string | null;
    created_at: Date;
  };
  do_not_call: {
    root_id: string;
    agency_id: string | null;
    company_id: string;
    phone: string;
    source: string;
    source_file: Buffer | null;
    marked_at: Date;
  };
  domain: {
    host: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    is_primary: Generated<boolean>;
    verified_at: Date | null;
    created_at: Date;
    kind: 'own' | 'subdomain' | 'custom' | 'former';
    reserved_until: Date | null;
  };
  domain_claim: {
    company_id: string;
    host: string;
    root_id: string;
    agency_id: string | null;
    token: string;
    status: Generated<'waiting' | 'verified' | 'failing'>;
    ownership: Generated<'unknown' | 'found' | 'missing' | 'wrong' | 'unanswered'>;
    ownership_found: Generated<string[]>;
    address: Generated<'unknown' | 'found' | 'missing' | 'wrong' | 'unanswered'>;
    address_found: Generated<string[]>;
    checks: Generated<number>;
    created_at: Date;
    checked_at: Date | null;
    next_check_at: Date;
    verified_at: Date | null;
    failing_since: Date | null;
  };
  download_token: {
    token_hash: Buffer;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    user_id: string;
    path: string;
    created_at: Date;
    expires_at: Date;
    used_at: Date | null;
    viewer_id: string | null;
  };
  drop_account: {
    root_id: string;
    agency_id: string | null;
    company_id: string;
    mode: 'simulated' | 'sandbox' | 'live';
    key_sealed: string | null;
    accessed_at: Date | null;
    again_at: Date | null;
    failing_since: Date | null;
    last_error: string | null;
    warned_at: Date | null;
    created_at: Date;
    standing: DefaultJson<Columns['drop_account.standing']>;
  };
  drop_batch: {
    id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    name: string;
    state: 'loading' | 'matching' | 'answering' | 'complete';
    entries: Generated<bigint>;
    removed: Generated<bigint>;
    bad_rows: Generated<bigint>;
    deleted: Generated<bigint>;
    opted_out: Generated<bigint>;
    not_found: Generated<bigint>;
    parts: Generated<number>;
    amended: Generated<number>;
    downloaded_at: Date;
    due_at: Date;
    completed_at: Date | null;
  };
  drop_entry: {
    root_id: string;
    agency_id: string | null;
    company_id: string;
    list: number;
    drop_id: string;
    hash: Buffer;
    batch_id: string;
    status: number | null;
    answered: number | null;
    removed_at: Date | null;
  };
  drop_event: {
    id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    is_fault: boolean;
    words: string;
    at: Date;
  };
  drop_match: {
    root_id: string;
    agency_id: string | null;
    company_id: string;
    list: number;
    drop_id: string;
    person_id: string;
  };
  email_change: {
    id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    user_id: string;
    email: string;
    created_at: Date;
    expires_at: Date;
    used_at: Date | null;
    effective_at: Date | null;
    asked_by: string | null;
  };
  entry: {
    transfer_id: string;
    line: number;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    account_id: string;
    amount: bigint;
    created_at: Date;
    account_code: number;
    lot_id: string | null;
  };
  exclusion: {
    owner_id: string;
    kind: number;
    value: Buffer;
    list_id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    label: string | null;
  };
  exclusion_error: {
    list_id: string;
    line: bigint;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    reason: string;
    value: string | null;
  };
  exclusion_list: {
    id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    owner_id: string;
    level: 'root' | 'agency' | 'client' | 'campaign';
    name: string;
    md5_only: Generated<bigint>;
    sha256_only: Generated<bigint>;
    created_at: Date;
    accepts: Generated<'email' | 'all'>;
    state: Generated<'queued' | 'loading' | 'held' | 'active' | 'failed' | 'removed'>;
    error: string | null;
    file_path: string | null;
    byte_offset: Generated<bigint>;
    line: Generated<bigint>;
    total_rows: Generated<bigint>;
    rows_read: Generated<bigint>;
    rows_added: Generated<bigint>;
    rows_same: Generated<bigint>;
    rows_bad: Generated<bigint>;
    emails: Generated<bigint>;
    phones: Generated<bigint>;
    domains: Generated<bigint>;
    created_by: string | null;
    started_at: Date | null;
    finished_at: Date | null;
    removed_at: Date | null;
    ignore_aliases: Generated<boolean>;
    country: Generated<string>;
    most_entries: bigint | null;
    use: Generated<'exclude' | 'customers'>;
    connection_id: string | null;
    refreshed_at: Date | null;
    refresh_error: string | null;
    is_standing: Generated<boolean>;
    standing_for: Generated<'requests' | 'drop'>;
    phone_hashes: Generated<bigint>;
  };
  held_notice: {
    company_id: string;
    root_id: string;
    agency_id: string;
    told_at: Date;
  };
  held_visit: {
    day: string;
    event_id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    campaign_id: string;
    reason: 'no_view' | 'browser' | 'address' | 'network' | 'burst';
    source: string;
    event: string;
    hash: Buffer | null;
    received_at: Date;
    state: 'held' | 'released' | 'discarded';
    asked_at: Date | null;
    decided_at: Date | null;
    decided_by: string | null;
  };
  identity_key: {
    root_id: string;
    agency_id: string | null;
    company_id: string;
    kind: number;
    value: Buffer;
    person_id: string;
    source: string;
    seen_at: Date;
  };
  import_error: {
    import_id: string;
    line: bigint;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    field: string | null;
    reason: string;
    value: string | null;
    place: Generated<number>;
  };
  import_job: {
    id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    kind: 'people' | 'signals';
    file_name: string;
    file_path: string;
    file_bytes: bigint;
    file_sha256: Buffer | null;
    mapping: DefaultJson<Columns['import_job.mapping']>;
    state: 'mapping' | 'queued' | 'running' | 'held' | 'done' | 'failed' | 'cancelled';
    error: string | null;
    byte_offset: Generated<bigint>;
    line: Generated<bigint>;
    rows_read: Generated<bigint>;
    rows_added: Generated<bigint>;
    rows_changed: Generated<bigint>;
    rows_same: Generated<bigint>;
    rows_bad: Generated<bigint>;
    keys_added: Generated<bigint>;
    created_by: string | null;
    created_at: Date;
    started_at: Date | null;
    finished_at: Date | null;
    country: Generated<string>;
    values_bad: Generated<bigint>;
    left_out: DefaultJson<Columns['import_job.left_out']>;
    ignored: DefaultJson<Columns['import_job.ignored']>;
    phones_marked: Generated<bigint>;
  };
  integration: {
    id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    campaign_id: string;
    kind: string;
    url: string | null;
    secret_sealed: string | null;
    state: 'enabled' | 'disabled' | 'removed';
    state_reason: string | null;
    created_at: Date;
    updated_at: Date;
    connection_id: string | null;
    name: Generated<string>;
    settings: DefaultJson<Columns['integration.settings']>;
    mapping: DefaultJson<Columns['integration.mapping']>;
    payload: DefaultJson<Columns['integration.payload']>;
    header_names: Generated<string[]>;
    headers_sealed: string | null;
    alerted: Generated<number>;
    rules: Json<Columns['integration.rules'] | null>;
    lane: Generated<number>;
  };
  intent_candidate: {
    campaign_id: string;
    person_id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    terms: number[];
    signals: number;
    strength: number;
    last_at: Date;
    retry_at: Date;
    outcome: string | null;
    created_at: Date;
    settled_at: Date | null;
  };
  intent_count: {
    id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    campaign_id: string | null;
    location: 'national' | 'state' | 'zip';
    states: Generated<string[]>;
    cities: Generated<string[]>;
    zips: Generated<string[]>;
    keywords: string[];
    state: 'pending' | 'failed' | 'done';
    error: string | null;
    attempts: Generated<number>;
    people: bigint | null;
    placed: bigint | null;
    waterfall: Json<Columns['intent_count.waterfall'] | null>;
    counted_at: Date | null;
    asked_by: string | null;
    asked_at: Date;
    applied_at: Date | null;
    applied_to: string | null;
    created_at: Date;
    finished_at: Date | null;
    module: Generated<'locator' | 'enhance' | 'b2b'>;
    titles: Generated<string[]>;
    seniorities: Generated<string[]>;
    departments: Generated<string[]>;
    industries: Generated<string[]>;
    sizes: Generated<number[]>;
    rules: Json<Columns['intent_count.rules'] | null>;
  };
  intent_match: {
    campaign_id: string;
    batch_id: bigint;
    root_id: string;
    agency_id: string;
    company_id: string;
    people: string[];
    terms: number[];
    ats: Date[];
    strengths: number[];
    signals: number;
    created_at: Date;
  };
  intent_phrase: {
    root_id: string;
    hash: bigint;
    term_id: number;
    agency_id: string | null;
    company_id: string;
  };
  intent_term: {
    id: GeneratedAlways<number>;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    words: string;
    keyword: string;
  };
  invoice: {
    id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    issuer_id: string;
    side: 'retail' | 'wholesale';
    kind: 'period' | 'to_date' | 'receipt' | 'onboarding' | 'developer' | 'minimum_spend' | 'subscription';
    term: 'Weekly' | 'Monthly' | 'One Time' | 'Prepaid' | null;
    period_key: string;
    period_from: Date | null;
    period_to: Date | null;
    number: string;
    seq: number;
    subtotal_micros: bigint;
    tax_micros: Generated<bigint>;
    tax_name: Generated<string>;
    total_micros: bigint;
    fee_micros: Generated<bigint>;
    issuer: Json<Columns['invoice.issuer']>;
    payer: Json<Columns['invoice.payer']>;
    transfer_id: string;
    finalised_at: Date;
    due_at: Date;
    status: 'open' | 'paid' | 'uncollectible' | 'void';
    paid_micros: Generated<bigint>;
    credited_micros: Generated<bigint>;
    attempts: Generated<number>;
    first_failed_at: Date | null;
    next_attempt_at: Date | null;
    last_failure: string | null;
    paid_at: Date | null;
    closed_at: Date | null;
    fee_released_at: Date | null;
  };
  invoice_line: {
    invoice_id: string;
    line: number;
    root_id: string;
    agency_id: string;
    company_id: string;
    kind:
      | 'leads'
      | 'returns'
      | 'platform_fee'
      | 'monthly_fee'
      | 'onboarding'
      | 'developer_fee'
      | 'minimum_spend'
      | 'coupon'
      | 'top_up'
      | 'wholesale_unpaid'
      | 'adjustment'
      | 'rounding';
    campaign_id: string | null;
    description: string;
    quantity: number;
    unit_micros: bigint;
    amount_micros: bigint;
  };
  invoice_series: {
    issuer_id: string;
    document: 'invoice' | 'credit_note';
    root_id: string;
    agency_id: string | null;
    company_id: string;
    last: number;
  };
  job_run: {
    key: string;
    kind: string;
    payload: Json<Columns['job_run.payload']>;
    root_id: string | null;
    company_id: GeneratedAlways<string | null>;
    worker: string;
    starts: Generated<number>;
    started_at: Generated<Date>;
    alive_at: Generated<Date>;
    set_aside_at: Date | null;
  };
  keyword_allowance: {
    id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    for_company: string;
    theme: number;
    reason: string;
    allowed_by: string;
    created_at: Date;
  };
  lead: {
    id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    campaign_id: string;
    person_id: string | null;
    visit_day: string | null;
    visit_event_id: string | null;
    match_kind: number;
    confidence: number;
    evidence: DefaultJson<Columns['lead.evidence']>;
    price_micros: bigint;
    cost_micros: bigint;
    transfer_id: string | null;
    is_test: Generated<boolean>;
    created_at: Date;
    score: Generated<number>;
    score_details: Json<Columns['lead.score_details'] | null>;
    seen_at: Date | null;
    score_due_at: Date | null;
    company_domain: string | null;
  };
  lead_bill: {
    lead_id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    campaign_id: string;
    transfer_id: string | null;
    price_micros: bigint;
    cost_micros: bigint;
    created_at: Date;
  };
  lead_change: {
    lead_id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    campaign_id: string;
    changed_at: Date;
  };
  lead_contact: {
    lead_id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    campaign_id: string;
    created_at: Date;
    first_name: string | null;
    last_name: string | null;
    email: string | null;
    phone: string | null;
    phone2: string | null;
    address: string | null;
    city: string | null;
    state: string | null;
    zip: string | null;
    company_name: string | null;
    website: string | null;
    job_title: string | null;
    page_url: string | null;
    referrer: string | null;
    ip: string | null;
    search: GeneratedAlways<string | null>;
    phones_withheld: Generated<number>;
    phone_dnc: Generated<boolean>;
    phone2_dnc: Generated<boolean>;
    county: string | null;
  };
  lead_data: {
    lead_id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    campaign_id: string;
    fields: Json<Columns['lead_data.fields']>;
    waits_until: Date | null;
    created_at: Date;
  };
  lead_return: {
    lead_id: string;
    at: Date;
    root_id: string;
    agency_id: string;
    company_id: string;
    campaign_id: string;
  };
  list_look: {
    user_id: string;
    list: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    density: 'comfortable' | 'compact';
    columns: string[] | null;
    updated_at: Date;
  };
  list_view: {
    id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    user_id: string;
    list: string;
    name: string;
    is_shared: boolean;
    params: Json<Columns['list_view.params']>;
    columns: string[] | null;
    created_at: Date;
    updated_at: Date;
  };
  log_seal: {
    root_id: string;
    seq: bigint;
    agency_id: string | null;
    company_id: string;
    first_position: bigint;
    last_position: bigint;
    log_ids: string[];
    row_hashes: Buffer[];
    drained: boolean;
    previous_hash: Buffer;
    hash: Buffer;
    mac: Buffer;
    key_id: string;
    sealed_at: Date;
  };
  log_unsealed: {
    root_id: string;
    log_id: string;
    agency_id: string | null;
    company_id: string;
  };
  login_challenge: {
    id: string;
    token_hash: Buffer;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    user_id: string;
    tenant_id: string;
    kind: 'email' | 'google' | 'passkey';
    code_mac: Buffer | null;
    attempts: Generated<number>;
    sent: Generated<number>;
    sent_at: Date;
    created_at: Date;
    expires_at: Date;
    used_at: Date | null;
  };
  mail: {
    id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    kind: string;
    to_address: string;
    to_name: string;
    from_address: string;
    from_name: string;
    subject: string;
    body_sealed: string | null;
    state: Generated<'queued' | 'sent' | 'kept' | 'failed'>;
    attempts: Generated<number>;
    last_error: string | null;
    created_at: Date;
    sent_at: Date | null;
    sender_host: string | null;
  };
  mail_refusal: {
    root_id: string;
    agency_id: string;
    company_id: string;
    address: string;
    refused_at: Date;
  };
  margin_rule: {
    company_id: string;
    root_id: string;
    agency_id: string;
    rule: 'hold' | 'raise' | 'sell';
    updated_at: Date;
  };
  migration: {
    name: string;
    hash: string;
    applied_at: Generated<Date>;
    is_contract: Generated<boolean>;
  };
  minspend_amount: {
    serial: GeneratedAlways<bigint>;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    plan_id: string;
    valid_from: Date;
    months: bigint[];
    flat: bigint;
  };
  minspend_choice: {
    serial: GeneratedAlways<bigint>;
    root_id: string;
    agency_id: string;
    company_id: string;
    plan_id: string | null;
    valid_from: Date;
  };
  minspend_close: {
    root_id: string;
    agency_id: string | null;
    company_id: string;
    next_month: string;
  };
  minspend_month: {
    root_id: string;
    agency_id: string;
    company_id: string;
    month: string;
    life: number;
    plan_name: string;
    asked_micros: bigint;
    spent_micros: bigint;
    shortfall_micros: bigint;
    outcome: 'met' | 'excluded' | 'charged';
    transfer_id: string | null;
    decided_at: Date;
  };
  minspend_offer: {
    id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    name: string;
    months: bigint[];
    flat: bigint;
    announced_at: Date;
    reminded_at: Date | null;
    accepted_at: Date | null;
    accepted_by: string | null;
    withdrawn_at: Date | null;
  };
  minspend_plan: {
    id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    name: string;
    is_default: Generated<boolean>;
    version: Generated<number>;
    created_at: Date;
    removed_at: Date | null;
  };
  module_label: {
    company_id: string;
    module: 'local' | 'locator' | 'enhance' | 'b2b' | 'simplifi';
    root_id: string;
    agency_id: string | null;
    name: string;
    slug: string;
  };
  offboarding: {
    company_id: string;
    root_id: string;
    agency_id: string;
    state: 'running' | 'done' | 'canceled';
    keeps_balance: boolean;
    delete_on: string;
    export_at: Date | null;
    was_closed: boolean;
    problem: Generated<string>;
    started_by: string;
    started_at: Date;
    acts_as: string;
    ended_at: Date | null;
  };
  package_choice: {
    serial: GeneratedAlways<bigint>;
    root_id: string;
    agency_id: string;
    company_id: string;
    package_id: string;
    chosen_at: Date;
  };
  passkey: {
    id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    user_id: string;
    host: string;
    credential_id: string;
    public_key: Buffer;
    counter: bigint;
    transports: string[];
    is_synced: boolean;
    name: string;
    created_at: Date;
    last_used_at: Date | null;
  };
  passkey_answer: {
    challenge: string;
    expires_at: Date;
  };
  password_reset: {
    id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    user_id: string | null;
    tenant_id: string;
    origin: string;
    created_at: Date;
    expires_at: Date;
    used_at: Date | null;
  };
  payment_card: {
    id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    provider: 'sandbox' | 'stripe';
    reference: Generated<string>;
    brand: string;
    last4: string;
    exp_month: number;
    exp_year: number;
    created_at: Date;
    removed_at: Date | null;
    account: Generated<string>;
    customer: Generated<string>;
    fingerprint: Generated<string>;
  };
  payment_customer: {
    company_id: string;
    provider: 'sandbox' | 'stripe';
    account: string;
    root_id: string;
    agency_id: string;
    reference: string;
    created_at: Date;
  };
  payment_dispute: {
    id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    charge_id: string;
    amount_cents: number;
    reason: string;
    state: 'open' | 'won' | 'lost';
    is_booked: boolean;
    opened_at: Date;
    closed_at: Date | null;
  };
  payment_mismatch: {
    id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    charge_id: string | null;
    provider_reference: string;
    kind: 'not_here' | 'not_there' | 'amount' | 'state' | 'refund';
    ours: string;
    theirs: string;
    found_at: Date;
    seen_at: Date;
    resolved_at: Date | null;
    resolution: string | null;
  };
  payment_notice: {
    id: string;
    kind: string;
    content: Json<Columns['payment_notice.content']>;
    received_at: Date;
    handled_at: Date | null;
    tries: Generated<number>;
    outcome: string | null;
  };
  person: {
    id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    ref: Buffer;
    first_name: string | null;
    last_name: string | null;
    email: string | null;
    phone: string | null;
    phone2: string | null;
    address: string | null;
    city: string | null;
    county: string | null;
    state: string | null;
    zip: string | null;
    company_name: string | null;
    website: string | null;
    job_title: string | null;
    keys: Buffer[];
    source: string;
    source_file: Buffer | null;
    source_at: bigint | null;
    created_at: Date;
    updated_at: Date;
  };
  person_merge: {
    id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    person_id: string;
    into_id: string;
    top_id: string;
    merged_by: string | null;
    merged_at: Date;
    undone_by: string | null;
    undone_at: Date | null;
  };
  person_profile: {
    root_id: string;
    agency_id: string | null;
    company_id: string;
    person_id: string;
    age_range: string | null;
    gender: string | null;
    marital_status: string | null;
    children: string | null;
    home_owner: string | null;
    income_range: string | null;
    net_worth_range: string | null;
    credit_range: string | null;
    occupation: string | null;
    veteran: string | null;
    headline: string | null;
    seniority: string | null;
    department: string | null;
    company_domain: string | null;
    industry: string | null;
    company_size: string | null;
    company_revenue: string | null;
    company_phone: string | null;
    business_email: string | null;
    linkedin: string | null;
    naics: string | null;
    sic: string | null;
    employees: number | null;
    source_file: Buffer | null;
    source_at: bigint | null;
    updated_at: Date;
  };
  phone_scrub: {
    root_id: string;
    agency_id: string | null;
    company_id: string;
    phone: string;
    source: string;
    scrubbed_at: Date;
  };
  picture: {
    id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    purpose: 'logo' | 'favicon' | 'profile';
    type: 'image/png' | 'image/jpeg';
    width: number;
    height: number;
    bytes: Buffer;
    created_at: Date;
  };
  pixel_report: {
    campaign_id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    checked_at: Date;
    cause: Columns['pixel_report.cause'];
    tone: 'good' | 'warn' | 'bad';
    way: 'opened' | 'read';
    why_read: Columns['pixel_report.why_read'] | null;
    message: string;
    fixes: Json<Columns['pixel_report.fixes']>;
  };
  prepaid_attempt: {
    id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    campaign_id: string;
    leads: number;
    amount_micros: bigint;
    state: 'charging' | 'succeeded' | 'declined' | 'refused';
    reason: Generated<string>;
    created_at: Date;
    ended_at: Date | null;
  };
  prepaid_auto: {
    campaign_id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    state: 'idle' | 'armed' | 'due' | 'charging' | 'waiting' | 'stopped';
    declines: Generated<number>;
    is_failing: Generated<boolean>;
    retry_at: Date | null;
    reason: Generated<string>;
    updated_at: Date;
  };
  prepaid_order: {
    id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    campaign_id: string;
    idempotency_key: string;
    charge_key: string;
    term: 'One Time' | 'Prepaid';
    leads: number;
    price_micros: bigint;
    amount_micros: bigint;
    created_at: Date;
  };
  prepaid_refund: {
    id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    campaign_id: string;
    idempotency_key: string;
    amount_micros: bigint;
    parts: Json<Columns['prepaid_refund.parts']>;
    created_at: Date;
  };
  privacy_certificate: {
    request_id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    sha256: string;
    bytes: Buffer;
    made_at: Date;
  };
  privacy_event: {
    id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    request_id: string;
    kind: 'received' | 'proven' | 'acknowledged' | 'duplicate' | 'extended' | 'completed' | 'refused';
    words: string;
    by_user: string | null;
    at: Date;
  };
  privacy_request: {
    id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    kind: 'opt_out' | 'access' | 'delete' | 'correct';
    asked_by: 'self' | 'agent';
    agent_name: Generated<string>;
    name: string;
    email: string;
    phone: string | null;
    address: Generated<string>;
    state_code: Generated<string>;
    details: Generated<string>;
    state: 'unproven' | 'open' | 'completed' | 'refused';
    code_mac: Buffer;
    duplicate_of: string | null;
    received_at: Date;
    proven_at: Date | null;
    due_at: Date;
    extended_at: Date | null;
    extension_reason: string | null;
    decided_at: Date | null;
    decided_by: string | null;
    refusal: 'household' | 'not_verified' | 'agent_unproven' | 'exempt' | 'other' | null;
    answer: Generated<string>;
    result: Json<Columns['privacy_request.result'] | null>;
    came_by: Generated<'web' | 'email' | 'mail' | 'phone' | 'in_person'>;
    proof: Generated<string>;
    entered_by: string | null;
    acknowledged_at: Date | null;
  };
  privacy_warning: {
    request_id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    kind: 'acknowledge' | 'answer';
    due_at: Date;
    is_late: boolean;
    told_at: Date;
  };
  questionnaire: {
    user_id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    industry_id: string;
    franchise: boolean;
    franchise_director: boolean;
    office_manager: boolean;
    answers: Json<Columns['questionnaire.answers']>;
    saved_at: Date;
  };
  receipt_due: {
    serial: GeneratedAlways<bigint>;
    root_id: string;
    agency_id: string;
    company_id: string;
    top_up_id: string;
    transfer_id: string;
    campaign_id: string | null;
    term: Columns['receipt_due.term'];
    description: string;
    amount_micros: bigint;
    created_at: Date;
  };
  recovery_code: {
    user_id: string;
    code_mac: Buffer;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    created_at: Date;
    used_at: Date | null;
  };
  referral_code: {
    root_id: string;
    code: string;
    agency_id: string | null;
    company_id: string;
    user_id: string;
    created_at: Date;
  };
  refund: {
    id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    charge_id: string;
    amount_cents: number;
    idempotency_key: string;
    reason: string;
    state: 'intended' | 'unknown' | 'pending' | 'succeeded' | 'failed';
    provider_reference: string | null;
    failure: string | null;
    next_ask_at: Date | null;
    created_at: Date;
    sent_at: Date | null;
    settled_at: Date | null;
  };
  report_schedule: {
    id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    report: 'revenue' | 'month' | 'product' | 'term' | 'agency' | 'client' | 'campaign';
    period: 'week' | 'month' | 'quarter' | 'year';
    compare: 'previous' | 'year';
    every: 'week' | 'month';
    user_ids: string[];
    is_paused: Generated<boolean>;
    next_at: Date;
    last_at: Date | null;
    last_sent: number | null;
    created_by: string;
    created_at: Date;
  };
  retail_cost: {
    serial: GeneratedAlways<bigint>;
    root_id: string;
    agency_id: string;
    company_id: string;
    campaign_id: string | null;
    module: 'local' | 'locator' | 'enhance' | 'b2b' | 'simplifi';
    term: 'Weekly' | 'Monthly' | 'One Time' | 'Prepaid';
    valid_from: Date;
    recorded_at: Date;
    lead_micros: bigint;
    lead_advanced_micros: Generated<bigint>;
    lead_b2b_micros: Generated<bigint>;
    lead_max_micros: Generated<bigint>;
    month_micros: Generated<bigint>;
    setup_micros: Generated<bigint>;
    topup: Generated<'onetime' | 'continual'>;
    leads_buy: number | null;
    daily_cap: number | null;
    starts_on: string | null;
    ends_on: string | null;
    accepted_loss_micros: Generated<bigint>;
    limit_every: Generated<'day' | 'week' | 'month'>;
    lead_company_micros: Generated<bigint>;
  };
  retention: {
    kind: string;
    days: number | null;
    started_at: Date | null;
    finished_at: Date | null;
    removed: Generated<bigint>;
  };
  return_request: {
    id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    campaign_id: string;
    lead_id: string;
    reason:
      | 'wrong_person'
      | 'invalid_contact'
      | 'duplicate'
      | 'customer'
      | 'excluded'
      | 'outside_target'
      | 'other';
    note: Generated<string>;
    state: 'open' | 'approved' | 'declined';
    proofs: Json<Columns['return_request.proofs']>;
    is_proven: boolean;
    answer: Generated<string>;
    is_automatic: Generated<boolean>;
    credit_id: string | null;
    opened_by: string;
    decided_by: string | null;
    created_at: Date;
    decided_at: Date | null;
  };
  role: {
    id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    name: string;
    created_at: Date;
    updated_at: Date;
    removed_at: Date | null;
  };
  role_module: {
    role_id: string;
    module: 'Ads Design' | 'Campaign' | 'LeadsPeek' | 'Settings';
    root_id: string;
    agency_id: string | null;
    company_id: string;
    may_see: boolean;
    may_create: boolean;
    may_update: boolean;
    may_delete: boolean;
  };
  sale_day: {
    company_id: string;
    day: string;
    campaign_id: string;
    term: string;
    root_id: string;
    agency_id: string | null;
    leads: Generated<number>;
    price_micros: Generated<bigint>;
    cost_micros: Generated<bigint>;
    supplier_micros: Generated<bigint>;
  };
  sale_day_mark: {
    root_id: string;
    day: string;
  };
  sales_account: {
    user_id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    provider: 'sandbox' | 'stripe';
    reference: Generated<string>;
    status: '' | 'pending' | 'inverification' | 'completed' | 'failed';
    updated_at: Date;
    charges_enabled: Generated<boolean>;
    payouts_enabled: Generated<boolean>;
    requirements: DefaultJson<Columns['sales_account.requirements']>;
  };
  sales_assignment: {
    company_id: string;
    role: 'representative' | 'account_executive' | 'referrer';
    root_id: string;
    agency_id: string;
    user_id: string;
    assigned_at: Date;
  };
  sandbox_network: {
    kind: string;
    id: string;
    owner: string;
    due_at: string | null;
    body: Json<Columns['sandbox_network.body']>;
    seq: GeneratedAlways<bigint>;
  };
  security_notice: {
    log_id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    user_id: string;
    created_at: Date;
    told_at: Date | null;
  };
  session: {
    id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    user_id: string;
    generation: Generated<number>;
    rotated_at: Date;
    created_at: Date;
    expires_at: Date;
    revoked_at: Date | null;
    revoked_why:
      | 'logout'
      | 'reuse'
      | 'disabled'
      | 'ended'
      | 'password'
      | 'factor'
      | 'reverted'
      | 'lapsed'
      | null;
    host: string;
    ip: string | null;
    user_agent: string | null;
    last_ip: string | null;
    viewer_session_id: string | null;
    viewer_id: string | null;
    view_reason: string | null;
    confirmed_at: Date | null;
    needs_factor: Generated<boolean>;
  };
  setting: {
    company_id: string;
    name: string;
    root_id: string;
    agency_id: string | null;
    value: Json<Columns['setting.value'] | null>;
    version: number;
    updated_at: Date;
  };
  setup_link: {
    token_hash: Buffer;
    created_at: Date;
    expires_at: Date;
    used_at: Date | null;
  };
  sign_up: {
    id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    kind: 'agency' | 'client';
    email: string;
    name: string;
    company_name: string;
    phone: string | null;
    password_hash: string | null;
    referral_code: string | null;
    referred_by: string | null;
    made_company: string | null;
    created_at: Date;
    expires_at: Date;
    used_at: Date | null;
  };
  signal: {
    root_id: string;
    agency_id: string | null;
    company_id: string;
    term_id: number;
    person_id: string;
    at: Date;
    state: number | null;
    zip: number | null;
    city: bigint | null;
    strength: number;
    key_kind: number;
    batch_id: bigint;
    url: string | null;
    shared_key: Buffer | null;
  };
  signal_batch: {
    id: GeneratedAlways<bigint>;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    import_id: string;
    signals: number;
    created_at: Date;
    matched_at: Date | null;
  };
  signed_paper: {
    id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    party_id: string;
    title: string;
    unsigned: string;
    fingerprint: string;
    sha256: string | null;
    signed_at: Date;
  };
  signing_key: {
    kid: string;
    purpose: 'access' | 'body';
    public_jwk: Json<Columns['signing_key.public_jwk']>;
    private_sealed: string;
    created_at: Date;
    retired_at: Date | null;
  };
  signup: {
    campaign_id: string;
    hash: Buffer;
    address: string | null;
    visitor_id: string | null;
    network: string | null;
    root_id: string;
    agency_id: string;
    company_id: string;
    held: boolean;
    at: Date;
  };
  signup_hour: {
    campaign_id: string;
    hour: Date;
    root_id: string;
    agency_id: string;
    company_id: string;
    count: bigint;
  };
  silence_choice: {
    user_id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    is_on: boolean;
    changed_at: Date;
  };
  silence_told: {
    campaign_id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    silent_since: Date;
    told_at: Date;
  };
  spend_day: {
    subject: 'wallet' | 'client' | 'campaign';
    subject_id: string;
    day: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    micros: bigint;
  };
  sso_token: {
    token_hash: Buffer;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    user_id: string;
    tenant_id: string;
    created_at: Date;
    expires_at: Date;
    used_at: Date | null;
  };
  supplier_cost: {
    root_id: string;
    module: string;
    valid_from: Date;
    agency_id: string | null;
    company_id: string;
    cost_micros: bigint;
    serial: GeneratedAlways<bigint>;
    recorded_at: Date | null;
  };
  tax_profile: {
    company_id: string;
    root_id: string;
    agency_id: string | null;
    tax_id: Generated<string>;
    is_exempt: Generated<boolean>;
    exempt_reason: Generated<string>;
    rate_name: Generated<string>;
    rate_ppm: number | null;
    updated_at: Date;
  };
  tax_quote: {
    id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    issuer_id: string;
    question: string;
    account: Generated<string>;
    amount_micros: bigint;
    calculation: string | null;
    name: Generated<string>;
    tax_micros: Generated<bigint>;
    failure: string | null;
    asked_at: Date;
    document_id: string | null;
    transaction_id: string | null;
  };
  tax_rate: {
    id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    country_code: string;
    state_code: Generated<string>;
    name: string;
    rate_ppm: number;
    updated_at: Date;
  };
  tax_reversal: {
    credit_note_id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    quote_id: string;
    amount_micros: bigint;
    created_at: Date;
    transaction_id: string | null;
  };
  tax_setting: {
    root_id: string;
    agency_id: string | null;
    company_id: string;
    calculator: 'table' | 'stripe';
    updated_at: Date;
  };
  template: {
    id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    kind: 'campaign' | 'branding';
    module: 'local' | 'locator' | 'enhance' | 'b2b' | null;
    name: string;
    versions: Generated<number>;
    created_by: string;
    created_at: Date;
    updated_at: Date;
    removed_at: Date | null;
  };
  template_push: {
    id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    template_id: string;
    version: number;
    state: 'running' | 'paused' | 'done' | 'stopped' | 'undoing' | 'undone';
    stage: Generated<number>;
    stages: number;
    overwrites: boolean;
    created_by: string;
    created_at: Date;
    acts_as: string;
    ended_at: Date | null;
    undone_at: Date | null;
  };
  template_target: {
    push_id: string;
    position: number;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    template_id: string;
    target_id: string;
    target_name: string;
    stage: number;
    state: Generated<'waiting' | 'pushed' | 'unchanged' | 'refused' | 'restored' | 'partly' | 'left'>;
    changes: DefaultJson<Columns['template_target.changes']>;
    kept: DefaultJson<Columns['template_target.kept']>;
    applied: DefaultJson<Columns['template_target.applied']>;
    undone: DefaultJson<Columns['template_target.undone']>;
    reason: Generated<string>;
    done_at: Date | null;
  };
  template_version: {
    template_id: string;
    number: number;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    fields: Json<Columns['template_version.fields']>;
    source: string;
    note: Generated<string>;
    created_by: string;
    created_at: Date;
  };
  transfer: {
    id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    kind:
      | 'lead'
      | 'lead_return'
      | 'ad_spend'
      | 'top_up'
      | 'prepaid_top_up'
      | 'prepaid_refund'
      | 'prepaid_move'
      | 'wallet_top_up'
      | 'wallet_grant'
      | 'wallet_charge'
      | 'wallet_expiry'
      | 'wallet_refund'
      | 'client_grant'
      | 'invoice'
      | 'credit_note'
      | 'payment'
      | 'refund'
      | 'dispute'
      | 'dispute_reversal'
      | 'platform_fee'
      | 'monthly_fee'
      | 'minimum_spend'
      | 'onboarding'
      | 'developer_fee'
      | 'coupon'
      | 'supplier_cost'
      | 'provider_fee'
      | 'write_off'
      | 'adjustment';
    reference_id: string | null;
    idempotency_key: string;
    created_at: Date;
    campaign_id: string | null;
    memo: string | null;
  };
  transfer_cover: {
    transfer_id: string;
    side: 'retail' | 'wholesale';
    covered_by: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    line: number | null;
  };
  trusted_address: {
    id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    campaign_id: string | null;
    network: string;
    note: string;
    created_at: Date;
    created_by: string;
    trusted_at: Date | null;
    trusted_by: string | null;
  };
  user_account: {
    id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    role: 'owner' | 'administrator' | 'sales';
    is_account_executive: Generated<boolean>;
    email: string;
    name: string;
    password_hash: string | null;
    created_at: Date;
    disabled_at: Date | null;
    phone: Generated<string>;
    phone_country: Generated<string>;
    phone_calling: Generated<string>;
    address: Generated<string>;
    city: Generated<string>;
    zip: Generated<string>;
    state_code: Generated<string>;
    country_code: Generated<string>;
    picture: string | null;
    role_id: string | null;
    permission_active: Generated<boolean>;
    permissions: DefaultJson<Columns['user_account.permissions']>;
    profile_done: Generated<boolean>;
    is_default_admin: Generated<boolean>;
    customer_care: Generated<boolean>;
    gets_notices: Generated<boolean>;
    mail_off: Generated<boolean>;
    campaigns_closed: Generated<boolean>;
    version: Generated<number>;
  };
  user_factor: {
    user_id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    kind: 'email' | 'google' | null;
    secret_sealed: string | null;
    generation: Generated<number>;
    last_step: Generated<bigint>;
    updated_at: Date;
    address: string | null;
  };
  user_log: {
    id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    actor_id: string | null;
    viewed_as_id: string | null;
    action: string;
    object_kind: string | null;
    object_id: string | null;
    request_id: string | null;
    detail_hash: Buffer;
    created_at: Date;
    category: GeneratedAlways<string>;
  };
  user_log_detail: {
    log_id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    name: string | null;
    type_user: string | null;
    user_ip: string | null;
    location: string | null;
    description: string | null;
    company_name: string | null;
    grade_kind: GeneratedAlways<string | null>;
  };
  view_export: {
    view_id: string;
    user_id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    every: 'day' | 'week' | 'month';
    form: 'CSV' | 'link';
    next_at: Date;
    sent_at: Date | null;
  };
  visit: {
    day: string;
    event_id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    campaign_id: string;
    received_at: Date;
    visitor_id: string | null;
    hash_kind: number | null;
    hash: Buffer | null;
    ip: string | null;
    url: string | null;
    referrer: string | null;
    title: string | null;
    user_agent: string | null;
    event: Generated<string>;
    gpc: Generated<boolean>;
    resolved_at: Date | null;
    outcome: string | null;
    person_id: string | null;
  };
  visit_spool: {
    place: string;
    records: bigint;
    bytes: bigint;
    oldest_at: Date | null;
    damaged: number;
    reported_at: Date;
  };
  wallet_attempt: {
    id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    amount_micros: bigint;
    state: 'charging' | 'succeeded' | 'declined' | 'refused';
    reason: Generated<string>;
    created_at: Date;
    ended_at: Date | null;
  };
  wallet_lot: {
    id: string;
    root_id: string;
    agency_id: string;
    company_id: string;
    account_id: string;
    is_granted: Generated<boolean>;
    amount: bigint;
    remaining: Generated<bigint>;
    expires_at: Date;
    noticed: number | null;
    created_at: Date;
    is_open: GeneratedAlways<boolean>;
  };
  wallet_setting: {
    company_id: string;
    root_id: string;
    agency_id: string;
    amount_micros: Generated<bigint>;
    custom: Generated<boolean>;
    continual: Generated<boolean>;
    day_ceiling: bigint | null;
    month_ceiling: bigint | null;
    state: Generated<'idle' | 'armed' | 'due' | 'charging' | 'waiting' | 'stopped'>;
    declines: Generated<number>;
    retry_at: Date | null;
    reason: Generated<string>;
    updated_at: Date;
    told: Generated<'' | 'low' | 'empty'>;
  };
  wholesale_cost: {
    serial: GeneratedAlways<bigint>;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    module: 'local' | 'locator' | 'enhance' | 'b2b' | 'simplifi';
    term: 'Weekly' | 'Monthly' | 'One Time' | 'Prepaid';
    valid_from: Date;
    recorded_at: Date;
    setup_micros: bigint;
    month_micros: bigint;
    lead_micros: bigint;
    lead_advanced_micros: bigint;
    lead_company_micros: Generated<bigint>;
  };
}

import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { ProfileKey } from '../../../contract/audience/enrichment-fields.ts';
import type { CampaignRules } from '../../../contract/campaigns/campaign-rules.ts';
import type { DeliveryState } from '../../../contract/campaigns/destinations.ts';
import type { Payload } from '../../../contract/campaigns/payloads.ts';
import type { Rules } from '../../../contract/campaigns/rules.ts';
import type { CreditReason } from '../../../contract/money/credits.ts';
import type { Owner } from './owner.ts';

type At = ColumnType<Date, Date, Date>;
type MaybeAt = ColumnType<Date | null, Date | null | undefined, Date | null>;
type Json<T> = ColumnType<T, string, string>;
type MaybeJson<T> = ColumnType<T | null, string | null | undefined, string | null>;
/** For a column with a default. */
type DefaultJson<T> = ColumnType<T, string | undefined, string>;
type Default<T> = ColumnType<T, T | undefined, T>;
type Maybe<T> = ColumnType<T | null, T | null | undefined, T | null>;
interface ClientOwner extends Owner {
  agency_id: string;
}

/** The result of checking a DNS record. */
export type RecordStatus = 'unknown' | 'found' | 'missing' | 'wrong' | 'unanswered';

/** A permission granted to one person (report_analytics), stored in their row. */
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

/** The target audience of a B2B ID campaign (migration 0075). */
interface Audience {
  titles: Default<string[]>;
  seniorities: Default<string[]>;
  departments: Default<string[]>;
  industries: Default<string[]>;
  sizes: Default<number[]>;
}

/** Column types of every table (bigint columns are JS bigints, dates 'YYYY-MM-DD', timestamps Date). */
export interface Schema {
  migration: { name: string; hash: string; applied_at: Generated<Date> };
  company: {
    id: string;
    root_id: string;
    agency_id: Maybe<string>;
    parent_id: Maybe<string>;
    kind: 'root' | 'agency' | 'client';
    is_master: Default<boolean>;
    name: string;
    time_zone: Default<string>;
    factor_people: Default<boolean>;
    factor_owners: Default<boolean>;
    factor_from: Maybe<string>;
    registration_open: Default<boolean>;
    legal_name: Maybe<string>;
    short_name: Maybe<string>;
    address: Maybe<string>;
    city: Maybe<string>;
    zip: Maybe<string>;
    state_code: Maybe<string>;
    country_code: Maybe<string>;
    phone: Maybe<string>;
    email: Maybe<string>;
    /** The owner of the list, maintained by a trigger on user_account (migration 0057); '' for none. */
    owner_id: Maybe<string>;
    owner_name: Default<string>;
    owner_email: Default<string>;
    /**
     * For a client: its leads are shown without phone numbers; its spreadsheets may be edited by those who receive
     * them.
     */
    phones_off: Default<boolean>;
    sheet_editor: Default<boolean>;
    /** The company's id in another system; '' for none. */
    external_id: Default<string>;
    /** The trade that a client is in; '' for none. */
    industry: Default<string>;
    version: Default<number>;
    created_at: At;
    removed_at: MaybeAt;
  };
  domain: Owner & {
    host: string;
    /** 'former': a subdomain that its agency gave up, and no one else may take yet. */
    kind: 'own' | 'subdomain' | 'custom' | 'former';
    is_primary: Default<boolean>;
    /** Null for a former subdomain: only verified hosts are served. */
    verified_at: MaybeAt;
    reserved_until: Default<Date | null>;
    created_at: At;
  };
  domain_claim: Owner & {
    host: string;
    token: string;
    status: Default<'waiting' | 'verified' | 'failing'>;
    ownership: Default<RecordStatus>;
    ownership_found: Default<string[]>;
    address: Default<RecordStatus>;
    address_found: Default<string[]>;
    checks: Default<number>;
    created_at: At;
    checked_at: MaybeAt;
    next_check_at: At;
    verified_at: MaybeAt;
    failing_since: MaybeAt;
  };
  picture: Owner & {
    id: string;
    purpose: 'logo' | 'favicon' | 'profile';
    type: 'image/png' | 'image/jpeg';
    width: number;
    height: number;
    bytes: Buffer;
    created_at: At;
  };
  setting: Owner & {
    name: string;
    value: ColumnType<Record<string, unknown> | null, string | null, string | null>;
    version: number;
    updated_at: At;
  };
  brand: Owner & {
    name: string;
    tagline: Maybe<string>;
    box_bgcolor: Maybe<string>;
    text_color: Maybe<string>;
    link_color: Maybe<string>;
    template_bgcolor: Maybe<string>;
    sidebar_bgcolor: Maybe<string>;
    font_theme: Maybe<string>;
    logo_id: Maybe<string>;
    favicon_id: Maybe<string>;
    updated_at: At;
  };
  module_label: Owner & { module: string; name: string; slug: string };
  company_products: Owner & { modules: Maybe<string[]>; terms: Maybe<string[]>; updated_at: At };
  beta_feature: Owner & { feature: number; is_beta: boolean; for_all: boolean; updated_at: At };
  beta_user: ClientOwner & { created_at: At };
  payment_card: Owner & {
    id: string;
    provider: 'sandbox' | 'stripe';
    reference: Default<string>;
    brand: string;
    last4: string;
    exp_month: number;
    exp_year: number;
    /** The connected account that holds it; '' for the root's own account with the provider. */
    account: Default<string>;
    customer: Default<string>;
    fingerprint: Default<string>;
    created_at: At;
    removed_at: MaybeAt;
  };
  payment_customer: ClientOwner & {
    provider: 'sandbox' | 'stripe';
    account: string;
    reference: string;
    created_at: At;
  };
  charge: ClientOwner & {
    id: string;
    purpose: string;
    reference_id: string;
    idempotency_key: string;
    amount_cents: number;
    fee_cents: Default<number>;
    currency: Default<string>;
    description: string;
    details: ColumnType<Record<string, string>, string, never>;
    provider: 'sandbox' | 'stripe';
    account: string;
    customer: string;
    card: string;
    brand: string;
    last4: string;
    state: 'intended' | 'sent' | 'unknown' | 'succeeded' | 'declined' | 'canceled' | 'refunded' | 'disputed';
    provider_reference: Maybe<string>;
    attempts: Default<number>;
    next_ask_at: MaybeAt;
    decline_code: Maybe<string>;
    decline_message: Maybe<string>;
    needs_authentication: Default<boolean>;
    refunded_cents: Default<number>;
    user_id: Maybe<string>;
    ip: Maybe<string>;
    settled_by_hand: Maybe<string>;
    created_at: At;
    sent_at: MaybeAt;
    settled_at: MaybeAt;
  };
  refund: ClientOwner & {
    id: string;
    charge_id: string;
    amount_cents: number;
    idempotency_key: string;
    reason: string;
    state: 'intended' | 'unknown' | 'pending' | 'succeeded' | 'failed';
    provider_reference: Maybe<string>;
    failure: Maybe<string>;
    next_ask_at: MaybeAt;
    created_at: At;
    sent_at: MaybeAt;
    settled_at: MaybeAt;
  };
  payment_dispute: ClientOwner & {
    id: string;
    charge_id: string;
    amount_cents: number;
    reason: string;
    state: 'open' | 'won' | 'lost';
    is_booked: boolean;
    opened_at: At;
    closed_at: MaybeAt;
  };
  payment_mismatch: ClientOwner & {
    id: string;
    charge_id: Maybe<string>;
    provider_reference: string;
    kind: 'not_here' | 'not_there' | 'amount' | 'state' | 'refund';
    ours: string;
    theirs: string;
    found_at: At;
    seen_at: At;
    resolved_at: MaybeAt;
    resolution: Maybe<string>;
  };
  payment_notice: {
    id: string;
    kind: string;
    content: Json<Record<string, unknown>>;
    received_at: At;
    handled_at: MaybeAt;
    tries: Default<number>;
    outcome: Maybe<string>;
  };
  sandbox_network: {
    kind: string;
    id: string;
    owner: string;
    due_at: Maybe<string>;
    body: Json<object>;
    seq: Generated<bigint>;
  };
  connected_account: ClientOwner & {
    provider: 'sandbox' | 'stripe';
    reference: Default<string>;
    status: '' | 'pending' | 'inverification' | 'completed' | 'failed';
    charges_enabled: Default<boolean>;
    payouts_enabled: Default<boolean>;
    requirements: ColumnType<string[], string | undefined, string>;
    updated_at: At;
  };
  sales_account: Owner & {
    user_id: string;
    provider: 'sandbox' | 'stripe';
    reference: Default<string>;
    status: '' | 'pending' | 'inverification' | 'completed' | 'failed';
    charges_enabled: Default<boolean>;
    payouts_enabled: Default<boolean>;
    requirements: ColumnType<string[], string | undefined, string>;
    updated_at: At;
  };
  account_change: Owner & {
    id: string;
    user_id: Maybe<string>;
    reference: string;
    asked_by: string;
    created_at: At;
    effective_at: At;
    ended_at: MaybeAt;
    outcome: Maybe<'done' | 'stopped'>;
  };
  sales_assignment: ClientOwner & {
    role: 'representative' | 'account_executive' | 'referrer';
    user_id: string;
    assigned_at: At;
  };
  company_billing: ClientOwner & {
    package_id: Default<string>;
    manual_bill: Default<boolean>;
    payment_status: Default<'' | 'failed'>;
    access_module: Default<'' | 'paymentfailed'>;
    campaigns_closed: Default<boolean>;
    onboarding_on: Default<boolean>;
    onboarding_micros: Default<bigint>;
    onboarding_coupon: Default<boolean>;
    onboarding_charged: MaybeAt;
    api_mode: Default<boolean>;
    api_mode_since: MaybeAt;
    white_labelling: Default<boolean>;
    excluded_minimum_spend: Default<boolean>;
    excluded_onboarding: Default<boolean>;
    package_since: MaybeAt;
    cancelled_at: MaybeAt;
    updated_at: At;
  };
  package_choice: ClientOwner & { serial: Generated<bigint>; package_id: string; chosen_at: At };
  minspend_offer: ClientOwner & {
    id: string;
    name: string;
    months: bigint[];
    flat: bigint;
    announced_at: At;
    reminded_at: MaybeAt;
    accepted_at: MaybeAt;
    accepted_by: Maybe<string>;
    withdrawn_at: MaybeAt;
  };
  minspend_month: ClientOwner & {
    /** YYYY-MM-DD, the 1st. */
    month: string;
    life: number;
    plan_name: string;
    asked_micros: bigint;
    spent_micros: bigint;
    shortfall_micros: bigint;
    outcome: 'met' | 'excluded' | 'charged';
    transfer_id: string | null;
    decided_at: At;
  };
  minspend_close: Owner & {
    /** YYYY-MM-DD, the 1st. */
    next_month: string;
  };
  invoice_series: Owner & {
    issuer_id: string;
    document: 'invoice' | 'credit_note';
    last: number;
  };
  invoice: ClientOwner & {
    id: string;
    issuer_id: string;
    side: 'retail' | 'wholesale';
    kind: 'period' | 'to_date' | 'receipt' | 'onboarding' | 'developer' | 'minimum_spend' | 'subscription';
    term: Maybe<string>;
    period_key: string;
    period_from: MaybeAt;
    period_to: MaybeAt;
    number: string;
    seq: number;
    subtotal_micros: bigint;
    tax_micros: Default<bigint>;
    tax_name: Default<string>;
    total_micros: bigint;
    fee_micros: Default<bigint>;
    issuer: Json<InvoiceParty>;
    payer: Json<InvoiceParty>;
    transfer_id: string;
    finalised_at: At;
    due_at: At;
    status: 'open' | 'paid' | 'uncollectible' | 'void';
    paid_micros: Default<bigint>;
    credited_micros: Default<bigint>;
    attempts: Default<number>;
    first_failed_at: MaybeAt;
    next_attempt_at: MaybeAt;
    last_failure: Maybe<string>;
    paid_at: MaybeAt;
    closed_at: MaybeAt;
    fee_released_at: MaybeAt;
  };
  invoice_line: ClientOwner & {
    invoice_id: string;
    line: number;
    kind: string;
    campaign_id: Maybe<string>;
    description: string;
    quantity: number;
    unit_micros: bigint;
    amount_micros: bigint;
  };
  credit_note: ClientOwner & {
    id: string;
    issuer_id: string;
    invoice_id: string;
    number: string;
    seq: number;
    amount_micros: bigint;
    reason: string;
    idempotency_key: string;
    transfer_id: string;
    user_id: Maybe<string>;
    created_at: At;
  };
  billing_mark: ClientOwner & { side: 'retail' | 'wholesale'; clear_to: At };
  campaign_fee: ClientOwner & {
    campaign_id: string;
    kind: 'platform_fee' | 'monthly_fee';
    period: string;
    term: string;
    retail_micros: bigint;
    wholesale_micros: bigint;
    transfer_id: Maybe<string>;
    created_at: At;
  };
  billing_close: Owner & {
    term: 'Weekly' | 'Monthly';
    closed_to: At;
  };
  agreement_acceptance: Owner & {
    id: string;
    user_id: string;
    document_type: string;
    version: string;
    accepted_at: At;
    ip: Maybe<string>;
    text_hash: Default<string>;
    company_name: Default<string>;
    location_menu: Default<string>;
  };
  user_account: Owner & {
    id: string;
    role: 'owner' | 'administrator' | 'sales';
    is_account_executive: Default<boolean>;
    email: string;
    name: string;
    password_hash: Maybe<string>;
    phonenum: Default<string>;
    phone_country: Default<string>;
    phone_calling: Default<string>;
    address: Default<string>;
    city: Default<string>;
    zip: Default<string>;
    state_code: Default<string>;
    country_code: Default<string>;
    picture: Maybe<string>;
    role_id: Maybe<string>;
    permission_active: Default<boolean>;
    permissions: ColumnType<PersonalPermission[], string | undefined, string>;
    profile_done: Default<boolean>;
    /** Receives the notices that no one else gets; at most one per company. */
    is_default_admin: Default<boolean>;
    /** The contact for the company's customers. */
    customer_care: Default<boolean>;
    gets_notices: Default<boolean>;
    /** No emails except those their own account requires. */
    mail_off: Default<boolean>;
    /** Cannot add campaigns (migration 0059, rights_of). */
    campaigns_closed: Default<boolean>;
    version: Default<number>;
    created_at: At;
    disabled_at: MaybeAt;
  };
  role: Owner & { id: string; name: string; created_at: At; updated_at: At; removed_at: MaybeAt };
  role_module: Owner & {
    role_id: string;
    module: string;
    may_see: boolean;
    may_create: boolean;
    may_update: boolean;
    may_delete: boolean;
  };
  questionnaire: Owner & {
    user_id: string;
    industry_id: string;
    franchise: boolean;
    franchise_director: boolean;
    office_manager: boolean;
    answers: Json<Record<string, string | string[]>>;
    saved_at: At;
  };
  email_change: Owner & {
    id: string;
    user_id: string;
    email: string;
    created_at: At;
    expires_at: At;
    used_at: MaybeAt;
    effective_at: MaybeAt;
    asked_by: Maybe<string>;
  };
  session: Owner & {
    id: string;
    user_id: string;
    generation: Default<number>;
    confirmed_at: MaybeAt;
    needs_factor: Default<boolean>;
    rotated_at: At;
    created_at: At;
    expires_at: At;
    revoked_at: MaybeAt;
    revoked_why: Maybe<
      'logout' | 'reuse' | 'disabled' | 'ended' | 'password' | 'factor' | 'reverted' | 'lapsed'
    >;
    host: string;
    ip: Maybe<string>;
    last_ip: Maybe<string>;
    user_agent: Maybe<string>;
    viewer_session_id: Maybe<string>;
    viewer_id: Maybe<string>;
    view_reason: Maybe<string>;
  };
  signing_key: {
    kid: string;
    purpose: 'access' | 'body';
    public_jwk: Json<Record<string, unknown>>;
    private_sealed: string;
    created_at: At;
    retired_at: MaybeAt;
  };
  setup_link: { token_hash: Buffer; created_at: At; expires_at: At; used_at: MaybeAt };
  download_token: Owner & {
    token_hash: Buffer;
    user_id: string;
    viewer_id: Maybe<string>;
    path: string;
    created_at: At;
    expires_at: At;
    used_at: MaybeAt;
  };
  mail: Owner & {
    id: string;
    kind: string;
    to_address: string;
    to_name: string;
    from_address: string;
    from_name: string;
    subject: string;
    body_sealed: Maybe<string>;
    state: Default<'queued' | 'sent' | 'kept' | 'failed'>;
    attempts: Default<number>;
    last_error: Maybe<string>;
    /** The tenant's host in whose name it is sent; null if from before migration 0059. */
    sender_host: Maybe<string>;
    created_at: At;
    sent_at: MaybeAt;
  };
  attempt: { key: Buffer; tries: number; last_at: At; blocked_until: MaybeAt };
  captcha_used: { signature: Buffer; expires_at: At };
  user_factor: Owner & {
    user_id: string;
    kind: Maybe<'email' | 'google'>;
    secret_sealed: Maybe<string>;
    generation: Default<number>;
    last_step: Default<bigint>;
    address: Maybe<string>;
    updated_at: At;
  };
  recovery_code: Owner & { user_id: string; code_mac: Buffer; created_at: At; used_at: MaybeAt };
  developer_key: ClientOwner & {
    id: string;
    maker_id: string;
    name: string;
    mode: 'live' | 'test';
    client_id: string;
    secret_hash: Buffer;
    secret_end: string;
    generation: Default<number>;
    previous_hash: Maybe<Buffer>;
    previous_until: MaybeAt;
    scopes: string[];
    created_at: At;
    rotated_at: MaybeAt;
    expires_at: MaybeAt;
    warned_days: Maybe<number>;
    disabled_at: MaybeAt;
    removed_at: MaybeAt;
    last_used_at: MaybeAt;
    last_used_ip: Maybe<string>;
  };
  developer_request: ClientOwner & {
    id: string;
    key_id: string;
    mode: 'live' | 'test';
    method: string;
    route: string;
    path: string;
    status: number;
    duration_ms: number;
    ip: Maybe<string>;
    user_agent: Maybe<string>;
    idempotency_key: Maybe<string>;
    body: Maybe<string>;
    problem: Maybe<string>;
    at: At;
  };
  developer_usage: ClientOwner & { day: string; requests: bigint; refused: bigint };
  developer_sandbox: ClientOwner & {
    sandbox_root_id: string;
    sandbox_agency_id: string;
    created_at: At;
  };
  developer_write: ClientOwner & {
    key: string;
    request_hash: Buffer;
    status: number;
    answer_sealed: string;
    created_at: At;
  };
  passkey: Owner & {
    id: string;
    user_id: string;
    host: string;
    credential_id: string;
    public_key: Buffer;
    counter: bigint;
    transports: string[];
    is_synced: boolean;
    name: string;
    created_at: At;
    last_used_at: MaybeAt;
  };
  security_notice: Owner & { log_id: string; user_id: string; created_at: At; told_at: MaybeAt };
  passkey_answer: { challenge: string; expires_at: At };
  login_challenge: Owner & {
    id: string;
    token_hash: Buffer;
    user_id: string;
    tenant_id: string;
    kind: 'email' | 'google' | 'passkey';
    code_mac: Maybe<Buffer>;
    attempts: Default<number>;
    sent: Default<number>;
    sent_at: At;
    created_at: At;
    expires_at: At;
    used_at: MaybeAt;
  };
  password_reset: Owner & {
    id: string;
    user_id: Maybe<string>;
    tenant_id: string;
    origin: string;
    created_at: At;
    expires_at: At;
    used_at: MaybeAt;
  };
  sign_up: Owner & {
    id: string;
    kind: 'agency' | 'client';
    email: string;
    name: string;
    company_name: string;
    phone: Maybe<string>;
    password_hash: Maybe<string>;
    refcode: Maybe<string>;
    referred_by: Maybe<string>;
    made_company: Maybe<string>;
    created_at: At;
    expires_at: At;
    used_at: MaybeAt;
  };
  referral_code: Owner & { code: string; user_id: string; created_at: At };
  sso_token: Owner & {
    token_hash: Buffer;
    user_id: string;
    tenant_id: string;
    created_at: At;
    expires_at: At;
    used_at: MaybeAt;
  };
  user_log: Owner & {
    id: string;
    actor_id: Maybe<string>;
    viewed_as_id: Maybe<string>;
    action: string;
    object_kind: Maybe<string>;
    object_id: Maybe<string>;
    request_id: Maybe<string>;
    detail_hash: Buffer;
    created_at: At;
  };
  user_log_detail: Owner & {
    log_id: string;
    name: Maybe<string>;
    type_user: Maybe<string>;
    user_ip: Maybe<string>;
    location: Maybe<string>;
    description: Maybe<string>;
    company_name: Maybe<string>;
  };
  log_unsealed: Owner & { log_id: string };
  log_seal: Owner & {
    seq: bigint;
    first_position: bigint;
    last_position: bigint;
    log_ids: string[];
    row_hashes: Buffer[];
    drained: boolean;
    previous_hash: Buffer;
    hash: Buffer;
    mac: Buffer;
    key_id: string;
    sealed_at: At;
  };
  account: Owner & { id: string; campaign_id: Maybe<string>; kind: string; created_at: At };
  account_balance: Owner & { account_id: string; balance: Default<bigint> };
  transfer: Owner & {
    id: string;
    kind: string;
    reference_id: Maybe<string>;
    campaign_id: Maybe<string>;
    memo: Maybe<string>;
    idempotency_key: string;
    created_at: At;
  };
  entry: Owner & {
    transfer_id: string;
    line: number;
    account_id: string;
    account_code: number;
    lot_id: Maybe<string>;
    amount: bigint;
    created_at: At;
  };
  transfer_cover: Owner & {
    transfer_id: string;
    side: 'retail' | 'wholesale';
    covered_by: string;
    line: Maybe<number>;
  };
  account_snapshot: Owner & { account_code: number; upto: At; balance: bigint };
  supplier_cost: Owner & {
    serial: GeneratedAlways<bigint>;
    module: string;
    valid_from: At;
    recorded_at: MaybeAt;
    cost_micros: bigint;
  };
  tax_rate: Owner & {
    id: string;
    country_code: string;
    state_code: Default<string>;
    name: string;
    rate_ppm: number;
    updated_at: At;
  };
  tax_setting: Owner & { calculator: 'table' | 'stripe'; updated_at: At };
  tax_quote: Owner & {
    id: string;
    issuer_id: string;
    question: string;
    account: Default<string>;
    amount_micros: bigint;
    calculation: Maybe<string>;
    name: Default<string>;
    tax_micros: Default<bigint>;
    failure: Maybe<string>;
    asked_at: At;
    document_id: Maybe<string>;
    transaction_id: Maybe<string>;
  };
  tax_reversal: Owner & {
    credit_note_id: string;
    quote_id: string;
    amount_micros: bigint;
    created_at: At;
    transaction_id: Maybe<string>;
  };
  receipt_due: ClientOwner & {
    serial: GeneratedAlways<bigint>;
    top_up_id: string;
    transfer_id: string;
    campaign_id: Maybe<string>;
    term: 'One Time' | 'Prepaid';
    description: string;
    amount_micros: bigint;
    created_at: At;
  };
  tax_profile: Owner & {
    tax_id: Default<string>;
    is_exempt: Default<boolean>;
    exempt_reason: Default<string>;
    rate_name: Default<string>;
    rate_ppm: Maybe<number>;
    updated_at: At;
  };
  wallet_lot: ClientOwner & {
    id: string;
    account_id: string;
    is_granted: Default<boolean>;
    amount: bigint;
    remaining: Default<bigint>;
    /** Whether something is left. */
    is_open: GeneratedAlways<boolean>;
    expires_at: At;
    noticed: Maybe<number>;
    created_at: At;
  };
  wallet_setting: ClientOwner & {
    amount_micros: Default<bigint>;
    custom: Default<boolean>;
    continual: Default<boolean>;
    day_ceiling: Maybe<bigint>;
    month_ceiling: Maybe<bigint>;
    state: Default<'idle' | 'armed' | 'due' | 'charging' | 'waiting' | 'stopped'>;
    declines: Default<number>;
    retry_at: MaybeAt;
    reason: Default<string>;
    told: Default<'' | 'low' | 'empty'>;
    updated_at: At;
  };
  credit: ClientOwner & {
    id: string;
    giver_id: string;
    lead_id: Maybe<string>;
    campaign_id: Maybe<string>;
    amount_micros: bigint;
    reason: CreditReason;
    note: Default<string>;
    transfer_id: string;
    user_id: string;
    created_at: At;
  };
  wallet_attempt: ClientOwner & {
    id: string;
    amount_micros: bigint;
    state: 'charging' | 'succeeded' | 'declined' | 'refused';
    reason: Default<string>;
    created_at: At;
    ended_at: MaybeAt;
  };
  prepaid_auto: ClientOwner & {
    campaign_id: string;
    state: 'idle' | 'armed' | 'due' | 'charging' | 'waiting' | 'stopped';
    declines: Default<number>;
    is_failing: Default<boolean>;
    retry_at: MaybeAt;
    reason: Default<string>;
    updated_at: At;
  };
  prepaid_attempt: ClientOwner & {
    id: string;
    campaign_id: string;
    leads: number;
    amount_micros: bigint;
    state: 'charging' | 'succeeded' | 'declined' | 'refused';
    reason: Default<string>;
    created_at: At;
    ended_at: MaybeAt;
  };
  prepaid_order: ClientOwner & {
    id: string;
    campaign_id: string;
    idempotency_key: string;
    charge_key: string;
    term: string;
    leads: number;
    price_micros: bigint;
    amount_micros: bigint;
    created_at: At;
  };
  prepaid_refund: ClientOwner & {
    id: string;
    campaign_id: string;
    idempotency_key: string;
    amount_micros: bigint;
    parts: Json<{ charge: string; cents: number }[]>;
    created_at: At;
  };
  spend_day: ClientOwner & {
    subject: 'wallet' | 'client' | 'campaign';
    subject_id: string;
    day: string;
    micros: bigint;
  };
  cap: ClientOwner & {
    id: string;
    subject: 'wallet' | 'client' | 'campaign';
    subject_id: string;
    period: 'day' | 'month';
    set_by: 'agency' | 'client';
    hard_micros: Maybe<bigint>;
    soft_micros: Maybe<bigint>;
    updated_at: At;
  };
  cap_event: ClientOwner & {
    cap_id: string;
    level: 'soft' | 'hard';
    day: string;
    created_at: At;
    told_at: MaybeAt;
  };
  person: Owner & {
    id: string;
    ref: Buffer;
    first_name: Maybe<string>;
    last_name: Maybe<string>;
    email: Maybe<string>;
    phone: Maybe<string>;
    phone2: Maybe<string>;
    address: Maybe<string>;
    city: Maybe<string>;
    county: Maybe<string>;
    state: Maybe<string>;
    zip: Maybe<string>;
    company_name: Maybe<string>;
    website: Maybe<string>;
    job_title: Maybe<string>;
    keys: Buffer[];
    source: string;
    source_file: Maybe<Buffer>;
    source_at: Maybe<bigint>;
    created_at: At;
    updated_at: At;
  };
  person_profile: Owner & { [key in ProfileKey]: Maybe<string> } & {
    person_id: string;
    /** The minimum number of people that company_size states. */
    employees: Maybe<number>;
    source_file: Maybe<Buffer>;
    source_at: Maybe<bigint>;
    updated_at: At;
  };
  data_choice: Owner & { information: number[]; providers: string[]; updated_at: At };
  data_provider: Owner & {
    provider: 'pdl';
    key_sealed: string;
    asked: Default<bigint>;
    found: Default<bigint>;
    failed: Default<bigint>;
    last_error: Maybe<string>;
    last_error_at: MaybeAt;
    updated_at: At;
  };
  lead_data: ClientOwner & {
    lead_id: string;
    campaign_id: string;
    /** By field key; null if nothing was known. */
    fields: Json<Record<string, string | null>>;
    waits_until: MaybeAt;
    created_at: At;
  };
  campaign_data: ClientOwner & { campaign_id: string; field: number };
  identity_key: Owner & { kind: number; value: Buffer; person_id: string; source: string; seen_at: At };
  person_merge: Owner & {
    id: string;
    person_id: string;
    into_id: string;
    top_id: string;
    merged_by: Maybe<string>;
    merged_at: At;
    undone_by: Maybe<string>;
    undone_at: MaybeAt;
  };
  job_run: {
    key: string;
    kind: string;
    payload: Json<Record<string, unknown>>;
    root_id: Maybe<string>;
    company_id: GeneratedAlways<string | null>;
    worker: string;
    starts: Default<number>;
    started_at: Generated<Date>;
    alive_at: Generated<Date>;
    set_aside_at: MaybeAt;
  };
  import_job: Owner & {
    id: string;
    kind: 'people' | 'signals';
    file_name: string;
    file_path: string;
    file_bytes: bigint;
    file_sha256: Maybe<Buffer>;
    mapping: Json<Record<string, string>>;
    country: Default<string>;
    state: 'mapping' | 'queued' | 'running' | 'held' | 'done' | 'failed' | 'cancelled';
    error: Maybe<string>;
    byte_offset: Default<bigint>;
    line: Default<bigint>;
    rows_read: Default<bigint>;
    rows_added: Default<bigint>;
    rows_changed: Default<bigint>;
    rows_same: Default<bigint>;
    rows_bad: Default<bigint>;
    keys_added: Default<bigint>;
    values_bad: Default<bigint>;
    left_out: DefaultJson<{ what: 'row' | 'value'; field: string | null; reason: string; count: number }[]>;
    phones_marked: Default<bigint>;
    ignored: DefaultJson<{ column: string; reason: string }[]>;
    created_by: Maybe<string>;
    created_at: At;
    started_at: MaybeAt;
    finished_at: MaybeAt;
  };
  do_not_call: Owner & {
    phone: string;
    source: string;
    source_file: Maybe<Buffer>;
    marked_at: At;
  };
  import_error: Owner & {
    import_id: string;
    line: bigint;
    place: Default<number>;
    field: Maybe<string>;
    reason: string;
    value: Maybe<string>;
  };
  intent_term: Owner & { id: Generated<number>; words: string; keyword: string };
  intent_phrase: Owner & { hash: bigint; term_id: number };
  signal_batch: Owner & {
    id: Generated<bigint>;
    import_id: string;
    signals: number;
    created_at: At;
    matched_at: MaybeAt;
  };
  signal: Owner & {
    term_id: number;
    person_id: string;
    at: At;
    state: Maybe<number>;
    zip: Maybe<number>;
    city: Maybe<bigint>;
    strength: number;
    key_kind: number;
    batch_id: bigint;
    url: Maybe<string>;
    shared_key: Maybe<Buffer>;
  };
  campaign_target: ClientOwner & {
    campaign_id: string;
    location: 'national' | 'state' | 'zip';
    states: string[];
    cities: string[];
    zips: string[];
    keywords: string[];
    description: Default<string>;
    updated_at: At;
  } & Audience;
  campaign_keyword: ClientOwner & {
    campaign_id: string;
    words: string;
    hash: bigint;
    stems: Default<bigint[]>;
  };
  campaign_place: ClientOwner & { campaign_id: string; kind: number; place: bigint };
  intent_count: ClientOwner & {
    id: string;
    campaign_id: Maybe<string>;
    module: Default<'locator' | 'enhance' | 'b2b'>;
    location: 'national' | 'state' | 'zip';
    states: string[];
    cities: string[];
    zips: string[];
    keywords: string[];
    state: 'pending' | 'failed' | 'done';
    error: Maybe<string>;
    attempts: Default<number>;
    people: Maybe<bigint>;
    placed: Maybe<bigint>;
    rules: MaybeJson<Partial<CampaignRules>>;
    waterfall: MaybeJson<Record<string, number>>;
    counted_at: MaybeAt;
    asked_by: Maybe<string>;
    asked_at: At;
    applied_at: MaybeAt;
    applied_to: Maybe<string>;
    created_at: At;
    finished_at: MaybeAt;
  } & Audience;
  intent_match: ClientOwner & {
    campaign_id: string;
    batch_id: bigint;
    people: string[];
    terms: number[];
    ats: Date[];
    strengths: number[];
    signals: number;
    created_at: At;
  };
  intent_candidate: ClientOwner & {
    campaign_id: string;
    person_id: string;
    terms: number[];
    signals: number;
    strength: number;
    last_at: At;
    retry_at: At;
    outcome: Maybe<string>;
    created_at: At;
    settled_at: MaybeAt;
  };
  exclusion_list: Owner & {
    id: string;
    owner_id: string;
    level: 'root' | 'agency' | 'client' | 'campaign';
    name: string;
    md5_only: Default<bigint>;
    sha256_only: Default<bigint>;
    accepts: Default<'email' | 'all'>;
    ignore_aliases: Default<boolean>;
    country: Default<string>;
    state: Default<'queued' | 'loading' | 'held' | 'active' | 'failed' | 'removed'>;
    error: Maybe<string>;
    file_path: Maybe<string>;
    byte_offset: Default<bigint>;
    line: Default<bigint>;
    total_rows: Default<bigint>;
    rows_read: Default<bigint>;
    rows_added: Default<bigint>;
    rows_same: Default<bigint>;
    rows_bad: Default<bigint>;
    emails: Default<bigint>;
    phones: Default<bigint>;
    domains: Default<bigint>;
    created_by: Maybe<string>;
    created_at: At;
    started_at: MaybeAt;
    finished_at: MaybeAt;
    removed_at: MaybeAt;
  };
  exclusion_error: Owner & { list_id: string; line: bigint; reason: string; value: Maybe<string> };
  exclusion: Owner & { owner_id: string; kind: number; value: Buffer; list_id: string };
  campaign: ClientOwner & { [N in keyof CampaignRules]: Default<CampaignRules[N]> } & {
    id: string;
    number: Generated<bigint>;
    module: 'local' | 'locator' | 'enhance' | 'b2b' | 'simplifi';
    name: string;
    state: 'active' | 'paused' | 'archived' | 'removed';
    state_reason: Maybe<string>;
    site_key: string;
    site_url: string;
    thank_you_url: Maybe<string>;
    /** Other hosts whose pages send visits, in the format of contract/campaigns/site-hosts.ts. */
    site_hosts: Default<string[]>;
    daily_cap: Maybe<number>;
    limit_every: Default<'day' | 'week' | 'month'>;
    limit_starts_on: Maybe<string>;
    limit_ends_on: Maybe<string>;
    minimum_limit: Maybe<number>;
    starts_on: Maybe<string>;
    ends_on: Maybe<string>;
    /** Ids of contract/audience/enrichment-fields.ts. */
    advance_information: Default<number[]>;
    b2b_information: Default<number[]>;
    pixel_checked_at: MaybeAt;
    pixel_check: Maybe<string>;
    version: Default<number>;
    created_at: At;
    updated_at: At;
  };
  company_group: ClientOwner & { id: string; name: string; created_at: At; updated_at: At };
  company_group_campaign: ClientOwner & { campaign_id: string; group_id: string };
  campaign_report: ClientOwner & {
    campaign_id: string;
    notify_every: Maybe<number>;
    notify_to: Default<string[]>;
    counted: Default<bigint>;
    told: Default<bigint>;
    report_every: Maybe<'lead' | 'hour' | 'day' | 'week' | 'month'>;
    report_type: Default<'link' | 'details' | 'CSV'>;
    report_to: Default<string[]>;
    covers_from: MaybeAt;
    due_at: MaybeAt;
    updated_at: At;
  };
  campaign_report_sent: ClientOwner & {
    campaign_id: string;
    covers_from: At;
    covers_to: At;
    leads: number;
    recipients: number;
    created_at: At;
  };
  wholesale_cost: Owner & {
    serial: Generated<bigint>;
    module: string;
    term: string;
    valid_from: At;
    recorded_at: At;
    setup_micros: bigint;
    month_micros: bigint;
    lead_micros: bigint;
    lead_advanced_micros: bigint;
  };
  retail_cost: ClientOwner & {
    serial: Generated<bigint>;
    campaign_id: Maybe<string>;
    module: string;
    term: string;
    valid_from: At;
    recorded_at: At;
    lead_micros: bigint;
    lead_advanced_micros: Default<bigint>;
    lead_b2b_micros: Default<bigint>;
    lead_max_micros: Default<bigint>;
    month_micros: Default<bigint>;
    setup_micros: Default<bigint>;
    topup: Default<string>;
    leads_buy: Maybe<number>;
    accepted_loss_micros: Default<bigint>;
    daily_cap: Maybe<number>;
    limit_every: Default<'day' | 'week' | 'month'>;
    starts_on: Maybe<string>;
    ends_on: Maybe<string>;
  };
  margin_rule: Owner & {
    agency_id: string;
    rule: 'hold' | 'raise' | 'sell';
    updated_at: At;
  };
  minspend_plan: Owner & {
    id: string;
    name: string;
    is_default: Default<boolean>;
    version: Default<number>;
    created_at: At;
    removed_at: MaybeAt;
  };
  minspend_amount: Owner & {
    serial: Generated<bigint>;
    plan_id: string;
    valid_from: At;
    months: bigint[];
    flat: bigint;
  };
  minspend_choice: ClientOwner & { serial: Generated<bigint>; plan_id: Maybe<string>; valid_from: At };
  coupon: Owner & {
    id: string;
    code: string;
    percent: Maybe<string>;
    amount_micros: Maybe<bigint>;
    max_uses: Maybe<number>;
    uses: Default<number>;
    expires_at: MaybeAt;
    created_at: At;
    removed_at: MaybeAt;
  };
  coupon_use: ClientOwner & { coupon_id: string; used_at: At };
  campaign_hour: ClientOwner & {
    campaign_id: string;
    hour: At;
    visits: Default<bigint>;
    matched: Default<bigint>;
    leads: Default<bigint>;
    spend_micros: Default<bigint>;
    cost_micros: Default<bigint>;
  };
  signup: ClientOwner & {
    campaign_id: string;
    hash: Buffer;
    address: Maybe<string>;
    visitor_id: Maybe<string>;
    network: Maybe<string>;
    held: boolean;
    at: At;
  };
  signup_hour: ClientOwner & { campaign_id: string; hour: At; count: bigint };
  held_visit: ClientOwner & {
    day: string;
    event_id: string;
    campaign_id: string;
    reason: 'no_view' | 'browser' | 'address' | 'network' | 'burst';
    source: string;
    event: string;
    hash: Buffer | null;
    received_at: At;
    state: 'held' | 'released' | 'discarded';
    asked_at: MaybeAt;
    decided_at: MaybeAt;
    decided_by: Maybe<string>;
  };
  campaign_foreign_host: ClientOwner & {
    campaign_id: string;
    day: string;
    host: string;
    count: bigint;
    last_at: At;
  };
  campaign_refusal: ClientOwner & {
    campaign_id: string;
    hour: At;
    reason: string;
    count: bigint;
    last_at: At;
  };
  visit: ClientOwner & {
    day: string;
    event_id: string;
    campaign_id: string;
    received_at: At;
    visitor_id: Maybe<string>;
    hash_kind: Maybe<number>;
    hash: Maybe<Buffer>;
    ip: Maybe<string>;
    url: Maybe<string>;
    referrer: Maybe<string>;
    title: Maybe<string>;
    user_agent: Maybe<string>;
    event: Default<string>;
    gpc: Default<boolean>;
    resolved_at: MaybeAt;
    outcome: Maybe<string>;
    person_id: Maybe<string>;
  };
  lead: ClientOwner & {
    id: string;
    campaign_id: string;
    person_id: Maybe<string>;
    visit_day: Maybe<string>;
    visit_event_id: Maybe<string>;
    match_kind: number;
    confidence: number;
    evidence: Json<Record<string, unknown>>;
    price_micros: bigint;
    cost_micros: bigint;
    transfer_id: Maybe<string>;
    is_test: Default<boolean>;
    created_at: At;
  };
  lead_contact: ClientOwner & {
    lead_id: string;
    campaign_id: string;
    created_at: At;
    first_name: Maybe<string>;
    last_name: Maybe<string>;
    email: Maybe<string>;
    phone: Maybe<string>;
    phone2: Maybe<string>;
    phones_withheld: Default<number>;
    phone_dnc: Default<boolean>;
    phone2_dnc: Default<boolean>;
    address: Maybe<string>;
    city: Maybe<string>;
    state: Maybe<string>;
    zip: Maybe<string>;
    company_name: Maybe<string>;
    website: Maybe<string>;
    job_title: Maybe<string>;
    page_url: Maybe<string>;
    referrer: Maybe<string>;
    ip: Maybe<string>;
    search: Generated<string>;
  };
  campaign_conversion: ClientOwner & {
    campaign_id: string;
    person_id: string;
    converted_at: At;
  };
  integration: ClientOwner & {
    id: string;
    campaign_id: string;
    /** 'webhook', or the vendor of its connection. */
    kind: string;
    connection_id: Maybe<string>;
    name: Default<string>;
    settings: Default<Record<string, string>>;
    mapping: Default<Record<string, string>>;
    url: Maybe<string>;
    secret_sealed: Maybe<string>;
    payload: Default<Payload>;
    header_names: Default<string[]>;
    headers_sealed: Maybe<string>;
    rules: Maybe<Rules>;
    state: 'enabled' | 'disabled' | 'removed';
    state_reason: Maybe<string>;
    /** Of its company's lanes, 0 to 15. */
    lane: Default<number>;
    /** How far the retries had come when its company was last told, in percent. */
    alerted: Default<number>;
    created_at: At;
    updated_at: At;
  };
  connection: ClientOwner & {
    id: string;
    vendor: string;
    name: string;
    account: string;
    credentials_sealed: Maybe<string>;
    state: 'connected' | 'broken' | 'paused' | 'removed';
    state_reason: Maybe<string>;
    held_until: MaybeAt;
    lane: Default<number>;
    checked_at: MaybeAt;
    created_at: At;
    updated_at: At;
  };
  delivery: ClientOwner & {
    id: string;
    campaign_id: string;
    integration_id: string;
    lead_id: Maybe<string>;
    message_id: string;
    state: DeliveryState;
    /** The number of the lead in its campaign; none for tests. */
    turn: Maybe<number>;
    /** Whether it takes its lead's turn; null while that is not decided. */
    chosen: Maybe<boolean>;
    waits_for_hours: Default<boolean>;
    attempts: Default<number>;
    next_at: MaybeAt;
    remote_id: Maybe<string>;
    /** Why it failed, at most 300 characters. */
    cause: Maybe<string>;
    is_test: Default<boolean>;
    created_at: At;
    delivered_at: MaybeAt;
  };
  delivery_turn: ClientOwner & {
    campaign_id: string;
    turns: number;
  };
  delivery_attempt: ClientOwner & {
    delivery_id: string;
    number: number;
    started_at: At;
    duration_ms: number;
    status: Maybe<number>;
    answer: Maybe<string>;
    error: Maybe<string>;
  };
}

import type { JsonRow } from './rows.ts';

/**
 * What becomes of each table of a full export: its rows go into the table of the same name (`INSERTED`), or stay what they
 * are, documents of the past (`DOCUMENTS`). A new table is in neither and fails tables.test.ts until someone decides.
 */
export interface InsertedTable {
  name: string;
  /** The columns that name a row. */
  key: readonly string[];
  /** Columns that this installation counts or computes itself: neither inserted nor compared. */
  own: readonly string[];
  /** Columns in which ids occur inside a text. */
  texts: readonly string[];
  /** Text columns that hold one id. */
  ids: readonly string[];
  /** Columns that refer to a row that a row cannot do without. */
  parents: readonly Parent[];
  /** What is imported otherwise than the archive has it, and what it does not have. */
  change?: (row: JsonRow, here: Here) => JsonRow;
  /** Columns that `change` adds. */
  adds: readonly string[];
  /** Whether a row is a document after all. */
  isDocument?: (row: JsonRow) => boolean;
  /** The order in which rows are inserted, if it matters: a column with a number. */
  inOrderOf?: string;
  /** A column that has to name a company or campaign of the archive, since nothing in the database would refuse another. */
  subject?: string;
}

export interface Parent {
  column: string;
  table: string;
  /** Whether a row without it stays a document; otherwise, the archive is refused. */
  else: 'document' | 'refuse';
}

/** What a change depends on. */
export interface Here {
  /** ISO 8601, UTC. */
  now: string;
  newIds: boolean;
  rootId: string;
  /** The agency that the company is below, or becomes. */
  agencyId: string;
  /** Emails that people of this root already have. */
  taken: ReadonlySet<string>;
  siteKey: () => string;
  seal: (what: string, text: string) => string;
  secret: () => string;
}

const words = (text: string): string[] => text.split(/\s+/).filter(Boolean);

type More = Partial<
  Omit<InsertedTable, 'name' | 'key' | 'own' | 'texts' | 'ids' | 'adds'> &
    Record<'own' | 'texts' | 'ids' | 'adds', string>
>;
function table(name: string, key = 'id', more: More = {}): InsertedTable {
  const { own = '', texts = '', ids = '', adds = '', parents = [], ...rest } = more;
  return {
    name,
    key: words(key),
    own: words(own),
    texts: words(texts),
    ids: words(ids),
    adds: words(adds),
    parents,
    ...rest,
  };
}

const parent = (column: string, of: string, otherwise: Parent['else'] = 'refuse'): Parent => ({
  column,
  table: of,
  else: otherwise,
});
const ofCampaign = [parent('campaign_id', 'campaign')];
const ofUser = [parent('user_id', 'user_account')];
const ofLead = [parent('lead_id', 'lead')];

/** Why a campaign, connection, or destination does not run: someone has to start it. */
const PAUSED = 'person';
/** An address that no one has, for a webhook that must be entered again. */
const NO_ADDRESS = 'https://imported.invalid/';
const RECONNECT = 'Imported. Connect it again.';

/** What is in one of the states `from` is imported as `to`. */
const instead =
  (from: readonly string[], to: string) =>
  (row: JsonRow): JsonRow =>
    from.includes(row.state as string) ? { state: to } : {};

/** In the order in which they are inserted: what others refer to comes first. */
export const INSERTED: readonly InsertedTable[] = [
  table('company', 'id', {
    // The owner is whoever the database finds among its users.
    own: 'updated_at owner_id owner_name owner_email',
    adds: 'parent_id',
    change: (row, { rootId, agencyId }) => ({
      parent_id: row.kind === 'client' ? agencyId : rootId,
      // Whoever imports decides whether strangers may sign up.
      registration_open: false,
    }),
  }),
  table('company_products', 'company_id'),
  table('picture'),
  table('brand', 'company_id'),
  table('module_label', 'company_id module'),
  // Without its password, a mail server refuses every email. Embed code would run in the browsers of everyone who signs in
  // there, which takes a permission and a confirmation to enter.
  table('setting', 'company_id name', {
    isDocument: (row) => row.name === 'smtp' || row.name === 'embed_code' || row.value === null,
  }),
  table('role'),
  table('role_module', 'role_id module', { parents: [parent('role_id', 'role')] }),
  table('user_account', 'id', {
    parents: [parent('role_id', 'role')],
    change: (row, { taken, now }): JsonRow =>
      taken.has(String(row.email))
        ? { email: `${row.id}@taken.invalid`, disabled_at: row.disabled_at ?? now, is_default_admin: false }
        : {},
  }),
  table('questionnaire', 'user_id', { parents: ofUser }),
  table('list_view', 'id', { texts: 'params', parents: ofUser }),
  table('list_look', 'user_id list', { parents: ofUser }),
  table('digest_choice', 'user_id', { parents: ofUser }),
  table('silence_choice', 'user_id', { parents: ofUser }),

  // Campaigns and their settings. Nothing runs until someone starts it.
  table('campaign', 'id', {
    own: 'number',
    change: (row, { newIds, siteKey }) => ({
      ...(row.module === 'simplifi' && row.state !== 'removed'
        ? { state: 'archived', state_reason: null }
        : row.state === 'active'
          ? { state: 'paused', state_reason: PAUSED }
          : {}),
      // The site goes on with the campaign that it belongs to here.
      ...(newIds ? { site_key: siteKey() } : {}),
    }),
  }),
  table('campaign_data', 'campaign_id field', { parents: ofCampaign }),
  table('campaign_keyword', 'campaign_id words', { parents: ofCampaign, adds: 'hash stems themes' }),
  table('campaign_place', 'campaign_id kind place', { parents: ofCampaign }),
  table('campaign_target', 'campaign_id', { parents: ofCampaign }),
  table('template'),
  table('template_version', 'template_id number', { parents: [parent('template_id', 'template')] }),
  table('company_group'),
  table('company_group_campaign', 'campaign_id company_id', {
    parents: [parent('campaign_id', 'campaign'), parent('group_id', 'company_group')],
  }),
  // Reports go out again once someone has chosen when.
  table('campaign_report', 'campaign_id', {
    parents: ofCampaign,
    change: () => ({ notify_every: null, report_every: null, covers_from: null, due_at: null }),
  }),
  table('campaign_report_sent', 'campaign_id covers_from', { parents: ofCampaign }),
  table('connection', 'id', {
    adds: 'credentials_sealed token_ends_at',
    change: (row, { seal, now }) => ({
      ...(row.state === 'removed' ? {} : { state: 'broken', state_reason: RECONNECT }),
      credentials_sealed: row.state === 'removed' ? null : seal('connection.credentials', '{}'),
      token_ends_at: row.auth === 'oauth' ? now : null,
    }),
  }),
  table('integration', 'id', {
    adds: 'url secret_sealed',
    parents: [...ofCampaign, parent('connection_id', 'connection', 'document')],
    change: (row, { seal, secret }) => ({
      ...(row.state === 'enabled' ? { state: 'disabled', state_reason: PAUSED } : {}),
      ...(row.kind === 'webhook' ? { header_names: [] } : {}),
      settings: row.settings ?? {},
      url: row.kind === 'webhook' ? NO_ADDRESS : null,
      secret_sealed: row.kind === 'webhook' ? seal('integration.secret', secret()) : null,
    }),
  }),
  table('destination_document', 'integration_id document_id', {
    parents: [parent('integration_id', 'integration', 'document')],
  }),
  table('alert', 'id', {
    parents: [parent('campaign_id', 'campaign')],
    // Whoever turns it on chooses who is told.
    change: (row) => ({ ...(row.state === 'on' ? { state: 'off' } : {}), user_ids: [], connection_ids: [] }),
  }),
  table('exclusion_list', 'id', {
    subject: 'owner_id',
    parents: [parent('connection_id', 'connection', 'document')],
    change: instead(['queued', 'loading', 'held'], 'failed'),
  }),
  table('exclusion', 'owner_id kind value list_id', {
    subject: 'owner_id',
    parents: [parent('list_id', 'exclusion_list')],
  }),
  table('banner'),
  table('audience', 'id', {
    texts: 'search',
    parents: ofCampaign,
    change: instead(['queued', 'loading', 'held'], 'failed'),
  }),
  table('audience_member', 'audience_id kind value', {
    own: 'id',
    parents: [parent('audience_id', 'audience')],
  }),
  table('creative', 'id', { isDocument: (row) => row.campaign_id !== null }),

  // Leads, free of money here: what they cost is a document (docs/money.md).
  table('campaign_hour', 'campaign_id hour', {
    parents: ofCampaign,
    change: (row) => ({ spend_micros: 0, ...('cost_micros' in row ? { cost_micros: 0 } : {}) }),
  }),
  table('campaign_refusal', 'campaign_id hour reason', { parents: ofCampaign }),
  table('lead', 'id', {
    parents: ofCampaign,
    adds: 'cost_micros',
    // People of another installation's graph are nobody here.
    change: () => ({ price_micros: 0, cost_micros: 0, transfer_id: null, person_id: null }),
  }),
  table('lead_contact', 'lead_id', { parents: ofLead }),
  table('lead_data', 'lead_id', { parents: [parent('lead_id', 'lead_contact')] }),
  table('lead_return', 'lead_id at', { parents: ofLead }),
  table('alert_event', 'id', { parents: [parent('alert_id', 'alert')] }),
  table('delivery', 'id', {
    ids: 'message_id',
    parents: [parent('integration_id', 'integration', 'document'), parent('lead_id', 'lead')],
    // Sent from there, or never: not once more from here.
    change: instead(['pending', 'unknown'], 'skipped'),
  }),
  table('delivery_attempt', 'delivery_id number', {
    parents: [parent('delivery_id', 'delivery', 'document')],
  }),

  // Prices and limits, which are about the present.
  table('retail_cost', 'company_id campaign_id module term valid_from recorded_at', {
    own: 'serial',
    inOrderOf: 'serial',
    parents: ofCampaign,
    adds: 'accepted_loss_micros topup',
    change: () => ({ accepted_loss_micros: 0, topup: 'onetime' }),
  }),
  table('cap', 'id', { subject: 'subject_id' }),
  // What was charged once is not charged again.
  table('campaign_fee', 'campaign_id kind period', {
    parents: ofCampaign,
    adds: 'wholesale_micros',
    change: () => ({ retail_micros: 0, wholesale_micros: 0, transfer_id: null }),
  }),
];

/** Tables that stay documents, by the reason. */
export const DOCUMENTS: Readonly<Record<string, readonly string[]>> = {
  'They are the money of the past, in ledgers that this installation does not keep. Balances are opened anew.':
    words(`
    account account_balance transfer entry charge refund wallet_setting wallet_lot prepaid_auto prepaid_order
    prepaid_refund invoice invoice_line credit_note credit payment_card return_request`),
  'They are what others agreed with the company. Whoever imports it decides, and it agrees, anew.': words(`
    company_billing package_choice wholesale_cost minspend_choice minspend_month tax_profile coupon referral_code
    sales_assignment agreement_version agreement_acceptance agreement_file trusted_address ad_terms ad_exchange`),
  'They name a place on the internet that has to be proven to belong to the company again.': words('domain'),
  'They would send something by themselves.': words('view_export report_schedule'),
  'They are ad campaigns, whose bids, holds, and figures belong to the money of the past.': words(`
    ad_campaign ad_campaign_audience ad_zone ad_day ad_hour ad_slice ad_outside_day ad_lead`),
  'They are visits, which the archive has without their visitors.': words('visit customer_visit'),
};

/** The keys of documents, where it is not `id`. */
export const DOCUMENT_KEYS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  words(`
    account_balance=account_id entry=transfer_id+line wallet_setting=company_id prepaid_auto=campaign_id
    invoice_line=invoice_id+line company_billing=company_id package_choice=serial wholesale_cost=serial
    minspend_choice=serial minspend_month=company_id+month tax_profile=company_id referral_code=code
    sales_assignment=company_id+role domain=host view_export=view_id+user_id ad_terms=company_id
    ad_campaign=campaign_id ad_campaign_audience=campaign_id+audience_id ad_day=campaign_id+day
    ad_hour=campaign_id+hour+creative_id+place ad_slice=campaign_id+hour+kind+key
    ad_outside_day=campaign_id+creative_id+day ad_lead=lead_id visit=day+event_id`).map((one) => {
    const [name, key] = one.split('=');
    return [name!, key!.split('+')];
  }),
);

export const insertedTable = new Map(INSERTED.map((one) => [one.name, one]));

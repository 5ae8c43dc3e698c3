// @ts-check
/**
 * The platform's Zapier app: a Zap starts for each new lead of a campaign. It uses the developer API only
 * (/v1/me, /v1/campaigns, /v1/webhooks, /v1/webhook-samples). How to publish it is in README.md.
 */

/**
 * @typedef {{ url: string, method?: string, params?: Record<string, string>, body?: unknown, headers?: Record<string, string>,
 *   skipThrowForStatus?: boolean }} Ask
 * @typedef {{ status: number, data: any }} Answer
 * @typedef {{ request(ask: Ask): Promise<Answer>, cursor: { get(): Promise<string | null>, set(cursor: string): Promise<void> } }} Z
 * @typedef {{ authData: Record<string, string>, inputData: Record<string, string>, targetUrl?: string, subscribeData?: { id: string },
 *   cleanedRequest?: Record<string, unknown>, meta?: { page: number } }} Bundle
 */

/** @param {Bundle} bundle The address that the agency's people sign in at, without a path */
const baseOf = ({ authData }) => new URL(authData.address ?? '').origin;

/** Zapier knows records by their `id`. @param {Record<string, unknown>} lead */
const recordOf = (lead) => ({ id: lead.lead_id, ...lead });

/** Signs every request with the key. @param {Ask} ask @param {Z} _z @param {Bundle} bundle */
const withKey = (ask, _z, bundle) => ({
  ...ask,
  headers: { ...ask.headers, Authorization: `Bearer ${bundle.authData.key}` },
});

const text = (/** @type {string} */ key, /** @type {string} */ label) => ({ key, label, type: 'string' });

export default {
  version: '1.0.0',
  platformVersion: '19.1.0',
  flags: { cleanInputData: false },
  beforeRequest: [withKey],

  authentication: {
    type: 'custom',
    fields: [
      {
        ...text('address', 'Address'),
        required: true,
        helpText: 'The address that you sign in at, such as https://leads.example.com.',
      },
      {
        ...text('key', 'Secret key'),
        required: true,
        type: 'password',
        helpText:
          'From the Developer page: a key with the scopes campaigns.read, leads.read, and webhooks.write.',
      },
    ],
    test: {
      url: '{{bundle.authData.address}}/v1/me',
    },
    connectionLabel: '{{company.name}} ({{mode}})',
  },

  triggers: {
    new_lead: {
      key: 'new_lead',
      noun: 'Lead',
      display: { label: 'New Lead', description: 'Triggers when a campaign finds a new lead.' },
      operation: {
        type: 'hook',
        inputFields: [
          {
            ...text('campaign_id', 'Campaign'),
            required: true,
            dynamic: 'campaign.id.name',
            helpText: 'The Zap starts for the leads of this campaign.',
          },
        ],
        /** @param {Z} z @param {Bundle} bundle */
        async performSubscribe(z, bundle) {
          const { data } = await z.request({
            method: 'POST',
            url: `${baseOf(bundle)}/v1/webhooks`,
            body: { campaign_id: bundle.inputData.campaign_id, url: bundle.targetUrl, format: 'flat' },
          });
          return data;
        },
        /** One that somebody has removed is fine. @param {Z} z @param {Bundle} bundle */
        async performUnsubscribe(z, bundle) {
          const answer = await z.request({
            method: 'DELETE',
            url: `${baseOf(bundle)}/v1/webhooks/${bundle.subscribeData?.id}`,
            skipThrowForStatus: true,
          });
          if (answer.status >= 400 && answer.status !== 404)
            throw new Error(answer.data?.detail ?? `The platform returned ${answer.status}.`);
          return answer.data ?? {};
        },
        /** @param {Z} _z @param {Bundle} bundle */
        perform: (_z, bundle) => [recordOf(bundle.cleanedRequest ?? {})],
        /** Leads to set up a Zap with. @param {Z} z @param {Bundle} bundle */
        async performList(z, bundle) {
          const { data } = await z.request({
            url: `${baseOf(bundle)}/v1/webhook-samples`,
            params: { campaign_id: bundle.inputData.campaign_id ?? '' },
          });
          return data.data.map(recordOf);
        },
        sample: {
          id: '0195a1f0-0000-7000-8000-000000000001',
          lead_id: '0195a1f0-0000-7000-8000-000000000001',
          first_name: 'Ada',
          last_name: 'Lovelace',
          full_name: 'Ada Lovelace',
          email: 'ada@example.com',
          phone: '+12025550123',
          city: 'Springfield',
          state: 'IL',
          zip: '62701',
          campaign_name: 'Spring campaign',
          page_url: 'https://shop.example/pricing',
          created_at: '2026-03-02T15:00:00.000Z',
        },
        outputFields: [
          text('id', 'Lead ID'),
          text('first_name', 'First name'),
          text('last_name', 'Last name'),
          text('full_name', 'Full name'),
          text('email', 'Email'),
          text('phone', 'Phone number'),
          text('phone2', 'Second phone number'),
          text('address', 'Street address'),
          text('city', 'City'),
          text('state', 'State'),
          text('zip', 'ZIP code'),
          text('company_name', 'Company name'),
          text('job_title', 'Job title'),
          text('website', 'Website'),
          text('campaign_name', 'Campaign name'),
          text('page_url', 'Page visited'),
          text('referrer', 'Referrer'),
          text('created_at', 'Time of the lead'),
        ],
      },
    },

    /** Fills the drop-down of campaigns. */
    campaign: {
      key: 'campaign',
      noun: 'Campaign',
      display: { label: 'List of Campaigns', description: 'The campaigns to choose from.', hidden: true },
      operation: {
        canPaginate: true,
        /** @param {Z} z @param {Bundle} bundle */
        async perform(z, bundle) {
          const after = bundle.meta?.page ? await z.cursor.get() : null;
          if (bundle.meta?.page && !after) return [];
          const { data } = await z.request({
            url: `${baseOf(bundle)}/v1/campaigns`,
            params: { limit: '100', ...(after ? { cursor: after } : {}) },
          });
          await z.cursor.set(data.next_cursor ?? '');
          return data.data;
        },
        sample: { id: '0195a1f0-0000-7000-8000-000000000002', name: 'Spring campaign' },
      },
    },
  },
};

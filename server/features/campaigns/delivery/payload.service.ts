import { DEFAULT_FIELDS, type Payload, type PayloadHeader } from '../../../../contract/campaigns/payloads.ts';
import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { DeliveryDeps } from './deps.ts';
import { createExamples } from './examples.ts';
import { checkFields, checkTemplate, headersFrom, messageOf } from './payload.policy.ts';
import { HEADERS, openHeaders, requestHeaders } from './send.service.ts';
import { USER_AGENT } from './sign.ts';
import * as store from './store.ts';

type Deps = Pick<DeliveryDeps, 'audit' | 'campaigns' | 'leads' | 'enrichment'> & {
  present(tx: Tx, id: string): Promise<store.IntegrationRow>;
  held(tx: Tx, id: string): Promise<store.IntegrationRow>;
  counted(tx: Tx, id: string): Promise<store.Counted>;
};

/** A payload as someone asks for it; parts that are not given stay as they are. */
export interface GivenPayload {
  format: Payload['format'];
  fields?: Payload['fields'] | undefined;
  template?: string | undefined;
  headers?: PayloadHeader[] | undefined;
}

const MASK = '••••••';
const MOST_SAMPLES = 3;
/** Everything that is known about a lead, in one flat object. */
export const FLAT: Payload = { format: 'flat', fields: [...DEFAULT_FIELDS], template: '' };

/** What the webhooks of a campaign send (INTG-02). */
export function payloadChanges(platform: Platform, deps: Deps) {
  const { db, clock, vault } = platform;
  const { audit, campaigns, leads, present, held, counted } = deps;
  const examples = createExamples(platform, deps);
  const missing = (): never => {
    throw new Refusal('not_found', ownMessages.notFound);
  };

  /** A webhook that is there. @throws Refusal 404 */
  async function webhook(tx: Tx, id: string, find = present): Promise<store.IntegrationRow> {
    const row = await find(tx, id);
    return row.kind === 'webhook' ? row : missing();
  }

  /** The payload that a webhook would have. @throws Refusal 422 naming the field */
  function payloadFrom(given: GivenPayload, before: Payload): Payload {
    const fields = given.fields ?? (before.fields.length > 0 ? before.fields : [...DEFAULT_FIELDS]);
    const template = given.template ?? before.template;
    const hasFields = given.format === 'flat' || given.format === 'form';
    if (given.fields || hasFields) checkFields(fields);
    if (given.template || given.format === 'template') checkTemplate(template);
    return { format: given.format, fields: given.fields || hasFields ? fields : before.fields, template };
  }

  return {
    /** A webhook with its counts. @throws Refusal 404 */
    webhook: (ctx: Ctx, id: string): Promise<store.Counted> =>
      inScope(db.app, ctx.scope, async (tx) => counted(tx, (await webhook(tx, id)).id)),

    /** The newest leads of a campaign as a flat webhook sends them; a made-up one if there is none. @throws Refusal 404 */
    async samples(ctx: Ctx, campaignId: string): Promise<Record<string, string | null>[]> {
      const { campaign, newest } = await inScope(db.app, ctx.scope, async (tx) => ({
        campaign: (await campaigns.visible(tx, campaignId)) ?? missing(),
        newest: ctx.may('lead.read') ? await leads.newest(tx, campaignId, MOST_SAMPLES) : [],
      }));
      // Outside: anyone who holds one connection must not wait for another.
      const withheld = await leads.withheld(
        campaign.root_id,
        newest.map(({ id }) => id),
      );
      const found = await inScope(db.app, ctx.scope, (tx) => examples.some(tx, campaign, newest, withheld));
      return found.map((data) => JSON.parse(messageOf(FLAT, data).body));
    },

    /** What a webhook sends. @throws Refusal 404 */
    payload: (ctx: Ctx, id: string): Promise<store.IntegrationRow> =>
      inScope(db.app, ctx.scope, (tx) => webhook(tx, id)),

    /** Changes what a webhook sends from now on. @throws Refusal 404, 422 */
    setPayload: (ctx: Ctx, id: string, given: GivenPayload): Promise<store.Counted> =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = await webhook(tx, id, held);
        const payload = payloadFrom(given, row.payload);
        // Headers whose key is lost can still be replaced.
        const before = openHeaders(vault, row.headers_sealed) ?? [];
        const headers = given.headers && headersFrom(given.headers, before);
        const changes = [
          ...changesOf(row.payload, payload),
          ...(headers ? headerChanges(row.header_names, before, headers) : []),
        ];
        if (changes.length > 0) {
          await store.updateIntegration(tx, id, {
            payload: JSON.stringify(payload),
            ...(headers
              ? {
                  header_names: headers.map(({ name }) => name),
                  headers_sealed: headers.length > 0 ? vault.seal(JSON.stringify(headers), HEADERS) : null,
                }
              : {}),
            updated_at: clock.now(),
          });
          await audit.record(tx, ctx, {
            action: 'integration.payload',
            objectKind: 'integration',
            objectId: id,
            description: `Changed what the webhook ${row.name} sends: ${changes.join(', ')}`,
            owner: { root_id: row.root_id, agency_id: row.agency_id, company_id: row.company_id },
          });
        }
        return counted(tx, id);
      }),

    /** What a webhook would send about the newest lead of its campaign, or a made-up one. @throws Refusal 404, 422 */
    previewPayload: (ctx: Ctx, id: string, given: GivenPayload) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = await webhook(tx, id);
        const campaign = (await campaigns.visible(tx, row.campaign_id)) ?? missing();
        const payload = payloadFrom(given, row.payload);
        const headers = given.headers
          ? headersFrom(given.headers, undefined)
          : row.header_names.map((name) => ({ name, value: '' }));
        const { data, isExample } = await examples.newest(tx, ctx, campaign);
        const message = messageOf(payload, data);
        const shown = requestHeaders(
          {
            'content-type': message.contentType,
            'user-agent': USER_AGENT,
            'webhook-id': MASK,
            'webhook-timestamp': MASK,
            'webhook-signature': MASK,
          },
          headers.map(({ name }) => ({ name, value: MASK })),
        );
        return {
          is_example: isExample,
          method: 'POST' as const,
          headers: Object.entries(shown).map(([name, value]) => ({ name, value })),
          body: message.body,
        };
      }),
  };
}

/** What is different, in words. */
function changesOf(before: Payload, after: Payload): string[] {
  const changes: string[] = [];
  if (before.format !== after.format) changes.push(`format from ${before.format} to ${after.format}`);
  if (JSON.stringify(before.fields) !== JSON.stringify(after.fields))
    changes.push(`${after.fields.length} ${after.fields.length === 1 ? 'field' : 'fields'}`);
  if (before.template !== after.template) changes.push('template');
  return changes;
}

/** What is different about the headers, by their names, without values. */
function headerChanges(
  names: readonly string[],
  before: readonly PayloadHeader[],
  after: readonly PayloadHeader[],
): string[] {
  const added = after.filter(({ name }) => !names.includes(name)).map(({ name }) => name);
  const removed = names.filter((name) => !after.some((one) => one.name === name));
  const changed = after
    .filter(
      ({ name, value }) => names.includes(name) && before.find((one) => one.name === name)?.value !== value,
    )
    .map(({ name }) => name);
  const isMoved = !added.length && !removed.length && names.join() !== after.map(({ name }) => name).join();
  return [
    ...(added.length ? [`headers added: ${added.join(' ')}`] : []),
    ...(removed.length ? [`headers removed: ${removed.join(' ')}`] : []),
    ...(changed.length ? [`new values of headers: ${changed.join(' ')}`] : []),
    ...(isMoved ? ['order of headers'] : []),
  ];
}

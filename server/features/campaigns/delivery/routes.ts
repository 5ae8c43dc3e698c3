import { DEFAULT_FIELDS } from '../../../../contract/campaigns/payloads.ts';
import type { contract } from '../../../../contract/index.ts';
import { messages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Handlers, PlainRoute } from '../../../platform/http/routes.ts';
import { page } from '../../../platform/page.ts';
import type { Tried } from './rules.service.ts';
import type { Attempt, Counted, Delivery, DeskRow } from './service.ts';

/** The calls of the feature. */
export function deliveryRoutes(delivery: Delivery): {
  handlers: Handlers<typeof contract.delivery>;
  spreadsheets: Handlers<typeof contract.spreadsheets>;
  plain: PlainRoute[];
} {
  const saved = { result: 'success' as const, message: messages.changesSaved };
  return {
    handlers: {
      list: async (ctx, { campaign_id }) => ({ data: (await delivery.list(ctx, campaign_id)).map(wire) }),
      async create(ctx, input) {
        const { row, secret } = await delivery.create(ctx, input);
        return { ...saved, data: wire(row), secret };
      },
      update: async (ctx, { id, ...given }) => ({
        ...saved,
        data: wire(await delivery.update(ctx, id, given)),
      }),
      async payload(ctx, { id }) {
        const { payload, header_names } = await delivery.payload(ctx, id);
        const { format, template } = payload;
        const fields = payload.fields.length > 0 ? payload.fields : [...DEFAULT_FIELDS];
        return { format, fields, template, header_names };
      },
      setPayload: async (ctx, { id, ...given }) => ({
        ...saved,
        data: wire(await delivery.setPayload(ctx, id, given)),
      }),
      setRules: async (ctx, { id, rules }) => ({
        ...saved,
        data: wire(await delivery.setRules(ctx, id, rules)),
      }),
      async tryRules(ctx, { id, rules }) {
        const tried = await delivery.tryRules(ctx, id, rules);
        const count = (verdict: Tried['verdict']) => tried.filter((one) => one.verdict === verdict).length;
        return {
          goes: count('goes'),
          waits: tried.filter((one) => one.waits_until).length,
          not_matching: count('not_matching'),
          others_turn: count('others_turn'),
          not_sendable: count('not_sendable'),
          data: tried.map(({ verdict, ...one }) => ({
            ...one,
            created_at: one.created_at.toISOString(),
            waits_until: one.waits_until?.toISOString() ?? null,
            goes: verdict === 'goes',
          })),
        };
      },
      previewPayload: (ctx, { id, ...given }) => delivery.previewPayload(ctx, id, given),
      async remove(ctx, { id }) {
        await delivery.remove(ctx, id);
        return saved;
      },
      async attach(ctx, input) {
        return { ...saved, data: wire(await delivery.attach(ctx, input)) };
      },
      configure: async (ctx, { id, ...given }) => ({
        ...saved,
        data: wire(await delivery.configure(ctx, id, given)),
      }),
      preview: (ctx, input) => delivery.preview(ctx, input),
      undelivered: async (ctx, { company_id }) => ({
        data: (await delivery.undelivered(ctx, company_id)).map((row) => ({
          id: row.id,
          name: row.name,
          kind: row.kind,
          connection_id: row.connection_id,
          connection_company_id: row.connection_company_id,
          may_resend: row.is_held,
          company_name: row.company_name,
          campaign_id: row.campaign_id,
          module: row.module,
          campaign_name: row.campaign_name,
          state: row.state,
          cause: row.cause,
          leads: Number(row.leads),
          first_at: row.first_at.toISOString(),
          last_at: row.last_at.toISOString(),
        })),
      }),
      async test(ctx, { id }) {
        const outcome = await delivery.test(ctx, id);
        return {
          result: outcome.error === null ? 'success' : 'failed',
          message:
            outcome.error ??
            (outcome.remoteId === undefined
              ? `The endpoint returned ${outcome.status}.`
              : 'The test lead arrived.'),
          status: outcome.status,
          duration_ms: outcome.durationMs,
        };
      },
      async log(ctx, input) {
        const mayName = ctx.may('lead.read');
        const { rows, tries, total } = await delivery.log(ctx, input.id, {
          state: input.state,
          search: input.search,
          order: input.order ?? 'desc',
          limit: input.per_page,
          offset: (input.page - 1) * input.per_page,
        });
        const byDelivery = Map.groupBy(tries, (attempt) => attempt.delivery_id);
        return page(
          rows.map((row) => ({
            id: row.id,
            message_id: row.message_id,
            lead_id: row.lead_id,
            lead_name: row.is_test
              ? 'Test Lead'
              : (mayName && [row.first_name, row.last_name].filter(Boolean).join(' ')) || null,
            state: row.state,
            is_test: row.is_test,
            attempts: row.attempts,
            next_at: row.next_at?.toISOString() ?? null,
            delivered_at: row.delivered_at?.toISOString() ?? null,
            created_at: row.created_at.toISOString(),
            tries: (byDelivery.get(row.id) ?? []).map(tryWire),
          })),
          total,
          input,
        );
      },
      async desk(ctx, input) {
        const { page: Page, per_page, search, state, ...filter } = input;
        const asked = { limit: per_page, offset: (Page - 1) * per_page };
        const { rows, total } = await delivery.desk(ctx, { ...filter, state, messageId: search }, asked);
        return page(
          rows.map((row) => deskWire(row, ctx)),
          total,
          input,
        );
      },
      async erase(ctx, { id }) {
        await delivery.erase(ctx, id);
        return { result: 'success', message: 'Deleted at the service' };
      },
      async one(ctx, { id }) {
        const { row, tries, canErase } = await delivery.one(ctx, id);
        return {
          ...deskWire(row, ctx),
          can_erase: canErase && ctx.may('integration.write'),
          tries: tries.map((attempt) => ({
            ...tryWire(attempt),
            exchanges: (attempt.exchanges ?? []).map((one) => ({
              ...one,
              headers: one.headers.map(([name, value]) => ({ name, value })),
            })),
          })),
        };
      },
      async destinations(ctx, input) {
        const asked = { limit: input.per_page, offset: (input.page - 1) * input.per_page };
        const { rows, total } = await delivery.destinations(ctx, input.company_id, asked);
        return page(
          rows.map((row) => ({
            ...row,
            name: row.name || row.url || '',
            campaign_id: row.campaign_id,
            module: row.module,
            state: row.state === 'enabled' ? ('enabled' as const) : ('disabled' as const),
            connection_state: row.connection_state === 'removed' ? null : row.connection_state,
            waiting: Number(row.waiting),
            failed: Number(row.failed),
          })),
          total,
          input,
        );
      },
      async resend(ctx, input) {
        const replayed = await delivery.resend(ctx, input);
        return { result: 'success', message: resending(replayed), replayed };
      },
      async replay(ctx, { id, delivery_id, cause }) {
        const replayed = await delivery.replay(ctx, id, { deliveryId: delivery_id, cause });
        return {
          result: 'success',
          message: resending(replayed),
          replayed,
        };
      },
    },
    spreadsheets: {
      async create(ctx, input) {
        const { url, refused, destination } = await delivery.createDocument(ctx, input);
        return { ...saved, url, unshared: refused, data: wire(destination) };
      },
      check: (ctx, { campaign_id }) => delivery.checkDocument(ctx, campaign_id),
      history: async (ctx, { campaign_id }) => ({
        data: (await delivery.documentHistory(ctx, campaign_id)).map((row) => ({
          url: row.url,
          created_at: row.created_at.toISOString(),
          ended_at: row.ended_at?.toISOString() ?? null,
        })),
      }),
      async reset(ctx, { campaign_id }) {
        const { url, refused } = await delivery.resetDocument(ctx, campaign_id);
        return { ...saved, url, unshared: refused };
      },
      async share(ctx, { campaign_id, emails }) {
        const { recipients, refused } = await delivery.shareDocument(ctx, campaign_id, emails);
        return { ...saved, recipients, unshared: refused };
      },
      async resendLink(ctx, { campaign_id }) {
        await delivery.sendDocumentLink(ctx, campaign_id);
        return { result: 'success', message: 'The link was sent' };
      },
    },
    plain: [],
  };
}

const resending = (count: number): string => (count === 1 ? 'Resending 1 lead' : `Resending ${count} leads`);

/** The last response is part of the requests; attempts from before these were kept have it themselves. */
const tryWire = (attempt: Attempt) => ({
  number: attempt.number,
  started_at: attempt.started_at.toISOString(),
  duration_ms: attempt.duration_ms,
  status: attempt.status,
  answer: attempt.exchanges?.at(-1)?.answer ?? attempt.answer,
  error: attempt.error,
});

const deskWire = (row: DeskRow, ctx: Ctx) => ({
  id: row.id,
  destination_id: row.integration_id,
  destination: row.name || row.url || '',
  kind: row.kind,
  destination_state: row.integration_state,
  campaign_id: row.campaign_id,
  module: row.module,
  campaign_name: row.campaign_name,
  company_name: row.company_name,
  message_id: row.message_id,
  lead_id: row.lead_id,
  lead_name: (ctx.may('lead.read') && [row.first_name, row.last_name].filter(Boolean).join(' ')) || null,
  state: row.state,
  may_resend: !row.is_hidden && row.integration_state === 'enabled' && ctx.may('integration.write'),
  cause: row.cause,
  attempts: row.attempts,
  next_at: row.next_at?.toISOString() ?? null,
  delivered_at: row.delivered_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
});

/** A client does not see how its agency's connection is used; `connection_state` is null then. */
const wire = (row: Counted) => ({
  id: row.id,
  campaign_id: row.campaign_id,
  kind: row.kind,
  name: row.name || row.url || '',
  url: row.url,
  connection_id: row.connection_id,
  connection_state: row.connection_state === 'removed' ? null : row.connection_state,
  settings: isHidden(row) ? {} : row.settings,
  mapping: isHidden(row) ? {} : row.mapping,
  payload_format: row.payload.format,
  rules: row.rules,
  time_zone: row.time_zone,
  state: row.state === 'enabled' ? ('enabled' as const) : ('disabled' as const),
  state_reason: row.state_reason,
  delivered: Number(row.delivered),
  pending: Number(row.pending),
  failed: Number(row.failed),
  skipped: Number(row.skipped),
  created_at: row.created_at.toISOString(),
});

const isHidden = (row: Counted): boolean => row.connection_id !== null && row.connection_state === null;

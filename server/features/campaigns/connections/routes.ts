import type { contract } from '../../../../contract/index.ts';
import { messages } from '../../../../contract/messages.ts';
import type { Vendor } from '../../../integrations/index.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import type { Connections, CountedConnection } from './service.ts';

/** The calls of the feature. */
export function connectionsRoutes(connections: Connections): Handlers<typeof contract.connections> {
  return {
    vendors: async () => ({
      data: connections.vendors().map((vendor) => vendorInfo(vendor, connections.standIn(vendor.id))),
    }),
    list: async (ctx, { companyID, vendor }) => ({
      data: (await connections.list(ctx, companyID, vendor)).map(wire),
    }),
    async create(ctx, input) {
      const row = await connections.create(ctx, input);
      return { result: 'success', message: `Connected to ${row.account}`, data: wire(row) };
    },
    async update(ctx, { id, ...given }) {
      const row = await connections.update(ctx, id, given);
      return { result: 'success', message: messages.changesSaved, data: wire(row) };
    },
    async remove(ctx, { id }) {
      await connections.remove(ctx, id);
      return { result: 'success', message: 'Disconnected' };
    },
    async test(ctx, { id }) {
      const row = await connections.test(ctx, id);
      return { result: 'success', message: `The connection to ${row.account} works`, data: wire(row) };
    },
    choices: (ctx, { id }) => connections.choices(ctx, id),
  };
}

const wire = (row: CountedConnection) => ({
  id: row.id,
  companyID: row.company_id,
  vendor: row.vendor,
  name: row.name,
  account: row.account,
  state: row.state === 'removed' ? ('paused' as const) : row.state,
  state_reason: row.state_reason,
  held_until: row.held_until?.toISOString() ?? null,
  campaigns: Number(row.campaigns),
  waiting: Number(row.waiting),
  checked_at: row.checked_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
});

const vendorInfo = (vendor: Vendor, standIn: ReturnType<Connections['standIn']>) => ({
  id: vendor.id,
  name: vendor.name,
  summary: vendor.summary,
  category: vendor.category,
  steps: [...vendor.steps],
  unverified: vendor.isUnverified ?? false,
  noun: vendor.noun,
  credentials: vendor.credentials.map((field) => ({
    key: field.key,
    label: field.label,
    help: field.help,
    secret: field.isSecret,
    optional: field.isOptional ?? false,
    placeholder: field.placeholder ?? '',
  })),
  settings: vendor.settings.map((setting) => ({
    key: setting.key,
    label: setting.label,
    help: setting.help,
    kind: setting.kind,
    required: setting.isRequired ?? false,
  })),
  fields: vendor.fields.map((field) => ({
    key: field.key,
    label: field.label,
    from: field.from ?? '',
    required: field.isRequired ?? false,
  })),
  own_fields: vendor.hasOwnFields ?? false,
  demo: standIn?.page ? { page: standIn.page, credentials: { ...standIn.credentials } } : null,
});

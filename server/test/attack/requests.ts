/**
 * The building blocks of the attack on every call: the calls of the OpenAPI document, bodies that fit them, and hostile
 * values.
 */

export interface Schema {
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  pattern?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  minimum?: number;
  minItems?: number;
  minLength?: number;
}

interface Operation {
  parameters?: { name: string; in: string; required?: boolean; schema?: Schema }[];
  requestBody?: { content?: Record<string, { schema?: Schema }> };
  servers?: { url: string }[];
}

/** One call: its address, and each of its fields with its schema. */
export interface Call {
  key: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With its parameters in braces. */
  path: string;
  fields: { in: 'path' | 'query' | 'body'; name: string; schema: Schema; required: boolean }[];
}

/** Every call of an OpenAPI document. */
export function callsOf(document: { paths: Record<string, Record<string, unknown>> }): Call[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations as Record<string, Operation>).map(([verb, operation]) => {
      const method = verb.toUpperCase() as Call['method'];
      const full = `${operation.servers?.[0]?.url === '/' ? '' : '/api'}${path}`;
      const body = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
      return {
        key: `${method} ${full}`,
        method,
        path: full,
        fields: [
          ...(operation.parameters ?? [])
            .filter((one) => one.in === 'path' || one.in === 'query')
            .map((one) => ({
              in: one.in as 'path',
              name: one.name,
              schema: one.schema ?? {},
              required: one.required ?? false,
            })),
          ...Object.entries(propertiesOf(body)).map(([name, schema]) => ({
            in: 'body' as const,
            name,
            schema,
            required: body?.required?.includes(name) ?? false,
          })),
        ],
      };
    }),
  );
}

/** The fields of an object's schema, those of its variants included. */
function propertiesOf(schema: Schema | undefined): Record<string, Schema> {
  const parts = [...(schema?.anyOf ?? []), ...(schema?.oneOf ?? []), ...(schema?.allOf ?? [])];
  return Object.assign({}, ...parts.map(propertiesOf), schema?.properties);
}

/** A value that fits a schema, so that a call gets as far as possible; texts are chosen by the field's name. */
export function fitting(name: string, schema: Schema, serial: number): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[serial % schema.enum.length];
  const variants = (schema.anyOf ?? schema.oneOf ?? []).filter(
    (one) => one.type !== 'null' && one.const !== '',
  );
  if (variants.length > 0) return fitting(name, variants[0]!, serial);
  const type = [schema.type].flat().find((one) => one !== 'null');
  if (type === 'boolean') return false;
  if (type === 'number' || type === 'integer') return Math.max(1, schema.minimum ?? 1);
  if (type === 'array') return [fitting(name, schema.items ?? {}, serial)];
  if (type === 'object')
    return Object.fromEntries(
      Object.entries(schema.properties ?? {})
        .filter(([key]) => schema.required?.includes(key))
        .map(([key, one]) => [key, fitting(key, one, serial)]),
    );
  if (schema.format === 'date' || /date/i.test(name)) return '2026-03-09';
  if (/mail/i.test(name)) return `attack${serial}@people.test`;
  if (/countrycode|country/i.test(name)) return 'US';
  if (/phone/i.test(name)) return '2025550123';
  if (/url|site/i.test(name)) return 'https://shop.example.com/';
  if (/domain/i.test(name)) return `attack${serial}.test`;
  if (/zip/i.test(name)) return '60601';
  if (/state/i.test(name)) return 'IL';
  if (/host$/i.test(name)) return `attack${serial}.test`;
  if (/key$/i.test(name)) return `00000000-0000-4000-8000-${String(serial).padStart(12, '0')}`;
  if (/coupon/i.test(name)) return `ATTACK-${serial}`;
  if (/password/i.test(name)) return 'correct horse battery';
  if (/^path$/.test(name)) return '/api/leadspeek/report/lead/export';
  if (/reason/i.test(name)) return 'An attack on every call';
  if (/amount|price|cost|percent|limit|page/i.test(name) || schema.pattern?.includes('\\d')) return '1';
  return `Attack ${serial}`;
}

/** Fields that refer to an object. */
export const namesObject = (name: string): boolean =>
  /(id|ids|sys|group|kept|absorbed)$/i.test(name) && !/paid|valid|feature|disabled/i.test(name);

const nested = (levels: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = level % 2 ? { a: value } : [value];
  return value;
};

/** Values an attacker puts into a field. */
export const HOSTILE: unknown[] = [
  '',
  ' ',
  'a\u0000b',
  'a\ud83db',
  'x'.repeat(100_001),
  '🧨'.repeat(2000),
  `"${'>'.repeat(20_000)}`,
  `${'<!---->'.repeat(29)}x`,
  `'; drop table lead; --`,
  `' or '1'='1`,
  '%',
  '\\',
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '{{7*7}}<%= 7*7 %>',
  '../../../../etc/passwd',
  '..%2f..%2fetc%2fpasswd',
  'x\r\nSet-Cookie: attack=1\r\n\r\n',
  '=cmd|/c calc!A1',
  '__proto__',
  'constructor',
  'toString',
  '\u202Egnp.exe',
  '１２３',
  '-1',
  '0',
  '1e400',
  'NaN',
  '9'.repeat(40),
  '0.0000001',
  '2026-02-30',
  '0000-00-00',
  '-271821-04-20',
  'http://169.254.169.254/latest/meta-data/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  `${'a'.repeat(64)}@${'b'.repeat(190)}.test`,
  '00000000-0000-4000-8000-000000000000',
  'null',
  'true',
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 53,
  1e308,
  [],
  [[]],
  [null],
  Array.from({ length: 10_000 }, () => 0),
  {},
  { $ne: null },
  { toString: 1, length: -1 },
  JSON.parse('{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}'),
  nested(60),
];

/** Hosts that an attacker puts into a request's header. */
export const HOSTS = [
  'evil.test',
  '127.0.0.1',
  '169.254.169.254',
  'one.test.evil.test',
  'one.test@evil.test',
  'one.test:99999',
  'ONE.TEST.',
  'xn--',
  `${'a'.repeat(300)}.test`,
  '[::1]',
  '..',
  "one.test' or '1'='1",
  'one.test/../two.test',
];

/** Random numbers reproducible from a seed (mulberry32). */
export function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

import type { AnyContractRouter } from '@orpc/contract';
import { OpenAPIGenerator } from '@orpc/openapi';
import { ZodToJsonSchemaConverter } from '@orpc/zod/zod4';
import { z } from 'zod';
import { PERMISSIONS } from '../../../contract/accounts/permissions.ts';
import { VERSIONS } from '../../../contract/developer/versions.ts';
import { ERROR_STATUS } from '../../../contract/errors.ts';
import type { PlainRoute } from './routes.ts';

type Operation = Record<string, unknown> & { summary?: string; tags?: string[]; description?: string };
export interface ApiDocument {
  openapi: string;
  info: { title: string; version: string; description: string };
  paths: Record<string, Record<string, Operation>>;
  components?: Record<string, unknown>;
}

const errorSchema = {
  type: 'object',
  required: ['result', 'message', 'errors', 'requestId'],
  properties: {
    result: { const: 'failed' },
    message: { type: 'string', description: 'Human-readable message' },
    errors: {
      type: 'object',
      additionalProperties: { type: 'array', items: { type: 'string' } },
      description: 'Messages for each field',
    },
    requestId: { type: 'string' },
  },
};

/** The errors of the developer API (RFC 9457). */
const problemSchema = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'request_id'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'Human-readable message' },
    errors: {
      type: 'array',
      description: 'What is wrong with the request',
      items: {
        type: 'object',
        required: ['location', 'message', 'fix'],
        properties: {
          location: {
            type: 'string',
            description: 'query.limit, path.id, body.name, or header.Lead-Version',
          },
          message: { type: 'string' },
          fix: { type: 'string', description: 'How to correct it' },
        },
      },
    },
    request_id: { type: 'string' },
  },
};

/** Returns the OpenAPI document of every endpoint: those of the contract and the plain routes. */
export async function describeApi(
  contract: Record<string, AnyContractRouter>,
  plain: PlainRoute[],
): Promise<ApiDocument> {
  const generator = new OpenAPIGenerator({ schemaConverters: [new ZodToJsonSchemaConverter()] });
  const document = (await generator.generate(
    contract as never,
    {
      info: {
        title: 'API',
        version: '1',
        description:
          'Bodies are JSON, either plain or as {"dt": "<JWE>"}: compact JWE (ECDH-ES, A256GCM) for the key with use=enc from GET /api/keys. ' +
          'Calls that require sign-in use Authorization: Bearer <access token>.',
      },
      servers: [{ url: '/api' }],
      components: {
        securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
        schemas: { Error: errorSchema as never, Problem: problemSchema as never },
        responses: {
          Problem: {
            description: 'The request was refused',
            content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
          },
          Error: {
            description: `Errors: ${Object.entries(ERROR_STATUS)
              .map(([code, status]) => `${status} ${code}`)
              .join(', ')}`,
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
          },
        },
      },
    } as never,
  )) as unknown as ApiDocument;

  const procedures = Object.values(contract).flatMap((feature) =>
    Object.values(
      feature as Record<
        string,
        { '~orpc': { route: { method?: string; path?: string }; meta: { access?: string } } }
      >,
    ),
  );
  for (const { '~orpc': procedure } of procedures) {
    const operation = document.paths[procedure.route.path!]?.[procedure.route.method!.toLowerCase()];
    if (operation) guard(operation, procedure.meta.access ?? 'public');
  }
  document.paths ??= {};
  for (const route of plain) {
    const path = route.url.replace(/^\/api/, '').replace(/:(\w+)/g, '{$1}');
    const operation: Operation = {
      summary: route.summary,
      tags: [route.tag],
      responses: { 200: { description: 'OK' } },
    };
    const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    if (names.length)
      operation.parameters = names.map((name) => ({
        name,
        in: 'path',
        required: true,
        schema: { type: 'string' },
      }));
    if (!route.url.startsWith('/api')) operation.servers = [{ url: '/' }];
    guard(operation, route.permission ?? route.access);
    if (route.described) describe(operation, route.described);
    document.paths[path] = { ...document.paths[path], [route.method.toLowerCase()]: operation };
  }
  return document;
}

const IDEMPOTENCY =
  'A text of your choice, such as a UUID, for safe retries: for 24 hours, the same request with the same key is done once and gets the first answer, with Idempotency-Replayed: true';

/** Adds what a route for programs takes and returns. */
function describe(
  operation: Operation,
  { name, scopes = [], query, body, status = 200, answer }: NonNullable<PlainRoute['described']>,
): void {
  const { properties = {} } = schemaOf(query);
  // A parameter with a default always has a value once it is checked, but may be left out.
  const { required = [] } = z.toJSONSchema(query, { io: 'input' });
  operation.operationId = name;
  operation.security = [{ bearer: scopes }];
  operation.description = `Requires an API key, or a token of one${scopes.length > 0 ? `, with the scope ${scopes.join(' and the scope ')}` : ''}.`;
  operation.parameters = [
    ...((operation.parameters as object[] | undefined) ?? []),
    ...Object.entries(properties).map(([name, { description, ...schema }]) => ({
      name,
      in: 'query',
      required: required.includes(name),
      ...(description ? { description } : {}),
      schema,
    })),
    {
      name: 'Lead-Version',
      in: 'header',
      required: false,
      description: 'The version of the API that you use, instead of the one of your key',
      schema: { type: 'string', enum: [...VERSIONS] },
    },
  ];
  if (body) {
    (operation.parameters as object[]).push({
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description: IDEMPOTENCY,
      schema: { type: 'string', maxLength: 255 },
    });
    const { $schema: _, ...schema } = z.toJSONSchema(body, { io: 'input' });
    if (Object.keys(body.shape).length > 0)
      operation.requestBody = { required: true, content: { 'application/json': { schema } } };
  }
  operation.responses = {
    [status]: { description: 'OK', content: { 'application/json': { schema: schemaOf(answer) } } },
    default: { $ref: '#/components/responses/Problem' },
  };
}

/** The JSON schema of what a program sees: checked input and sent output. */
function schemaOf(schema: z.ZodObject): Schema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'output' });
  return rest as Schema;
}

function guard(operation: Operation, access: string): void {
  const grades = PERMISSIONS[access as keyof typeof PERMISSIONS];
  operation.security = grades ? [{ bearer: [] }] : [];
  operation.description = [
    operation.description,
    grades ? `Available to: ${grades.join(', ')}.` : 'Available to everyone.',
  ]
    .filter(Boolean)
    .join(' ');
  operation.responses = {
    ...(operation.responses as object),
    default: { $ref: '#/components/responses/Error' },
  };
}

const html = (text: unknown): string =>
  String(text ?? '').replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

interface Schema {
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  default?: unknown;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
}

function typeOf(schema: Schema): string {
  const either = schema.anyOf ?? schema.oneOf;
  if (either) return [...new Set(either.map(typeOf))].join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.type === 'array') return `${typeOf(schema.items ?? {})}[]`;
  return [schema.type].flat().join(' | ') + (schema.format ? ` (${schema.format})` : '');
}

function fields(schema: Schema | undefined, depth = 0): string {
  const inner = schema?.type === 'array' ? schema.items : schema;
  if (!inner?.properties || depth > 3) return '';
  return `<ul>${Object.entries(inner.properties)
    .map(([name, one]) => {
      const limits = [
        one.maxLength && one.maxLength < 1e6 ? `up to ${one.maxLength} characters` : '',
        one.default !== undefined ? `default ${JSON.stringify(one.default)}` : '',
      ].filter(Boolean);
      return `<li><code>${html(name)}</code> <i>${html(typeOf(one))}</i>${inner.required?.includes(name) ? ' <b>required</b>' : ''} ${html(
        [one.description, ...limits].filter(Boolean).join('; '),
      )}${fields(one, depth + 1)}</li>`;
    })
    .join('')}</ul>`;
}

/** Returns the document as a readable page: no script, no external resource, no brand. */
export function referencePage(document: ApiDocument): string {
  const byTag = new Map<string, string[]>();
  const links = new Map<string, string[]>();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const tag = operation.tags?.[0] ?? 'Other';
      const id = `${method}-${path.replace(/\W+/g, '-')}`;
      const content = (part: unknown): Schema | undefined =>
        (part as { content?: Record<string, { schema?: Schema }> })?.content?.['application/json']?.schema;
      const parameters = (operation.parameters ?? []) as {
        name: string;
        in: string;
        required?: boolean;
        schema?: Schema;
        description?: string;
      }[];
      const answer = content((operation.responses as Record<string, unknown>)?.[200]);
      const root = operation.servers ? '' : '/api';
      byTag.set(tag, [
        ...(byTag.get(tag) ?? []),
        `<section id="${id}"><h3><span class="m ${method}">${method.toUpperCase()}</span> <code>${html(root + path)}</code></h3>
        <p><b>${html(operation.summary)}</b>. ${html(operation.description)}</p>
        ${parameters.length ? `<h4>Parameters</h4><ul>${parameters.map((p) => `<li><code>${html(p.name)}</code> <i>${html(p.in)}, ${html(typeOf(p.schema ?? {}))}</i>${p.required ? ' <b>required</b>' : ''} ${html(p.description)}</li>`).join('')}</ul>` : ''}
        ${operation.requestBody ? `<h4>Body</h4>${fields(content(operation.requestBody))}` : ''}
        ${answer ? `<h4>Answer</h4>${fields(answer)}` : ''}</section>`,
      ]);
      links.set(tag, [
        ...(links.get(tag) ?? []),
        `<li><a href="#${id}"><span class="m ${method}">${method.toUpperCase()}</span> ${html(operation.summary ?? path)}</a></li>`,
      ]);
    }
  }
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>API reference</title>
<style>:root{color-scheme:light dark;--line:light-dark(#e3e5e8,#33363b);--soft:light-dark(#5a6068,#a2a8b0)}body{font:14px/1.55 system-ui,sans-serif;margin:0;background:light-dark(#fff,#16181b);color:light-dark(#1d2126,#e8eaed)}
.page{display:grid;grid-template-columns:280px minmax(0,1fr);max-width:1280px;margin:0 auto}nav{position:sticky;top:0;height:100vh;overflow:auto;padding:24px 16px;border-right:1px solid var(--line);box-sizing:border-box;font-size:13px}
nav ul{list-style:none;padding:0;margin:4px 0 16px}nav a{color:inherit;text-decoration:none;display:block;padding:3px 0}nav a:hover{text-decoration:underline}main{padding:24px 32px}section{border-top:1px solid var(--line);padding:8px 0 16px}h3{font-size:15px;overflow-wrap:anywhere}h4{margin:12px 0 4px;font-size:12px;color:var(--soft)}
ul{padding-left:20px;margin:4px 0}i{color:var(--soft);font-style:normal}.m{font:600 11px ui-monospace,monospace}.get{color:light-dark(#0b6b3a,#57c98a)}.post{color:light-dark(#0b4fae,#7db1ff)}.put{color:light-dark(#8a4b00,#f0b357)}.delete{color:light-dark(#b3261e,#ff8f87)}
a:focus-visible{outline:2px solid currentColor;outline-offset:2px}@media(max-width:800px){.page{display:block}nav{position:static;height:auto;border-right:0}main{padding:16px}}</style></head>
<body><div class="page"><nav aria-label="Calls">${[...links].map(([tag, items]) => `<b>${html(tag)}</b><ul>${items.join('')}</ul>`).join('')}</nav>
<main><h1>API reference</h1><p>${html(document.info.description)} The machine-readable document is at <a href="/api/openapi.json">/api/openapi.json</a>.</p>
${[...byTag].map(([tag, items]) => `<h2>${html(tag)}</h2>${items.join('')}`).join('')}</main></div></body></html>`;
}

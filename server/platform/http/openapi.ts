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
    const { $schema: _, ...schema } = z.toJSONSchema(body, { io: 'input', override: unbounded });
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
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'output', override: unbounded });
  return rest as Schema;
}

/** Leaves out the limits that every whole number has in JavaScript: they say nothing, and examples are made of them. */
function unbounded({ jsonSchema }: { jsonSchema: Pick<Schema, 'minimum' | 'maximum'> }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
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

import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { ApiScope } from '../../../../contract/developer/developer-rules.ts';
import { FIXES } from '../../../../contract/developer/v1.ts';
import { LEAD_VERSION } from '../../../../contract/developer/versions.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { type ApiCaller, ApiRefusal } from './auth.service.ts';
import type { Api } from './v1.api.ts';
import { type Resource, resources } from './v1.resources.ts';
import type { WriteRequest } from './v1.write.ts';
import { type Write, writes } from './v1.writes.ts';

/** The longest answer of a tool, in characters: more than that fills a model's context without use. */
const MOST_CHARACTERS = 200_000;
/** The number of plain values of a list that are returned; a campaign can have 40,000 zip codes. */
const MOST_VALUES = 200;

const BRIEF = {
  name: 'daily_brief',
  title: 'Daily brief',
  description: 'Sums up what happened since yesterday and what needs attention',
};

/**
 * Answers one message of the Model Context Protocol (streamable HTTP, stateless): the reads of the developer API as
 * tools, as far as the key's scopes allow, and its writes if the key has the scope tools.write as well. Every call is
 * the same checked read or write as over the API, in the key's own row level security.
 * @param message the parsed JSON-RPC message
 */
export async function answerMcp(
  { read, write }: Api,
  caller: ApiCaller,
  name: string,
  request: { url: string; headers: Headers; message: unknown },
): Promise<Response> {
  const has = (scope: ApiScope | undefined) => scope === undefined || caller.scopes.includes(scope);
  const mayWrite = has('tools.write');
  const tools: (Resource | Write)[] = [
    ...resources.filter(({ scope }) => has(scope)),
    ...(mayWrite ? writes.filter(({ scope, also }) => has(scope) && has(also)) : []),
  ];
  const server = new Server(
    { name: 'developer-api', title: name, version: LEAD_VERSION },
    {
      capabilities: { tools: {}, prompts: {} },
      instructions: `Reads the clients, campaigns, leads, and money of ${caller.company.name} at ${name}. ${mayWrite ? 'Tools that change something take effect at once, and what campaigns find costs money: ask the person before you use one.' : 'Nothing can be changed.'} Amounts are US dollars, times are UTC. Lists have pages: pass next_cursor as cursor to get the next one.`,
    },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map((one) => TOOLS.get(one)!) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const found = tools.find(({ tool }) => tool === params.name);
    if (!found) throw new McpError(ErrorCode.InvalidParams, 'There is no such tool for this key.');
    const given = params.arguments ?? {};
    try {
      const answer = isWrite(found)
        ? (await write(found, caller, writeOf(given))).body
        : await read(found, caller, readOf(given));
      return { content: [{ type: 'text' as const, text: textOf(answer) }] };
    } catch (error) {
      // What a model can correct is an answer to it; anything else is a failure of the call.
      if (!(error instanceof Refusal || error instanceof ApiRefusal)) throw error;
      return { isError: true, content: [{ type: 'text' as const, text: refusalText(error) }] };
    }
  });
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: [BRIEF] }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => {
    if (params.name !== BRIEF.name) throw new McpError(ErrorCode.InvalidParams, 'There is no such prompt.');
    return {
      description: BRIEF.description,
      messages: [{ role: 'user' as const, content: { type: 'text' as const, text: briefOf(tools) } }],
    };
  });
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    const { url, headers, message } = request;
    return await transport.handleRequest(new Request(url, { method: 'POST', headers }), {
      parsedBody: message,
    });
  } finally {
    await server.close();
  }
}

const isWrite = (one: Resource | Write): one is Write => 'body' in one;

/** The argument of a write that makes a retry safe, as the header does over the API. */
const RETRY = 'idempotency_key';

/** A read or a write as a tool: its parameters, or the fields of its body, as one object. */
function toolOf(one: Resource | Write) {
  const { tool, summary, url } = one;
  const { $schema: _, ...schema } = z.toJSONSchema(isWrite(one) ? one.body : one.query, { io: 'input' }) as {
    $schema?: string;
    properties?: Record<string, object>;
    required?: string[];
  };
  const properties = { ...schema.properties };
  // In addresses it is text.
  if (!isWrite(one) && properties.limit)
    properties.limit = {
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: 25,
      description: 'Maximum number of items on a page',
    };
  const isOne = url.includes(':id');
  if (isOne) properties.id = { type: 'string', format: 'uuid', description: 'The id, as a list returned it' };
  if (isWrite(one))
    properties[RETRY] = {
      type: 'string',
      maxLength: 255,
      description: 'A text of your choice. A call that is repeated with it is done only once',
    };
  return {
    name: tool,
    title: summary,
    description: `${summary}.`,
    inputSchema: {
      ...schema,
      type: 'object' as const,
      properties,
      ...(isOne ? { required: ['id', ...(schema.required ?? [])] } : {}),
      additionalProperties: false,
    },
    annotations: {
      readOnlyHint: !isWrite(one),
      openWorldHint: false,
      // What a write sets, removes, or pauses was something else before; what it adds changes nothing else.
      ...(isWrite(one) ? { destructiveHint: url.includes(':id') } : {}),
    },
  };
}

/** Described once: schemas take a while. */
const TOOLS = new Map<Resource | Write, ReturnType<typeof toolOf>>(
  [...resources, ...writes].map((one) => [one, toolOf(one)]),
);

/** A tool's arguments as a request that writes. */
function writeOf({ id, [RETRY]: key, ...body }: Record<string, unknown>): WriteRequest {
  if (key !== undefined && typeof key !== 'string') throw refusalOf(RETRY, 'must be a text');
  return { query: {}, params: { id }, body, key };
}

/** A tool's arguments as a read of the developer API, whose parameters are all text. */
function readOf(given: Record<string, unknown>): { query: unknown; params: unknown } {
  const { id, ...query } = given;
  return {
    params: { id },
    query: Object.fromEntries(
      Object.entries(query)
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([name, value]) => [name, typeof value === 'number' ? String(value) : value]),
    ),
  };
}

/** An answer as JSON; long lists of plain values are cut, and say so. */
function textOf(answer: object): string {
  const text = JSON.stringify(answer, (_key, value: unknown) =>
    Array.isArray(value) && value.length > MOST_VALUES && typeof value[0] !== 'object'
      ? [...value.slice(0, MOST_VALUES), `and ${value.length - MOST_VALUES} more`]
      : value,
  );
  if (text.length <= MOST_CHARACTERS) return text;
  throw new Refusal(
    'invalid',
    `The answer has ${text.length} characters, and only ${MOST_CHARACTERS} are allowed. Ask for fewer items with limit.`,
  );
}

/** What was wrong with a call and how to correct it, in words. */
function refusalText(error: Refusal | ApiRefusal): string {
  if (error instanceof ApiRefusal) return error.message;
  const places = Object.entries(error.errors);
  if (places.length === 0) return error.message;
  return places
    .map(([place, rules]) => {
      const name = place.slice(place.indexOf('.') + 1);
      return `${name}: ${rules.join(', ')}. ${Object.hasOwn(FIXES, name) ? FIXES[name] : ''}`.trim();
    })
    .join('\n');
}

/** The steps of a daily brief, with the tools that the key may use. */
function briefOf(tools: readonly { tool: string }[]): string {
  const has = (tool: string) => tools.some((one) => one.tool === tool);
  return [
    'Write a brief of what happened since yesterday at 00:00 UTC, in at most ten short sentences.',
    ...(has('list_leads')
      ? ['Count the new leads with list_leads and created_since, by client and campaign, over all pages.']
      : []),
    ...(has('list_campaigns')
      ? [
          'Use list_campaigns to name the campaigns that are paused, with the reason, and active ones without a lead.',
        ]
      : []),
    ...(has('list_deliveries')
      ? [
          'For campaigns with new leads, use list_deliveries with status failed to name deliveries that failed.',
        ]
      : []),
    ...(has('get_wallet') ? ['Report the balance with get_wallet, and whether it is running low.'] : []),
    'Start with what needs attention. Leave out what is normal. Do not guess: say what you could not read.',
  ].join('\n');
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { type Stub, stubRequest } from '../../server/integrations/stub.ts';
import { crmPage, MODES, type Mode, type Shown, STYLE } from './page.ts';

const SLOW_MS = 4_000;
/** Together with the stubs' own work, far below what the platform's process can bear. */
const MOST_RECORDS = 20;
/** Far above what a lead needs: the page shows all of it to whoever asks. */
const MOST_BYTES = 16_384;

const POLICY =
  "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** A service that the demo stands in for. */
export interface DemoService {
  id: string;
  name: string;
  noun: string;
  stub: Stub;
}

/**
 * Mounts stand-ins for the services that leads are delivered to, on one host (`crm.localhost`, on any port), for the
 * demo only. Each answers the calls of its service below /<id>, keeps what arrives in memory, and shows it as a page,
 * with switches for what can go wrong. One of them is slow from the start.
 */
export function registerDemoCrm(
  app: FastifyInstance,
  given: { host: string; services: readonly DemoService[]; slow: string },
): void {
  const { host, services } = given;
  const modes = new Map<string, Mode>([[given.slow, 'slow']]);
  const constraints = { host: new RegExp(`^${host.replaceAll('.', '\\.')}(:\\d+)?$`, 'i') };
  const options = (call: string) => ({ config: { access: 'open' as const, call }, constraints });
  const shown = (origin: string): Shown[] =>
    services.map(({ id, name, noun, stub }) => ({
      id,
      name,
      noun,
      mode: modes.get(id) ?? 'works',
      credentials: stub.credentials(`${origin}/${id}`),
      records: stub.records(),
    }));

  void app.register(async (inner) => {
    inner.removeAllContentTypeParsers();
    inner.addContentTypeParser('*', { parseAs: 'string', bodyLimit: MOST_BYTES }, (_request, body, done) =>
      done(null, body),
    );
    inner.get('/', options('/{demo CRM}'), async (request, reply) =>
      reply
        .header('Content-Security-Policy', POLICY)
        .header('Cache-Control', 'no-store')
        .type('text/html; charset=utf-8')
        .send(crmPage(shown(`${request.protocol}://${request.host}`), (request.query as { of?: string }).of)),
    );
    inner.get('/style.css', options('/{demo CRM style}'), async (_request, reply) =>
      reply.type('text/css; charset=utf-8').send(STYLE),
    );
    inner.post('/switch', options('/{demo CRM switch}'), async (request, reply) => {
      const form = new URLSearchParams(String(request.body ?? ''));
      const service = services.find(({ id }) => id === form.get('service'));
      const mode = form.get('mode') ?? '';
      if (service && mode in MODES) modes.set(service.id, mode as Mode);
      const record = form.get('remove');
      if (service && record) service.stub.remove(record);
      return reply.redirect(`/?of=${service?.id ?? ''}`, 303);
    });
    for (const { id, stub } of services) {
      inner.route({
        method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
        url: `/${id}/*`,
        ...options(`/{demo ${id}}`),
        async handler(request, reply) {
          const mode = modes.get(id) ?? 'works';
          if (mode === 'refuses')
            return reply.code(401).send({ message: 'The demo refuses these credentials.' });
          if (mode === 'fails') return reply.code(500).send({ message: 'The demo answers with an error.' });
          if (mode === 'slow') await sleep(SLOW_MS);
          const headers = Object.fromEntries(
            Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
          );
          const text = typeof request.body === 'string' ? request.body : '';
          const before = stub.records().length;
          const asked = stubRequest(request.method, request.url.slice(id.length + 1), headers, text);
          const answer = stub.signIn?.handle(asked) ?? answerOf(stub, asked);
          for (const { id: old } of stub
            .records()
            .slice(0, Math.max(0, stub.records().length - MOST_RECORDS)))
            stub.remove(old);
          if (mode === 'loses' && stub.records().length > before) {
            reply.hijack();
            return void request.raw.socket.destroy();
          }
          return reply
            .code(answer.status)
            .header('Content-Security-Policy', POLICY)
            .headers(answer.headers ?? {})
            .type(
              answer.text === undefined
                ? 'application/json'
                : (answer.headers?.['content-type'] ?? 'text/plain'),
            )
            .send(answer.text ?? (answer.json === undefined ? '' : JSON.stringify(answer.json)));
        },
      });
    }
  });
}

/** A request that is nothing the service knows is refused, whatever the stand-in makes of it. */
function answerOf(stub: Stub, request: Parameters<Stub['handle']>[0]): ReturnType<Stub['handle']> {
  try {
    return stub.handle(request);
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError))
      throw error;
    return { status: 400, json: { message: 'The request was not understood.' } };
  }
}

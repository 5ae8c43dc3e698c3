import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Webhook } from 'standardwebhooks';
import { messagesPage, type Received, STYLE, secretsPage } from './page.ts';

const KEPT = 50;
const NAMES = 100;
const SLOWEST_MS = 60_000;

/** What the demo receiver is given and what it stores. */
export interface DemoReceiver {
  /** The last 50 messages, newest first. */
  messages: Received[];
  /** Registers the secret of /hooks/<name>, as pasting it into the page does. */
  setSecret(name: string, secret: string): void;
}

/**
 * Mounts a stand-in for a client's own system on its own host (`receiver.localhost`, on any port), for the demo only:
 * POST /hooks/<name> accepts a lead, checks its signature and shows it on the page; /410, /500 and /slow?ms= below it
 * simulate failures. Keeps everything in memory and knows nothing about the platform.
 */
export function registerDemoReceiver(app: FastifyInstance, { host }: { host: string }): DemoReceiver {
  const messages: Received[] = [];
  const secrets = new Map<string, string>();
  const setSecret = (name: string, secret: string) => {
    secrets.delete(name);
    secrets.set(name, secret);
    if (secrets.size > NAMES) secrets.delete(secrets.keys().next().value!);
  };
  const constraints = { host: new RegExp(`^${host.replaceAll('.', '\\.')}(:\\d+)?$`, 'i') };
  const options = { config: { access: 'open' as const }, constraints };

  const html = (reply: FastifyReply, text: string) =>
    reply
      .header(
        'Content-Security-Policy',
        "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      )
      .header('Cache-Control', 'no-store')
      .type('text/html; charset=utf-8')
      .send(text);

  function take(request: FastifyRequest, answered: number): void {
    const { name } = request.params as { name: string };
    const text = (request.body as Buffer | undefined)?.toString('utf8') ?? '';
    const id = String(request.headers['webhook-id'] ?? '');
    const secret = secrets.get(name);
    let signed: boolean | null = null;
    let why = '';
    if (secret) {
      try {
        new Webhook(secret).verify(text, request.headers as Record<string, string>);
        signed = true;
      } catch (error) {
        signed = false;
        why = (error as Error).message;
      }
    }
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      body = text;
    }
    const repeats = id ? messages.filter((message) => message.id === id && message.name === name).length : 0;
    messages.unshift({ at: new Date(), name, id, signed, why, repeats, answered, body });
    messages.length = Math.min(messages.length, KEPT);
  }

  void app.register(async (inner) => {
    // Signatures are computed over the raw bytes as received.
    inner.removeAllContentTypeParsers();
    inner.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 65_536 }, (_request, body, done) =>
      done(null, body),
    );

    const answer = (status: number) => async (request: FastifyRequest, reply: FastifyReply) => {
      take(request, status);
      return reply.code(status).send();
    };
    inner.post('/hooks/:name', options, answer(204));
    inner.post('/hooks/:name/410', options, answer(410));
    inner.post('/hooks/:name/500', options, answer(500));
    inner.post('/hooks/:name/slow', options, async (request, reply) => {
      const { ms } = request.query as { ms?: string };
      await sleep(Math.min(Math.max(Number(ms) || 0, 0), SLOWEST_MS));
      return answer(204)(request, reply);
    });

    inner.get('/', options, async (request, reply) =>
      html(reply, messagesPage(messages, `${request.protocol}://${request.host}`)),
    );
    inner.get('/secrets', options, async (_request, reply) => html(reply, secretsPage([...secrets.keys()])));
    inner.post('/secrets', options, async (request, reply) => {
      const form = new URLSearchParams((request.body as Buffer | undefined)?.toString('utf8') ?? '');
      const name = form.get('name') ?? '';
      const secret = form.get('secret')?.trim() ?? '';
      if (!/^[a-z0-9-]{1,40}$/.test(name) || !/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(secret)) {
        return html(
          reply.code(422),
          secretsPage([...secrets.keys()], 'Names can contain a-z, 0-9, and -. Secrets start with whsec_.'),
        );
      }
      setSecret(name, secret);
      return html(reply, secretsPage([...secrets.keys()], `Messages to /hooks/${name} are now verified.`));
    });
    inner.get('/style.css', options, async (_request, reply) =>
      reply.type('text/css; charset=utf-8').send(STYLE),
    );
  });

  return { messages, setSecret };
}

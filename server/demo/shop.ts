import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { MadePerson } from '../test/factories.ts';
import { sha256 } from '../test/factories.ts';

const folder = join(import.meta.dirname, '../../demo/shop');
const types: Record<string, string> = {
  html: 'text/html',
  css: 'text/css',
  js: 'text/javascript',
  svg: 'image/svg+xml',
};

/**
 * The demo shop: its own small site at shop.<root domain> with the pixel of a demo campaign, so that first-time
 * users can see themselves become a lead. `origin` returns scheme, host and port of another host of this server.
 */
export function addDemoShop(
  app: FastifyInstance,
  given: { host: string; agencyHost: string; siteKey: string; people: MadePerson[]; dashboard: string },
): void {
  void app.register(async (inner) => {
    inner.get(
      '/*',
      {
        constraints: { host: new RegExp(`^${given.host.replaceAll('.', '\\.')}(:\\d+)?$`) },
        config: { access: 'open', call: '/{shop page}' },
      },
      async (request, reply) => {
        const name = request.url.split('?')[0] === '/' ? 'index.html' : request.url.split('?')[0]!.slice(1);
        const [, ending] = /^[\w-]+\.(html|css|js|svg)$/.exec(name) ?? [];
        const text = ending ? await readFile(join(folder, name), 'utf8').catch(() => null) : null;
        if (!ending || text === null)
          return reply.code(404).type('text/plain').send('This shop has no such page.');
        const port = request.host.split(':')[1];
        const agency = `${request.protocol}://${given.agencyHost}${port ? `:${port}` : ''}`;
        const chosen = given.people[Math.floor(given.people.length / 2)]!;
        return (
          reply
            .type(`${types[ending]}; charset=utf-8`)
            .header('Cache-Control', 'no-cache')
            // A shop has its own policy; it loads the pixel from the agency's host.
            .header(
              'Content-Security-Policy',
              `default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; script-src 'self' 'unsafe-inline' ${agency}; connect-src 'self' ${agency}`,
            )
            .send(
              text
                .replaceAll(
                  '{{PIXEL_TAG}}',
                  `<script async src="${agency}/p/v1/${given.siteKey}.js"></script>`,
                )
                .replaceAll('{{HASHED_LINK}}', `/product.html?em_sha256=${sha256(chosen.email)}`)
                .replaceAll('{{DEMO_EMAILS}}', given.people.map((person) => person.email).join(', '))
                .replaceAll('{{DASHBOARD_URL}}', `${agency}${given.dashboard}`),
            )
        );
      },
    );
  });
}

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';

const folder = join(import.meta.dirname, '../../demo/news');
const FILES: Record<string, string> = {
  '/': 'index.html',
  '/index.html': 'index.html',
  '/style.css': 'style.css',
};

/** The zones of the demo's news site; fixed, so that it finds them again after a restart. */
export const NEWS_ZONES = { wide: 'demonewswide', side: 'demonewsside' } as const;

/**
 * The demo publisher: a small site at news.<root domain> with two zones of an agency's house ads, so that first-time
 * users can click an ad.
 */
export function addDemoNews(app: FastifyInstance, given: { host: string; agencyHost: string }): void {
  void app.register(async (inner) => {
    inner.get(
      '/*',
      {
        constraints: { host: new RegExp(`^${given.host.replaceAll('.', '\\.')}(:\\d+)?$`) },
        config: { access: 'open', call: '/{news page}' },
      },
      async (request, reply) => {
        const name = FILES[request.url.split('?')[0]!];
        if (!name) return reply.code(404).type('text/plain').send('This site has no such page.');
        const port = request.host.split(':')[1];
        const agency = `${request.protocol}://${given.agencyHost}${port ? `:${port}` : ''}`;
        const tag = (key: string) => `<script async src="${agency}/a/v1/tag.js" data-zone="${key}"></script>`;
        return (
          reply
            .type(`${name.endsWith('.css') ? 'text/css' : 'text/html'}; charset=utf-8`)
            .header('Cache-Control', 'no-cache')
            // A news site has a policy of its own; it loads ads from the agency's host.
            .header(
              'Content-Security-Policy',
              `default-src 'self'; img-src 'self' data: ${agency}; style-src 'self' 'unsafe-inline'; script-src ${agency}; connect-src ${agency}`,
            )
            .send(
              (await readFile(join(folder, name), 'utf8'))
                .replaceAll('{{WIDE_TAG}}', tag(NEWS_ZONES.wide))
                .replaceAll('{{SIDE_TAG}}', tag(NEWS_ZONES.side)),
            )
        );
      },
    );
  });
}

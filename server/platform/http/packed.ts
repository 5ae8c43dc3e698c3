import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

const FORMS = {
  br: promisify(brotliCompress),
  gzip: promisify(gzip),
  identity: async (text: Buffer) => text,
};
type Form = keyof typeof FORMS;

/**
 * Answers with a long text that is the same for everyone. It is made when it is asked for first, and compressed once in
 * each form that is asked for, not for each request.
 */
export function packedText(type: string, make: () => Promise<string>) {
  const forms = new Map<Form, Promise<Buffer>>();
  let text: Promise<Buffer> | undefined;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const accepted = String(request.headers['accept-encoding'] ?? '');
    const form = /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : 'identity';
    text ??= make().then((made) => Buffer.from(made));
    let packed = forms.get(form);
    if (!packed) {
      packed = text.then((made): Promise<Buffer> => FORMS[form](made));
      forms.set(form, packed);
    }
    if (form !== 'identity') void reply.header('Content-Encoding', form);
    return reply
      .header('Vary', 'accept-encoding')
      .type(`${type}; charset=utf-8`)
      .send(await packed);
  };
}

import { listAt, textAt } from '../http.ts';
import type { Stub, StubAnswer } from '../stub.ts';
import { slack } from './index.ts';

const PATH = '/services/T0STUB/B0STUB/abcdefghijkl';
const KEYS = new Map(slack.fields.map(({ key, label }) => [label, key]));

/** An incoming webhook: answers in one word of plain text, refuses messages without text, and repeats what is repeated. */
export function slackStub(): Stub {
  const messages = new Map<string, Record<string, string>>();
  let isRevoked = false;
  let next = 1;
  const word = (status: number, text: string): StubAnswer => ({ status, text });
  const read = (text: string): string =>
    text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  return {
    credentials: (base) => ({ url: base + PATH }),
    settings: {},
    records: () => [...messages].map(([id, fields]) => ({ id, fields })),
    remove: (id) => void messages.delete(id),
    revoke: () => {
      isRevoked = true;
    },
    handle({ method, path, json }) {
      if (path !== PATH || isRevoked) return word(404, 'no_service');
      if (method !== 'POST' || typeof json !== 'object') return word(400, 'invalid_payload');
      if (!textAt(json, 'text')) return word(400, 'no_text');
      const fields: Record<string, string> = {};
      for (const block of listAt(json, 'blocks')) {
        const parts = listAt(block, 'fields');
        if (parts.length > 10) return word(400, 'invalid_blocks');
        if (parts.some((part) => (textAt(part, 'text') ?? '').length > 2000))
          return word(400, 'invalid_blocks');
        if ((textAt(block, 'text', 'text') ?? '').length > 150) return word(400, 'invalid_blocks');
        for (const part of parts) {
          const [, label = '', value = ''] =
            /^\*([^*\n]+)\*\n([\s\S]*)$/.exec(textAt(part, 'text') ?? '') ?? [];
          fields[KEYS.get(label) ?? label] = read(value);
        }
      }
      const texts = listAt(json, 'blocks').flatMap((block) => textAt(block, 'text', 'text') ?? []);
      messages.set(
        String(next++),
        Object.keys(fields).length > 0 ? fields : { text: read(texts.join('\n')) },
      );
      return word(200, 'ok');
    },
  };
}

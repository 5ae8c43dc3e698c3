import { listAt, textAt } from '../http.ts';
import type { Stub } from '../stub.ts';
import { teams } from './index.ts';

const PATH = '/workflows/0123456789abcdef/triggers/manual/paths/invoke';
const KEYS = new Map(teams.fields.map(({ key, label }) => [label, key]));

/** A workflow that posts cards: accepts with 202, refuses a wrong signature, and shows Markdown as text where escaped. */
export function teamsStub(): Stub {
  const messages = new Map<string, Record<string, string>>();
  let isRevoked = false;
  let next = 1;
  return {
    credentials: (base) => ({ url: `${base}${PATH}?api-version=2016-06-01&sig=stub-signature` }),
    settings: {},
    records: () => [...messages].map(([id, fields]) => ({ id, fields })),
    remove: (id) => void messages.delete(id),
    revoke: () => {
      isRevoked = true;
    },
    handle({ path, query, json }) {
      if (path !== PATH || isRevoked)
        return {
          status: 404,
          json: { error: { code: 'WorkflowNotFound', message: 'The workflow is not found.' } },
        };
      if (query.get('sig') !== 'stub-signature')
        return { status: 401, json: { error: { code: 'DirectApiAuthorizationRequired' } } };
      const [attachment] = listAt(json, 'attachments');
      if (textAt(attachment, 'contentType') !== 'application/vnd.microsoft.card.adaptive')
        return { status: 400, json: { error: { code: 'TriggerInputSchemaMismatch' } } };
      const facts = listAt(attachment, 'content', 'body').flatMap((block) => listAt(block, 'facts'));
      const shown = (text = '') => text.replace(/\\([\\[\]()*_#~`>!|+.-])/g, '$1');
      if (facts.length > 0)
        messages.set(
          String(next++),
          Object.fromEntries(
            facts.map((fact) => {
              const label = textAt(fact, 'title') ?? '';
              return [KEYS.get(label) ?? label, shown(textAt(fact, 'value'))];
            }),
          ),
        );
      else if (listAt(attachment, 'content', 'actions').length > 0) {
        const texts = listAt(attachment, 'content', 'body').map((block) => shown(textAt(block, 'text')));
        messages.set(String(next++), { text: texts.join('\n') });
      }
      return { status: 202 };
    },
  };
}

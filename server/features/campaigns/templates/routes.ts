import type { contract } from '../../../../contract/index.ts';
import { messages } from '../../../../contract/messages.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import { page } from '../../../platform/page.ts';
import type { Templates } from './service.ts';

/** The calls of the feature. */
export function templatesRoutes(templates: Templates): Handlers<typeof contract.templates> {
  const saved = { result: 'success' as const };
  const span = (asked: { page: number; per_page: number }) =>
    [asked.per_page, (asked.page - 1) * asked.per_page] as const;
  return {
    async list(ctx, { kind, search, ...asked }) {
      const [limit, offset] = span(asked);
      const { rows, total } = await templates.list(ctx, { kind, search, limit, offset });
      return page(rows, total, asked);
    },
    create: async (ctx, given) => ({
      ...saved,
      message: 'The template was created.',
      id: await templates.create(ctx, given),
    }),
    one: (ctx, { id }) => templates.one(ctx, id),
    async rename(ctx, { id, name }) {
      await templates.rename(ctx, id, name);
      return { ...saved, message: messages.updated };
    },
    async remove(ctx, { id }) {
      await templates.remove(ctx, id);
      return { ...saved, message: 'The template was removed.' };
    },
    async addVersion(ctx, { id, ...given }) {
      const number = await templates.addVersion(ctx, id, given);
      return { ...saved, message: `Version ${number} was added.`, number };
    },
    compare: async (ctx, { id, from, to }) => ({ data: await templates.compare(ctx, id, from, to) }),
    async targets(ctx, { id, search, ...asked }) {
      const { rows, total } = await templates.targets(ctx, id, search, ...span(asked));
      return page(rows, total, asked);
    },
    preview: async (ctx, { id, ...given }) => ({ data: await templates.preview(ctx, id, given) }),
    push: async (ctx, { id, ...given }) => ({
      ...saved,
      message: 'The push has started.',
      id: await templates.push(ctx, id, given),
    }),
    async pushed(ctx, { id, ...asked }) {
      const { rows, total, push, template_id } = await templates.pushed(ctx, id, ...span(asked));
      return { ...page(rows, total, asked), push, template_id };
    },
    async continue(ctx, { id }) {
      await templates.goOn(ctx, id);
      return { ...saved, message: 'The push continues.' };
    },
    async stop(ctx, { id }) {
      await templates.stop(ctx, id);
      return { ...saved, message: 'The push was stopped.' };
    },
    async rollBack(ctx, { id }) {
      await templates.rollBack(ctx, id);
      return { ...saved, message: 'The rollback has started.' };
    },
  };
}

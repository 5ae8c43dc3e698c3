import type { contract } from '../../../../contract/index.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import { page } from '../../../platform/page.ts';
import type { Returns } from './service.ts';

const leads = (count: number): string => (count === 1 ? 'The lead was' : `${count} leads were`);

/** The calls of the feature. */
export function returnsRoutes(returns: Returns): Handlers<typeof contract.returns> {
  return {
    async list(ctx, { page: at, per_page, ...filter }) {
      const asked = { limit: per_page, offset: (at - 1) * per_page };
      const { rows, counts, total } = await returns.list(ctx, filter, asked);
      return { ...page(rows, total, { page: at, per_page }), counts };
    },
    ofLead: (ctx, { id }) => returns.ofLead(ctx, id),
    async open(ctx, given) {
      const { returned, approved, skipped } = await returns.open(ctx, given);
      const message =
        approved === returned
          ? `${leads(returned)} returned and credited.`
          : `${leads(returned)} returned.${approved > 0 ? ` ${approved} of them ${approved === 1 ? 'was' : 'were'} credited immediately.` : ''}`;
      return { result: 'success', message, returned, approved, skipped };
    },
    async decide(ctx, given) {
      const { decided, skipped } = await returns.decide(ctx, given);
      const message = `${decided === 1 ? 'The return was' : `${decided} returns were`} ${given.decision}.`;
      return { result: 'success', message, decided, skipped };
    },
    quality: (ctx, given) => returns.quality(ctx, given),
  };
}

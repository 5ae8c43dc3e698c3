import type { contract } from '../../../../contract/index.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import type { Invoices } from './service.ts';
import { words } from './words.ts';

/** The routes for invoices. */
export function invoicesRoutes({ read, credit }: Invoices): Handlers<typeof contract.invoices> {
  return {
    list: (ctx, input) => read.list(ctx, input),
    upcoming: (ctx, { company_id }) => read.upcoming(ctx, company_id),
    waiting: (ctx) => read.waiting(ctx),
    one: (ctx, { id }) => read.one(ctx, id),
    events: (ctx, input) => read.events(ctx, input),
    async credit(ctx, input) {
      await credit.credit(ctx, input);
      return { result: 'success', message: words.invoiceCredited, data: await read.one(ctx, input.id) };
    },
    async writeOff(ctx, input) {
      await credit.writeOff(ctx, input);
      return { result: 'success', message: words.invoiceGivenUp, data: await read.one(ctx, input.id) };
    },
  };
}

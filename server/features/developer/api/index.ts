export type { Developer, NewKey } from './service.ts';
export { acceptedUnpaid } from './unpaid.store.ts';
export { apiRoutes } from './v1.routes.ts';

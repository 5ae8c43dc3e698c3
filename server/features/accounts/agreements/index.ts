export type { MinimumSpendOf } from './marketing.routes.ts';
export type { Agreements, Told } from './service.ts';

export type { MinimumSpendOf } from './marketing.routes.ts';
export type { Agreements } from './service.ts';

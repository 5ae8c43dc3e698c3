export { type AccountKind, codesOf, kindOfCode } from './accounts.ts';
export { type AuditCheck, auditLedger } from './audit.store.ts';
export type { Notice, Notices } from './notices.ts';
export { ledgerRoutes } from './routes.ts';
export { type AccountRef, createLedger, type Ledger, type Posting } from './service.ts';
export { BILLED, RETAIL, WHOLESALE } from './statement.policy.ts';
export { createStatement } from './statement.service.ts';
export type { SpendRow } from './store.ts';

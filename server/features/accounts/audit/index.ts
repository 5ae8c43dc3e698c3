export type { LogChain } from './chain.service.ts';
export { type Audit, type AuditEntry, createAudit } from './service.ts';
export { countDetails, forgetDetails } from './store.ts';
export { type Verdict, verifyLog } from './verify.service.ts';

export { createLogChain, type LogChain } from './chain.service.ts';
export { startAudit } from './jobs.ts';
export { type Audit, type AuditEntry, createAudit } from './service.ts';
export { type Verdict, verifyLog } from './verify.service.ts';

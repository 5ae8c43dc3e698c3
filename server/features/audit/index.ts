export { type Audit, type AuditEntry, createAudit } from './service.ts';

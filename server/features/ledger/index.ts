export { type AccountRef, createLedger, type Ledger, type Posting } from './service.ts';

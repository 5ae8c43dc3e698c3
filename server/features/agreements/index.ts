export { type Agreements, createAgreements } from './service.ts';

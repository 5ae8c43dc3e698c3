export { nextExport } from './policy.ts';

export type { Templates } from './service.ts';

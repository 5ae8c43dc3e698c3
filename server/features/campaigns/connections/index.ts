export type { Connections, StandIns } from './service.ts';
export type { ConnectionRow } from './store.ts';

export type { Connections, StandIns } from './service.ts';

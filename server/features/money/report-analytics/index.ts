export type { ReportAnalytics } from './service.ts';

import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { logsRoutes } from './routes.ts';
import { createLogs, type Logs } from './service.ts';

export const feature = defineFeature({
  name: 'accounts/logs',
  about: 'The user log for people: filters, integrity, and files.',
  tables: [],
  reads: ['campaign', 'company', 'developer_key', 'user_account', 'user_log', 'user_log_detail'],
  create: (platform, below: Parameters<typeof createLogs>[1]) => ({ logs: createLogs(platform, below) }),
  http({ logs }: { logs: Logs }) {
    const { handlers, plain } = logsRoutes(logs);
    return { calls: [serve(contract.logs, handlers)], plain };
  },
});

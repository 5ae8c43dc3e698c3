import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { exports } from './exports.ts';
import { alertsRoutes } from './routes.ts';
import { type Alerts, createAlerts } from './service.ts';

export const feature = defineFeature({
  name: 'campaigns/alerts',
  about: 'Alerts about leads and known customers by email, chat, or webhook.',
  tables: ['alert', 'alert_event', 'alert_message', 'alert_person'],
  reads: [
    'campaign',
    'company',
    'connection',
    'customer_visit',
    'exclusion_list',
    'lead',
    'lead_contact',
    'lead_return',
    'user_account',
    'visit',
  ],
  create: (platform, below: Parameters<typeof createAlerts>[1]) => ({
    alerts: createAlerts(platform, below),
  }),
  http: ({ alerts }: { alerts: Alerts }) => ({ calls: [serve(contract.alerts, alertsRoutes(alerts))] }),
  work: async ({ alerts }: { alerts: Alerts }) => void (await alerts.start()),
  exports,
});

export { startDelivery } from './jobs.ts';
export type { Counted as Webhook, Delivery, DeliveryDeps } from './service.ts';

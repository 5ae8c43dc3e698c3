export { startDelivery } from './jobs.ts';
export type { Delivery, DeliveryDeps } from './service.ts';

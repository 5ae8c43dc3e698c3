export { startDelivery } from './jobs.ts';
export { deliveryRoutes } from './routes.ts';
export { createDelivery, type Delivery, type DeliveryDeps } from './service.ts';

import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { startConnections } from './jobs.ts';
import { connectionsRoutes } from './routes.ts';
import { type Connections, createConnections } from './service.ts';

export const feature = defineFeature({
  name: 'campaigns/connections',
  about: 'A company’s connections to the services that receive leads.',
  tables: ['connection', 'connection_queue', 'connection_sign_in'],
  reads: ['delivery', 'integration'],
  create: (platform, below: Parameters<typeof createConnections>[1]) => ({
    connections: createConnections(platform, below),
  }),
  http({ connections }: { connections: Connections }) {
    const { handlers, plain } = connectionsRoutes(connections);
    return { calls: [serve(contract.connections, handlers)], plain };
  },
  work: async ({ connections }: { connections: Connections }, { jobs }) =>
    void (await startConnections(connections, jobs)),
});

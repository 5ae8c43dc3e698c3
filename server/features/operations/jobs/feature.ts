import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { exports } from './exports.ts';
import { backgroundJobsRoutes } from './routes.ts';
import { type BackgroundJobs, createBackgroundJobs } from './service.ts';

export const feature = defineFeature({
  name: 'operations/jobs',
  about: 'Background jobs that were set aside, to be seen and tried again.',
  tables: [],
  reads: [],
  create: (platform, below: Parameters<typeof createBackgroundJobs>[1]) => ({
    backgroundJobs: createBackgroundJobs(platform, below),
  }),
  http: ({ backgroundJobs }: { backgroundJobs: BackgroundJobs }) => ({
    calls: [serve(contract.backgroundJobs, backgroundJobsRoutes(backgroundJobs))],
  }),
  exports,
});

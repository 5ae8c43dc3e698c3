import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { exports } from './exports.ts';
import { startPeople } from './jobs.ts';
import { peopleRoutes } from './routes.ts';
import { createPeople, type People } from './service.ts';

export const feature = defineFeature({
  name: 'audience/people',
  about: 'The graph of people and their identifiers: imports, matching, merges, do-not-call marks.',
  tables: [
    'do_not_call',
    'identity_key',
    'import_error',
    'import_job',
    'intent_phrase',
    'intent_term',
    'person',
    'person_merge',
    'person_profile',
    'phone_scrub',
    'signal',
    'signal_batch',
  ],
  reads: [],
  create: (platform, below: Parameters<typeof createPeople>[1]) => ({
    people: createPeople(platform, below),
  }),
  http({ people }: { people: People }) {
    const { handlers, plain } = peopleRoutes(people);
    return { calls: [serve(contract.people, handlers)], plain };
  },
  work: async ({ people }: { people: People }) => void (await startPeople(people)),
  exports,
});

import { next, type Samples } from '../../../test/samples.ts';

export const samples: Samples = {
  'GET /api/configuration/root/list': {
    named: false,
    request: () => ({ url: '/api/configuration/root/list' }),
    // Roots other than the master's.
    passes: [404],
  },
  'POST /api/configuration/root/create': {
    named: false,
    request: (_target, _who, number = next()) => ({
      url: '/api/configuration/root/create',
      body: {
        name: `Root ${number}`,
        host: `matrix${number}.test`,
        owner_name: 'Mara Matrix',
        owner_email: `matrix${number}@people.test`,
      },
    }),
    passes: [404],
  },
};

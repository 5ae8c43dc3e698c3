import { app, type Principal, type Samples } from '../../../test/samples.ts';

/** A rule for prices below cost other than the current one. */
async function otherRule(who: Principal | undefined): Promise<string> {
  const { rows } = await app.admin.query('select rule from margin_rule where company_id = $1', [
    who?.companyId,
  ]);
  return rows[0]?.rule === 'sell' ? 'hold' : 'sell';
}

export const samples: Samples = {
  'GET /api/configuration/margins': { named: false, request: () => ({ url: '/api/configuration/margins' }) },
  'PUT /api/configuration/margins': {
    named: false,
    request: async (_, who) => ({
      url: '/api/configuration/margins',
      body: { rule: await otherRule(who) },
    }),
  },
};

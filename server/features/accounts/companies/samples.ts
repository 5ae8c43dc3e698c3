import type { Company } from '../../../test/factories.ts';
import {
  app,
  belowOf,
  careFor,
  freshAdministrator,
  NOBODY,
  next,
  type Principal,
  type Samples,
  type Target,
} from '../../../test/samples.ts';

/** An agency or client with its owner, as the caller would enter it. */
const companyFields = (who: Principal | undefined) => ({
  companyID: who?.companyId ?? NOBODY,
  userType: who?.grade.startsWith('root') ? 'userdownline' : 'client',
  ClientCompanyName: `Matrix ${next()}`,
  ClientFullName: 'Mara Matrix',
  ClientEmail: `matrix${next()}@people.test`,
  ClientPhone: '2025550123',
  ClientPhoneCountryCode: 'US',
});

/** A company directly below the caller's, next to the target's, with nothing that prevents its removal. */
async function freshCompany(target: Target, who: Principal | undefined): Promise<string> {
  const agency = { ...target.client, id: target.client.agency_id! };
  const given = { name: `${target.canary} ${next()}` };
  const root = { id: target.client.root_id, root_id: target.client.root_id, agency_id: null };
  const made = who?.grade.startsWith('root')
    ? await app.make.agency(root, given)
    : await app.make.client(agency, given);
  return made.id;
}

/** Makes sure a company has an owner with this address. */
async function ownerFor(id: string, email: string): Promise<void> {
  const { rows } = await app.admin.query<Company>(
    'select id, root_id, agency_id from company where id = $1',
    [id],
  );
  await app.make.user(rows[0]!, { email });
}

export const samples: Samples = {
  'GET /api/configuration/user/:companyId/:group/:idsys/:type/:module/:sortby/:order/:search': {
    named: true,
    request: (t, who) => ({
      url: who?.grade.startsWith('client')
        ? `/api/configuration/user/${t.client.id}/all/all/administrator/all/all/all/all`
        : `/api/configuration/user/${t.client.agency_id}/all/all/client/all/all/all/all`,
    }),
  },
  'POST /api/configuration/user/create': {
    named: false,
    request: (_, who) => ({
      url: '/api/configuration/user/create',
      body: {
        ...companyFields(who),
        ...(who?.grade.startsWith('client') ? { userType: 'administrator' } : {}),
        ...(who?.grade.startsWith('root') ? { DownlineSubDomain: `matrix-${next()}` } : {}),
      },
    }),
  },
  'PUT /api/configuration/user/update': {
    named: true,
    request: async (t, who) => {
      const url = '/api/configuration/user/update';
      if (who?.grade.startsWith('client'))
        return {
          url,
          body: {
            companyID: who.companyId,
            userType: 'administrator',
            ClientID: await freshAdministrator(t),
          },
        };
      const ClientID = await freshCompany(t, who);
      const fields = companyFields(who);
      if (who?.grade.endsWith('.sales')) {
        // Salespeople cannot change the address, so there must be an owner who has it.
        await careFor(ClientID, who);
        await ownerFor(ClientID, fields.ClientEmail);
      }
      return { url, body: { ...fields, ClientID } };
    },
  },
  'DELETE /api/configuration/user/remove/:companyID/:userID': {
    named: true,
    request: async (t, who) => ({
      url: `/api/configuration/user/remove/${who?.companyId ?? NOBODY}/${
        who?.grade.startsWith('client') ? await freshAdministrator(t) : await freshCompany(t, who)
      }`,
    }),
  },
  'POST /api/configuration/user/resendinvitation': {
    named: true,
    request: async (t, who) => ({
      url: '/api/configuration/user/resendinvitation',
      body: {
        companyID: who?.companyId ?? NOBODY,
        ClientID: who?.grade.startsWith('client') ? await freshAdministrator(t) : belowOf(t, who),
      },
    }),
    // The target's agency may have no owner.
    passes: [409],
  },
  'POST /api/leadspeek/check-campaign-active': {
    named: true,
    request: (t) => ({
      url: '/api/leadspeek/check-campaign-active',
      body: { company_id: t.client.id, leadspeek_type: 'local' },
    }),
  },
};

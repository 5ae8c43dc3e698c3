import type { Samples } from '../../../test/samples.ts';

export const samples: Samples = {
  'POST /api/configuration/user/log-user': {
    named: true,
    request: (t) => ({ url: '/api/configuration/user/log-user', body: { companyID: t.client.id } }),
  },
  'POST /api/configuration/user/log-category': {
    named: false,
    request: () => ({ url: '/api/configuration/user/log-category', body: {} }),
  },
  'POST /api/configuration/user/show-user': {
    named: true,
    request: (t) => ({
      url: '/api/configuration/user/show-user',
      body: { companyID: t.client.id, searchUser: 'own' },
    }),
  },
  'POST /api/configuration/user/show-campaigns': {
    named: true,
    request: (t) => ({ url: '/api/configuration/user/show-campaigns', body: { companyID: t.client.id } }),
  },
  'POST /api/general/user-log-saved': {
    named: true,
    request: (t) => ({
      url: '/api/general/user-log-saved',
      body: { action: 'pixel.copied', id: t.campaign.id },
    }),
  },
  'GET /api/configuration/download-log-user/:company_id/:user_type/:user_id/:action/:range/:campaign_id': {
    permission: 'setting.read',
    named: true,
    request: (t) => ({
      url: `/api/configuration/download-log-user/${t.client.id}/all/9999/all/all/9999`,
    }),
  },
};

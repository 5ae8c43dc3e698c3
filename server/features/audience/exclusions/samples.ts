import { freshList, type Samples } from '../../../test/samples.ts';

export const samples: Samples = {
  'POST /api/tools/optout-client/upload': {
    named: true,
    request: (t) => {
      const at = 'matrixboundary';
      const part = (name: string, text: string) =>
        `--${at}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;
      const file = `--${at}\r\nContent-Disposition: form-data; name="clientoptoutfile"; filename="m.csv"\r\n\r\na@b.example\r\n`;
      return {
        url: '/api/tools/optout-client/upload',
        payload: `${part('ClientCompanyID', t.client.id)}${part('campaigntype', 'client')}${file}--${at}--\r\n`,
        headers: { 'content-type': `multipart/form-data; boundary=${at}` },
      };
    },
  },
  'POST /api/exclusions/upload': {
    named: true,
    request: (t) => ({
      url: `/api/exclusions/upload?campaigntype=campaign&paramID=${t.campaign.id}&file_name=m.csv`,
      payload: 'a@b.example\n',
      headers: { 'content-type': 'text/csv' },
    }),
  },
  'POST /api/tools/optout/upload': {
    named: false,
    request: () => ({
      url: '/api/tools/optout/upload?file_name=m.csv',
      payload: 'a@b.example\n',
      headers: { 'content-type': 'text/csv' },
    }),
  },
  'POST /api/tools/optout/purge': {
    named: false,
    request: () => ({ url: '/api/tools/optout/purge', body: {} }),
  },
  'GET /api/leadspeek/suppressionlist/progress': {
    named: true,
    request: (t) => ({
      url: `/api/leadspeek/suppressionlist/progress?companyId=${t.client.id}&campaignType=client`,
    }),
  },
  'POST /api/leadspeek/suppressionlist/purge': {
    named: true,
    request: (t) => ({
      url: '/api/leadspeek/suppressionlist/purge',
      body: { paramID: t.campaign.id, campaignType: 'campaign' },
    }),
  },
  'GET /api/exclusions/lists': {
    named: true,
    request: (t) => ({ url: `/api/exclusions/lists?campaignType=client&paramID=${t.client.id}` }),
  },
  'GET /api/exclusions/lists/:id': {
    named: true,
    request: (t) => ({ url: `/api/exclusions/lists/${t.exclusionListId}` }),
  },
  'POST /api/exclusions/lists/:id/undo': {
    named: true,
    request: async (t) => ({ url: `/api/exclusions/lists/${await freshList(t)}/undo`, body: {} }),
  },
  'POST /api/exclusions/lists/:id/again': {
    named: true,
    request: async (t) => ({ url: `/api/exclusions/lists/${await freshList(t, 'held')}/again`, body: {} }),
  },
  'GET /api/exclusions/lists/:id/report.csv': {
    permission: 'exclusion.read',
    named: true,
    request: (t) => ({ url: `/api/exclusions/lists/${t.exclusionListId}/report.csv` }),
  },
};

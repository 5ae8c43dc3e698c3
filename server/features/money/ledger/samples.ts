import type { Samples } from '../../../test/samples.ts';

export const samples: Samples = {
  'GET /api/ledger/statement': {
    named: true,
    request: (t) => ({ url: `/api/ledger/statement?companyID=${t.client.id}` }),
  },
  'GET /api/ledger/statement/balances': {
    named: true,
    request: (t) => ({ url: `/api/ledger/statement/balances?companyID=${t.client.id}` }),
  },
  'GET /api/ledger/margins': {
    named: true,
    request: (t) => ({ url: `/api/ledger/margins?companyID=${t.client.id}` }),
  },
  'GET /api/ledger/margins/lines': {
    named: true,
    request: (t) => ({ url: `/api/ledger/margins/lines?companyID=${t.client.id}` }),
  },
  'GET /api/ledger/statement/:id': {
    named: true,
    request: (t) => ({ url: `/api/ledger/statement/${t.transferId}` }),
  },
  'GET /api/ledger/statement/pdf': {
    permission: 'statement.read',
    named: true,
    request: (t) => ({ url: `/api/ledger/statement/pdf?month=2026-03&companyID=${t.client.id}` }),
  },
  'GET /api/ledger/statement/export': {
    permission: 'statement.read',
    named: true,
    request: (t) => ({ url: `/api/ledger/statement/export?companyID=${t.client.id}` }),
  },
};

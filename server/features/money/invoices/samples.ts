import { inScope } from '../../../platform/db/scope.ts';
import {
  app,
  chargesOver,
  NOBODY,
  next,
  type Principal,
  type Samples,
  type Target,
} from '../../../test/samples.ts';

/** A new open invoice: of the target's client, for a root of the target's agency. */
async function freshInvoice(t: Target, who: Principal | undefined): Promise<string> {
  const agency = {
    root_id: t.client.root_id,
    agency_id: t.client.agency_id!,
    company_id: t.client.agency_id!,
  };
  const root = { root_id: t.client.root_id, agency_id: null, company_id: t.client.root_id };
  const isRoot = who?.grade.startsWith('root');
  const owner = isRoot ? agency : { ...agency, company_id: t.client.id };
  const at = app.clock.now();
  const number = next();
  const id = await inScope(app.platform.db.app, { rootId: t.client.root_id }, async (tx) => {
    const [event] = await app.features.ledger.post(
      tx,
      [
        {
          owner,
          kind: 'adjustment',
          referenceId: null,
          memo: `${t.canary} owes`,
          key: `matrix ${number}`,
          entries: [
            { account: { owner, kind: isRoot ? 'agency_payable' : 'client_unbilled' }, amount: -3_000_000n },
            {
              account: isRoot
                ? { owner: root, kind: 'root_revenue' }
                : { owner: agency, kind: 'agency_revenue' },
              amount: 3_000_000n,
            },
          ],
        },
      ],
      at,
    );
    const issued = await app.features.invoices.bill(
      tx,
      {
        owner,
        side: isRoot ? 'wholesale' : 'retail',
        kind: 'to_date',
        term: null,
        periodKey: `matrix ${number}`,
        from: null,
        to: null,
        events: { transferIds: [event!] },
      },
      at,
    );
    return issued!.id;
  });
  await chargesOver(id);
  return id;
}

/** A credit note of such an invoice. */
async function freshNote(t: Target, who: Principal | undefined): Promise<{ invoice: string; note: string }> {
  const invoice = await freshInvoice(t, who);
  const { rows } = await app.admin.query(
    `insert into credit_note (id, root_id, agency_id, company_id, issuer_id, invoice_id, number, seq, amount_micros, reason,
       idempotency_key, transfer_id, created_at)
     select gen_random_uuid(), root_id, agency_id, company_id, issuer_id, id, 'CN-' || $2::int, 1000000 + $2::int, 10000, $3, 'matrix', transfer_id, now()
     from invoice where id = $1 returning id`,
    [invoice, next(), `${t.canary} credit`],
  );
  return { invoice, note: rows[0].id };
}

export const samples: Samples = {
  'GET /api/billing/invoices': {
    named: true,
    request: (t) => ({ url: `/api/billing/invoices?companyID=${t.client.id}` }),
  },
  'GET /api/billing/invoices/:id/pdf': {
    permission: 'invoice.read',
    named: true,
    request: async (t, who) => ({ url: `/api/billing/invoices/${await freshInvoice(t, who)}/pdf` }),
  },
  'GET /api/billing/invoices/:id/credit-notes/:note/pdf': {
    permission: 'invoice.read',
    named: true,
    request: async (t, who) => {
      const { invoice, note } = await freshNote(t, who);
      return { url: `/api/billing/invoices/${invoice}/credit-notes/${note}/pdf` };
    },
  },
  'GET /api/billing/upcoming': {
    named: true,
    request: (t) => ({ url: `/api/billing/upcoming?companyID=${t.client.id}` }),
  },
  'GET /api/billing/waiting': {
    named: false,
    request: async (t) => {
      await app.admin.query(
        `insert into invoice_wait (company_id, side, cycle, root_id, agency_id, period_from, reason, since, tried_at)
         values ($1, 'retail', 'Weekly', $2, $3, now(), $4, now(), now()) on conflict do nothing`,
        [t.client.id, t.client.root_id, t.client.agency_id, t.canary],
      );
      return { url: '/api/billing/waiting' };
    },
  },
  'GET /api/billing/invoices/:id': {
    named: true,
    request: async (t, who) => ({ url: `/api/billing/invoices/${await freshInvoice(t, who)}` }),
  },
  'GET /api/billing/invoices/:id/lines/:line/events': {
    named: true,
    request: async (t, who) => ({
      url: `/api/billing/invoices/${await freshInvoice(t, who)}/lines/1/events`,
    }),
  },
  'POST /api/billing/invoices/:id/credit': {
    named: true,
    request: async (t, who) => ({
      url: `/api/billing/invoices/${await freshInvoice(t, who)}/credit`,
      body: { amount: '1.00', reason: 'matrix', idempotencyKey: NOBODY },
    }),
  },
  'POST /api/billing/invoices/:id/write-off': {
    named: true,
    request: async (t, who) => ({
      url: `/api/billing/invoices/${await freshInvoice(t, who)}/write-off`,
      body: { reason: 'matrix' },
    }),
  },
};

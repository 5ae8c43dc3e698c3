import { Refusal } from '../../../../contract/errors.ts';
import type { contract } from '../../../../contract/index.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { WalletMonth } from '../../../../contract/money/data-wallet.ts';
import { Id } from '../../../../contract/primitives.ts';
import { sendCsv } from '../../../platform/http/csv-file.ts';
import type { Handlers, PlainRoute } from '../../../platform/http/routes.ts';
import type { DataWallet } from './service.ts';

/** The Data Wallet's calls, and the download of its history. */
export function dataWalletRoutes(wallet: DataWallet): {
  handlers: Handlers<typeof contract.dataWallet>;
  plain: PlainRoute[];
} {
  const done = (message: string) => ({ result: 'success' as const, message });
  return {
    handlers: {
      getPrepaidDirectPayment: (ctx, input) => wallet.about(ctx, input.company_id, input.date),
      getTransactionHistoryDirectPayment: (ctx, input) => wallet.history(ctx, input.company_id, input.date),
      async stopContinualTopupDirectPayment(ctx, input) {
        const stopped = await wallet.stop(ctx, input.company_id, input.stop_continual === 'T');
        const text = stopped ? ownMessages.walletNotContinual : ownMessages.walletContinual;
        return { ...done(text), stop_continual: stopped ? 'T' : 'F' };
      },
      async savePrepaidDirectPayment(ctx, input) {
        await wallet.save(ctx, input.company_id, {
          amount: input.amount,
          custom: input.custom_amount === 'T',
          stop: input.stop_continual === 'T',
          ceilingDay: input.ceiling_day,
          ceilingMonth: input.ceiling_month,
        });
        return done(ownMessages.walletSaved);
      },
      chargePrepaidDirectPayment: (ctx, input) =>
        wallet.charge(ctx, input.company_id, {
          amount: input.amount,
          custom: input.custom_amount === 'T',
          stop: input.stop_continual === 'T',
          key: input.idempotency_key,
        }),
    },
    plain: [
      {
        method: 'GET',
        url: '/api/configuration/agencies/prepaid/download-transaction-history-direct-payment/:company_id/:date',
        access: 'download',
        permission: 'wallet.read',
        tag: 'Data Wallet',
        summary: "Returns the history for a month, or for 'all', as CSV (requires a single-use token)",
        async handler(ctx, request, reply) {
          const params = request.params as { company_id: string; date: string };
          const month = WalletMonth.safeParse(params.date);
          if (!Id.safeParse(params.company_id).success || !month.success)
            throw new Refusal('not_found', ownMessages.notFound);
          const { name, lines } = wallet.file(ctx, params.company_id, month.data);
          return sendCsv(reply, name, lines);
        },
      },
    ],
  };
}

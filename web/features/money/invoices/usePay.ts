import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api } from '../../../api/client.ts';
import { ApiError } from '../../../api/errors.ts';
import { userQuery } from '../../../api/user.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { money } from '../../../ui/format.ts';
import { notifyDone, notifyFailed, notifyOpen } from '../../../ui/notify.ts';
import { confirmCharge } from '../payments/confirmCharge.tsx';
import type { Row } from './words.ts';

/** Invalidates everything that a payment, a credit note, or a write-off may change. */
export function useRefresh(): () => Promise<unknown> {
  const queryClient = useQueryClient();
  return () =>
    Promise.all(
      [['invoices'], ['statement'], ['payment', 'problems'], userQuery.queryKey].map((queryKey) =>
        queryClient.invalidateQueries({ queryKey }),
      ),
    );
}

/** Returns the newest charge for an invoice. */
async function lastCharge(id: string): Promise<string> {
  const [last] = (await api.invoices.one({ id })).attempts;
  if (!last) throw new Error('No charge was found for this invoice.');
  return last.id;
}

/**
 * Pays invoices with the card on file, with a confirmation before and, if the card's bank asks for one, after. Shows
 * the result; a failed or unknown result stays on the screen. `busy` is the invoice being processed.
 */
export function usePay() {
  const refresh = useRefresh();
  const [busy, setBusy] = useState<string>();
  // A charge whose response was lost is requested again rather than made twice.
  const keys = useRef(new Map<string, string>());
  const during = async (id: string, work: () => Promise<void>) => {
    setBusy(id);
    try {
      await work();
    } catch (error) {
      if (error instanceof ApiError && error.status >= 400 && error.status < 500) keys.current.delete(id);
      notifyFailed(error, 'Not paid');
    } finally {
      setBusy(undefined);
      await refresh();
    }
  };
  const pay = async ({ id, number, due_micros }: Pick<Row, 'id' | 'number' | 'due_micros'>) => {
    const isSure = await confirm({
      title: `Pay ${money(due_micros)} now?`,
      body: `The card on file will be charged ${money(due_micros)} for invoice ${number}.`,
      verb: 'Pay now',
    });
    if (!isSure) return;
    await during(id, async () => {
      const idempotencyKey = keys.current.get(id) ?? crypto.randomUUID();
      keys.current.set(id, idempotencyKey);
      const { result, message, charge_id, ...needed } = await api.dunning.pay({
        id,
        idempotency_key: idempotencyKey,
      });
      keys.current.delete(id);
      if (result === 'success') notifyDone(message);
      else if (result === 'failed') notifyFailed(message, 'Not paid');
      else if (result === 'unknown') notifyOpen(message, 'Waiting for a response');
      else
        await confirmCharge(
          charge_id ?? (() => lastCharge(id)),
          { succeeded: `Invoice ${number} is paid.` },
          needed,
        );
    });
  };
  /** Lets the cardholder confirm the last charge, which was declined because it was not confirmed. */
  const authenticate = ({ id, number }: Pick<Row, 'id' | 'number'>) =>
    during(id, () => confirmCharge(() => lastCharge(id), { succeeded: `Invoice ${number} is paid.` }));
  return { busy, pay, authenticate };
}

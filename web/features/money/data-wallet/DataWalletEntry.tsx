import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { messages } from '../../../../contract/messages.ts';
import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { notifyFailed } from '../../../ui/notify.ts';
import AgreementModal from '../../accounts/agreements/AgreementModal.tsx';
import { DataWalletModal } from './DataWalletModal.tsx';

/** No one waits longer than this for a modal: it opens and says that it could not load. */
const PATIENCE_MS = 8_000;

/**
 * What the menu entry opens: during the beta, first the agreement if it is not accepted yet, then the wallet, once it
 * has loaded or failed to load (WALL-01).
 */
export default function DataWalletEntry({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const user = useUser();
  const queryClient = useQueryClient();
  const [stage, setStage] = useState<'checking' | 'agreement' | 'wallet'>('checking');
  const month = useMonth(user.time_zone);
  const query = useQuery({
    queryKey: ['wallet', user.company_id, month],
    queryFn: ({ signal }) =>
      api.dataWallet.getPrepaidDirectPayment(
        { company_id: user.company_id, date: month },
        { signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]) },
      ),
    enabled: opened && stage === 'wallet',
    staleTime: 0,
    retry: false,
  });
  const close = useRef(onClose);
  close.current = onClose;

  useEffect(() => {
    if (!opened) return;
    let isOver = false;
    setStage('checking');
    api.agreements.getMarketingServicesAgreementFeature({ user_id: user.id, feature_id: 1 }).then(
      ({ status }) => {
        if (isOver) return;
        setStage(status === 'T' ? 'wallet' : 'agreement');
        void queryClient.invalidateQueries({ queryKey: ['wallet'] });
      },
      () => {
        if (isOver) return;
        notifyFailed(messages.agreementFailed);
        close.current();
      },
    );
    return () => {
      isOver = true;
    };
  }, [opened, user.id, queryClient]);

  return (
    <>
      <AgreementModal
        opened={opened && stage === 'agreement'}
        featureId={1}
        featureName="Data Wallet"
        location="Data Wallet"
        later="Cancel"
        onClose={onClose}
        onAgreed={() => setStage('wallet')}
      />
      <DataWalletModal
        opened={opened && stage === 'wallet' && !query.isPending}
        wallet={query.data}
        isLoading={query.isFetching}
        month={month}
        onRetry={() => void query.refetch()}
        onClose={onClose}
      />
    </>
  );
}

/** The current month, YYYY-MM, in the company's time zone. */
function useMonth(timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
  }).formatToParts(new Date());
  const part = (type: string) => parts.find((one) => one.type === type)!.value;
  return `${part('year')}-${part('month')}`;
}

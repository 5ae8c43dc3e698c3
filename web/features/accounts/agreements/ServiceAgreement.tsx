import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { messages } from '../../../../contract/messages.ts';
import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { notifyFailed } from '../../../ui/notify.ts';
import AgreementModal from './AgreementModal.tsx';

const FEATURES = {
  b2b: { id: 2, name: 'B2B' },
  simplifi: { id: 3, name: 'Programmatic advertising' },
} as const;

/**
 * Stands before the campaigns of a module in trial until its agreement is accepted. Closing it, and a failure, lead back
 * to where the person came from (BETA-02).
 */
export default function ServiceAgreement({ module }: { module: keyof typeof FEATURES }) {
  const user = useUser();
  const router = useRouter();
  const feature = FEATURES[module];
  const [isAgreed, setAgreed] = useState(false);
  const { data, error } = useQuery({
    queryKey: ['agreement', 'feature', user.company_id, feature.id],
    queryFn: ({ signal }) =>
      api.agreements.getMarketingServicesAgreementFeature(
        { user_id: user.id, feature_id: feature.id },
        { signal },
      ),
    staleTime: 0,
  });
  const back = () => {
    if (router.history.canGoBack()) router.history.back();
    else void router.navigate({ to: '/dashboard' as '/' });
  };
  const leave = useRef(back);
  leave.current = back;
  useEffect(() => {
    if (!error) return;
    notifyFailed(messages.agreementFailed);
    leave.current();
  }, [error]);
  return (
    <AgreementModal
      opened={data?.status === 'F' && !isAgreed}
      featureId={feature.id}
      featureName={feature.name}
      location="Campaign Management"
      later="Cancel"
      onClose={back}
      onAgreed={() => setAgreed(true)}
      onFailed={back}
    />
  );
}

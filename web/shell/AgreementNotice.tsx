import { Anchor } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import { mustAgree } from '../../contract/accounts/setup-rules.ts';
import { useFacts } from '../api/user.ts';
import { forgetAgreement, notifyAgreement } from '../ui/notify.ts';

const STEPS = '/user/profile-setup';

/** Shows a notice while the company's agreement is not accepted, with a link to accept it (NAV-06). */
export function AgreementNotice() {
  const { user, setup } = useFacts();
  const { pathname } = useLocation();
  // Not needed on the page where it is accepted.
  const isMissing = setup !== null && mustAgree(setup, user) && pathname !== STEPS;
  useEffect(() => {
    if (!isMissing) return;
    notifyAgreement(
      <>
        You have not accepted the service and billing agreement yet.{' '}
        {/* Notifications stand outside the router. */}
        <Anchor href={STEPS} inherit underline="always">
          Read and accept it
        </Anchor>
      </>,
    );
    return forgetAgreement;
  }, [isMissing]);
  return null;
}

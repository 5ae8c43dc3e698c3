import { lazy, Suspense, useState } from 'react';
import { walletShown } from '../../../../contract/accounts/setup-rules.ts';
import { isAgency } from '../../../../contract/routing/routing-facts.ts';
import { useFacts, userMay } from '../../../api/user.ts';

const Entry = lazy(() => import('./DataWalletEntry.tsx'));
const Agreement = lazy(() => import('../../accounts/agreements/AgreementModal.tsx'));

/** The Data Wallet; its code is loaded the first time it is opened. */
export function DataWalletOfMenu(props: { opened: boolean; onClose: () => void }) {
  const [isWanted, setWanted] = useState(props.opened);
  if (props.opened && !isWanted) setWanted(true);
  return isWanted ? (
    <Suspense fallback={null}>
      <Entry {...props} />
    </Suspense>
  ) : null;
}

const LATER = 'data-wallet-agreement-later';

/**
 * Offers the Data Wallet's agreement to eligible users: an agency of the master system with a card that has not
 * accepted it yet (WALL-09). Users who postpone it are asked again in the next session.
 */
export function DataWalletOffer({ suppressed }: { suppressed: boolean }) {
  const { user, setup } = useFacts();
  const [isLater, setLater] = useState(() => {
    try {
      return sessionStorage.getItem(LATER) === user.id;
    } catch {
      return false;
    }
  });
  const isOffered =
    setup !== null &&
    isAgency(user) &&
    user.is_master &&
    !user.in_view_mode &&
    walletShown(setup) &&
    setup.card_set &&
    !setup.wallet_agreed &&
    userMay(user, 'agreement.accept');
  const done = () => {
    setLater(true);
    try {
      sessionStorage.setItem(LATER, user.id);
    } catch {
      // Without storage it is asked again after a reload.
    }
  };
  if (!isOffered || isLater) return null;
  return (
    <Suspense fallback={null}>
      <Agreement
        opened={!suppressed}
        featureId={1}
        featureName="Data Wallet"
        location="Start"
        later="Not now"
        onClose={done}
        onAgreed={done}
      />
    </Suspense>
  );
}

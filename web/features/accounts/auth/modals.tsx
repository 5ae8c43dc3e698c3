import { type ComponentType, lazy, Suspense, useState } from 'react';
import type { MenuModal } from './modal.types.ts';

const Password = lazy(() => import('./ChangePasswordModal.tsx'));
const Factor = lazy(() => import('./TwoFactorModals.tsx'));
const Referral = lazy(() => import('./ReferralModal.tsx'));

/** A modal whose code is loaded the first time it is opened; it stays mounted so that its closing animation can run. */
function OnFirstOpening({ modal: Modal, ...props }: MenuModal & { modal: ComponentType<MenuModal> }) {
  const [isWanted, setWanted] = useState(props.opened);
  if (props.opened && !isWanted) setWanted(true);
  return isWanted ? (
    <Suspense fallback={null}>
      <Modal {...props} />
    </Suspense>
  ) : null;
}

/** Changes the user's own password. */
export const ChangePasswordModal = (props: MenuModal) => <OnFirstOpening modal={Password} {...props} />;

/** The user's own second factor. */
export const TwoFactorModals = (props: MenuModal) => <OnFirstOpening modal={Factor} {...props} />;

/** The user's own invitation link; for users with the 'referral.read' permission. */
export const ReferralModal = (props: MenuModal) => <OnFirstOpening modal={Referral} {...props} />;

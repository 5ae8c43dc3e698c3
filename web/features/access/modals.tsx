import { type ComponentType, lazy, Suspense, useState } from 'react';
import type { MenuModal } from './modal.types.ts';

const Password = lazy(() => import('./ChangePasswordModal.tsx'));
const Factor = lazy(() => import('./TwoFactorModals.tsx'));
const Referral = lazy(() => import('./ReferralModal.tsx'));

/** A modal whose code is fetched when it is opened for the first time; it stays mounted, so that it can close gently. */
function OnFirstOpening({ modal: Modal, ...props }: MenuModal & { modal: ComponentType<MenuModal> }) {
  const [isWanted, setWanted] = useState(props.opened);
  if (props.opened && !isWanted) setWanted(true);
  return isWanted ? (
    <Suspense fallback={null}>
      <Modal {...props} />
    </Suspense>
  ) : null;
}

/** Changes the own password. */
export const ChangePasswordModal = (props: MenuModal) => <OnFirstOpening modal={Password} {...props} />;

/** The own second factor. */
export const TwoFactorModals = (props: MenuModal) => <OnFirstOpening modal={Factor} {...props} />;

/** The own link for inviting others; for who may 'referral.read'. */
export const ReferralModal = (props: MenuModal) => <OnFirstOpening modal={Referral} {...props} />;

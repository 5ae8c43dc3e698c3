import '../../ui/desk.css';
import { IconUserPlus } from '@tabler/icons-react';
import { Outlet } from '@tanstack/react-router';
import { lazy, Suspense, useRef, useState } from 'react';
import { landing } from '../../../contract/routing.ts';
import { type ProfileEntry, profileMenu } from '../../../contract/routing-menu.ts';
import { logout } from '../../api/client.ts';
import { useFacts, userMay } from '../../api/user.ts';
import { BrandMark } from '../../brand/BrandMark.tsx';
import { useBrand } from '../../brand/brand.ts';
import { needsOwnDocument } from '../../brand/embed.ts';
import { AppFrame } from '../../ui/AppFrame.tsx';
import type { FrameAction } from '../../ui/ProfileMenu.tsx';
import { ChangePasswordModal, ReferralModal, TwoFactorModals } from '../access/modals.tsx';
import { forgetRecent } from '../search/recent.ts';
import { DataWalletOffer, DataWalletOfMenu } from '../wallet/wallets.tsx';
import { banners } from './banners.ts';
import { ENTRIES, sectionsOf } from './links.ts';

const ExclusionModal = lazy(() => import('../exclusions/ExclusionModal.tsx'));
const SearchModal = lazy(() => import('../search/SearchModal.tsx'));
const ShortcutsModal = lazy(() => import('../search/ShortcutsModal.tsx'));

type Opened = 'password' | 'factor' | 'referral' | 'dataWallet' | 'exclusionList' | 'search' | 'shortcuts';

const PROFILE = '/user/profile';

/** What the address of the profile asks to be opened. */
const askedFor = (): 'password' | 'factor' | undefined => {
  const asked = new URLSearchParams(window.location.search).get('open');
  return window.location.pathname === PROFILE && (asked === 'password' || asked === 'factor')
    ? asked
    : undefined;
};

/** The frame around every page behind the login, with the links and the menu that the person's role has. */
export default function Frame() {
  const facts = useFacts();
  const { user } = facts;
  const brand = useBrand();
  const [modal, setModal] = useState<Opened | undefined>(askedFor);
  const close = () => setModal(undefined);
  /** Passwords are typed where no code of the agency's runs. */
  const openAlone = (what: 'password' | 'factor') => () => {
    if (needsOwnDocument(PROFILE)) window.location.assign(`${PROFILE}?open=${what}`);
    else setModal(what);
  };
  const back = useRef<HTMLElement | null>(null);
  /** Not above another modal: what that one asks comes first. A drawer is left like a page. */
  const openOver = (what: 'search' | 'shortcuts') => () => {
    if (document.querySelector('.mantine-Modal-content')) return;
    back.current = document.activeElement as HTMLElement | null;
    setModal(what);
  };
  const closeOver = () => {
    close();
    setTimeout(() => back.current?.focus());
  };
  const does: Record<Exclude<ProfileEntry, 'logout'>, Partial<FrameAction>> = {
    profile: { to: '/user/profile' },
    cardSetting: { to: '/user/card-setting' },
    dataWallet: { badge: 'beta', onClick: () => setModal('dataWallet') },
    integrations: { to: '/integrations' },
    developer: { to: '/developer' },
    exclusionList: { onClick: () => setModal('exclusionList') },
    changePassword: { onClick: openAlone('password') },
    twoFactor: { onClick: openAlone('factor') },
    sessions: { to: '/user/sessions' },
    support: { href: `mailto:${user.contact.email}` },
  };
  const menu: FrameAction[] = [];
  for (const entry of profileMenu(facts)) {
    // Without somebody to write to there is no support to offer.
    if (entry === 'logout' || (entry === 'support' && !user.contact.email)) continue;
    menu.push({ ...ENTRIES[entry], ...does[entry] });
  }
  if (userMay(user, 'referral.read') && !user.isViewMode)
    menu.push({ label: 'Referral link', icon: IconUserPlus, onClick: () => setModal('referral') });
  // The company's own logo, for a client else its agency's, else the host's letter (NAV-01).
  const own = user.company_logo ?? (user.company_kind === 'client' ? user.companyparentlogo : null);
  // Only the host's own has a known size; another is fitted into the room there is.
  const isHosts = !own || own === brand.company_logo?.url;
  const logo = isHosts ? brand.company_logo : { url: own, width: 125, height: 36 };
  // Whom one views as has a brand of their own, and without a logo their own letter, not the viewer's.
  const shown =
    user.isViewMode && !own
      ? { ...brand, name: user.company_name, company_logo: null }
      : { ...brand, name: user.isViewMode ? user.company_name : brand.name, company_logo: logo };
  return (
    <AppFrame
      mark={(folded) => <BrandMark brand={shown} folded={folded} />}
      home={landing(facts)}
      sections={sectionsOf(facts)}
      person={{ name: user.name, email: user.email, company: user.company_name }}
      menu={menu}
      onLogout={() => {
        forgetRecent(user.id);
        void logout();
      }}
      onSearch={openOver('search')}
      onHelp={openOver('shortcuts')}
      banners={banners.map(([name, Banner]) => <Banner key={name} />)}
    >
      <Outlet />
      <ChangePasswordModal opened={modal === 'password'} onClose={close} />
      <TwoFactorModals opened={modal === 'factor'} onClose={close} />
      <ReferralModal opened={modal === 'referral'} onClose={close} />
      <DataWalletOfMenu opened={modal === 'dataWallet'} onClose={close} />
      <DataWalletOffer suppressed={modal !== undefined} />
      {modal === 'exclusionList' && (
        <Suspense fallback={null}>
          <ExclusionModal
            places={[{ level: 'client', id: user.company_id, label: user.company_name }]}
            onClose={close}
          />
        </Suspense>
      )}
      {(modal === 'search' || modal === 'shortcuts') && (
        <Suspense fallback={null}>
          {modal === 'search' ? (
            <SearchModal onClose={closeOver} onLeave={close} onHelp={() => setModal('shortcuts')} />
          ) : (
            <ShortcutsModal onClose={closeOver} />
          )}
        </Suspense>
      )}
    </AppFrame>
  );
}

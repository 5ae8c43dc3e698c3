import '../ui/desk.css';
import { IconMap2, IconSparkles, IconUserPlus } from '@tabler/icons-react';
import { Outlet } from '@tanstack/react-router';
import { lazy, Suspense, useRef, useState } from 'react';
import { landing } from '../../contract/routing/routing.ts';
import { type ProfileEntry, profileMenu } from '../../contract/routing/routing-menu.ts';
import { logout } from '../api/client.ts';
import { useFacts, userMay } from '../api/user.ts';
import { BrandMark } from '../brand/BrandMark.tsx';
import { useBrand } from '../brand/brand.ts';
import { needsOwnDocument } from '../brand/embed.ts';
import { ChangePasswordModal, ReferralModal, TwoFactorModals } from '../features/accounts/auth/modals.tsx';
import type { Viewed } from '../features/accounts/auth/ViewAsModal.tsx';
import { forgetRecent } from '../features/accounts/search/recent.ts';
import { DataWalletOffer, DataWalletOfMenu } from '../features/money/data-wallet/wallets.tsx';
import { AppFrame } from '../ui/AppFrame.tsx';
import type { FrameAction } from '../ui/ProfileMenu.tsx';
import { banners } from './banners.ts';
import { ENTRIES, sectionsOf } from './links.ts';
import { NEWEST, newsSeen } from './news-seen.ts';

const ExclusionModal = lazy(() => import('../features/audience/exclusions/ExclusionModal.tsx'));
const SearchModal = lazy(() => import('../features/accounts/search/SearchModal.tsx'));
const ViewAsModal = lazy(() =>
  import('../features/accounts/auth/ViewAsModal.tsx').then((file) => ({ default: file.ViewAsModal })),
);
const NewsModal = lazy(() => import('./NewsModal.tsx'));
const ShortcutsModal = lazy(() => import('../features/accounts/search/ShortcutsModal.tsx'));

type Opened =
  | 'password'
  | 'factor'
  | 'referral'
  | 'dataWallet'
  | 'exclusionList'
  | 'search'
  | 'shortcuts'
  | 'news';

const PROFILE = '/user/profile';

/** Returns the modal that the profile's address asks to open. */
const askedFor = (): 'password' | 'factor' | undefined => {
  const asked = new URLSearchParams(window.location.search).get('open');
  return window.location.pathname === PROFILE && (asked === 'password' || asked === 'factor')
    ? asked
    : undefined;
};

/** The frame around every page behind the login, with the links and the menu for the user's role. */
export default function Frame() {
  const facts = useFacts();
  const { user } = facts;
  const brand = useBrand();
  const [modal, setModal] = useState<Opened | undefined>(askedFor);
  const [viewed, setViewed] = useState<Viewed>();
  const close = () => setModal(undefined);
  /** Passwords are typed only where none of the agency's code runs. */
  const openAlone = (what: 'password' | 'factor') => () => {
    if (needsOwnDocument(PROFILE)) window.location.assign(`${PROFILE}?open=${what}`);
    else setModal(what);
  };
  const back = useRef<HTMLElement | null>(null);
  /**
   * Does not open on top of another modal, which has to be handled first. It may open over a drawer, as over a page.
   */
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
    dataWallet: { badge: 'beta', also: 'top up add funds balance', onClick: () => setModal('dataWallet') },
    integrations: { to: '/integrations' },
    developer: { to: '/developer' },
    exclusionList: { onClick: () => setModal('exclusionList') },
    changePassword: { onClick: openAlone('password') },
    twoFactor: { onClick: openAlone('factor') },
    sessions: { to: '/user/sessions' },
    support: { href: `mailto:${user.contact.email}` },
  };
  const signOut = () => {
    forgetRecent(user.id);
    void logout();
  };
  const menu: FrameAction[] = [];
  for (const entry of profileMenu(facts)) {
    // Without a contact email, there is no support to offer.
    if (entry === 'logout' || (entry === 'support' && !user.contact.email)) continue;
    menu.push({ ...ENTRIES[entry], ...does[entry] });
  }
  menu.push({
    label: 'Take the tour',
    icon: IconMap2,
    also: 'guide help introduction',
    onClick: () => void import('../ui/tour.ts').then(({ startTour }) => startTour(user.company_kind)),
  });
  menu.push({
    label: 'What’s new',
    icon: IconSparkles,
    also: 'news changes updates features',
    ...(newsSeen() < NEWEST ? { badge: 'new' } : {}),
    onClick: () => setModal('news'),
  });
  if (userMay(user, 'referral.read') && !user.in_view_mode)
    menu.push({ label: 'Referral link', icon: IconUserPlus, onClick: () => setModal('referral') });
  // The company's own logo; for a client, otherwise its agency's; otherwise the host's letter (NAV-01).
  const own = user.shown_logo;
  // Next to a symbol of its own stands the company's name, not the host's.
  const isOwn = own !== null && own.url === user.company_logo && own.url !== brand.company_logo?.url;
  // The viewed user's company has its own brand and, without a logo, its own letter, not the viewer's.
  const shown = {
    ...brand,
    name: user.in_view_mode || isOwn ? user.company_name : brand.name,
    company_logo: own ?? (user.in_view_mode ? null : brand.company_logo),
  };
  return (
    <AppFrame
      mark={(folded) => <BrandMark brand={shown} folded={folded} />}
      home={landing(facts)}
      sections={sectionsOf(facts)}
      person={{ name: user.name, email: user.email, company: user.company_name }}
      menu={menu}
      onLogout={signOut}
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
      {modal === 'news' && (
        <Suspense fallback={null}>
          <NewsModal onClose={close} />
        </Suspense>
      )}
      {viewed && (
        <Suspense fallback={null}>
          <ViewAsModal viewed={viewed} onClose={() => setViewed(undefined)} />
        </Suspense>
      )}
      {(modal === 'search' || modal === 'shortcuts') && (
        <Suspense fallback={null}>
          {modal === 'search' ? (
            <SearchModal
              onClose={closeOver}
              onLeave={close}
              onHelp={() => setModal('shortcuts')}
              onLogOut={signOut}
              onViewAs={setViewed}
              menu={menu.flatMap(({ label, also, onClick }) =>
                onClick ? [{ label, run: onClick, ...(also ? { also } : {}) }] : [],
              )}
            />
          ) : (
            <ShortcutsModal onClose={closeOver} />
          )}
        </Suspense>
      )}
    </AppFrame>
  );
}

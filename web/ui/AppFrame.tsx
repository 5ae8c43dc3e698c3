import { ActionIcon, AppShell, Burger, Tooltip, UnstyledButton } from '@mantine/core';
import {
  useDisclosure,
  useHotkeys,
  useLocalStorage,
  useMediaQuery,
  useNetwork,
  useReducedMotion,
} from '@mantine/hooks';
import { IconLayoutSidebarLeftCollapse, IconLayoutSidebarLeftExpand, IconSearch } from '@tabler/icons-react';
import { Link, useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import classes from './AppFrame.module.css';
import { comeIn, PAGE_MS } from './motion.ts';
import { overlaysReady } from './overlays.ts';
import { type FrameAction, ProfileMenu } from './ProfileMenu.tsx';
import { announceResize } from './resize.ts';
import { type FrameSection, SideLinks } from './SideLinks.tsx';
import { SEARCH_KEYS } from './shortcuts.ts';

export interface AppFrameProps {
  /** The tenant's mark; `folded` if only 64 px are available. */
  mark: (folded: boolean) => ReactNode;
  home: string;
  sections: FrameSection[];
  person: { name: string; email: string; company: string };
  /** The profile menu's entries in addition to theme and log out. */
  menu: FrameAction[];
  onLogout: () => void;
  /** Opens the global search; also Ctrl or Cmd and K. */
  onSearch: () => void;
  /** Shows the keyboard shortcuts; also `?`. */
  onHelp: () => void;
  /** What stays visible above every page: warnings, view mode. */
  banners?: ReactNode;
  children: ReactNode;
}

/** Sidebar (240 px, 64 collapsed, a drawer up to 768), profile menu, skip link, and offline bar around every page. */
export function AppFrame(props: AppFrameProps) {
  const [isOpen, drawer] = useDisclosure(false);
  const [isFolded, setFolded] = useLocalStorage({
    key: 'sidebar.folded',
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  const isPhone = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  const folded = isFolded && !isPhone;
  useEffect(() => void overlaysReady(), []);
  const page = usePageTransition();
  useHotkeys([
    [
      '/',
      (event) => {
        const boxes = document.querySelectorAll<HTMLInputElement>('[data-quick-search]');
        const box = [...boxes].at(-1);
        if (!box) return;
        event.preventDefault();
        box.focus();
        box.select();
      },
    ],
    ['Escape', drawer.close],
    ['?', props.onHelp],
    ['shift+?', props.onHelp],
  ]);
  useHotkeys([['mod+K', props.onSearch]], []);

  return (
    <AppShell
      navbar={{ width: folded ? 64 : 240, breakpoint: 769, collapsed: { mobile: !isOpen } }}
      header={{ height: 56, collapsed: !isPhone }}
      padding={{ base: 16, sm: 24 }}
      transitionDuration={PAGE_MS}
    >
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      {isPhone && (
        <AppShell.Header className={classes.header}>
          <Burger
            opened={isOpen}
            onClick={drawer.toggle}
            size="sm"
            color="var(--on-sidebar)"
            aria-label={isOpen ? 'Close menu' : 'Open menu'}
            aria-expanded={isOpen}
          />
          <Link to={props.home as '/'} className={classes.mark}>
            {props.mark(false)}
          </Link>
          <ActionIcon
            variant="transparent"
            className={classes.find}
            size={36}
            aria-label="Search"
            onClick={props.onSearch}
          >
            <IconSearch size={20} stroke={1.6} aria-hidden="true" />
          </ActionIcon>
        </AppShell.Header>
      )}
      <AppShell.Navbar
        className={classes.navbar}
        data-folded={folded || undefined}
        aria-label="Main"
        inert={isPhone && !isOpen}
      >
        {!isPhone && (
          <AppShell.Section className={classes.top}>
            <Link to={props.home as '/'} className={classes.mark}>
              {props.mark(folded)}
            </Link>
          </AppShell.Section>
        )}
        {!isPhone && (
          <Tooltip label={`Search (${SEARCH_KEYS})`} position="right" disabled={!folded}>
            <UnstyledButton
              className={classes.search}
              data-tour="search"
              aria-keyshortcuts="Control+K Meta+K"
              onClick={props.onSearch}
            >
              <IconSearch size={16} stroke={1.6} aria-hidden="true" />
              <span className={folded ? 'sr-only' : classes.label}>Search</span>
              {!folded && (
                <span className={classes.keys} aria-hidden="true">
                  {SEARCH_KEYS}
                </span>
              )}
            </UnstyledButton>
          </Tooltip>
        )}
        <SideLinks sections={props.sections} folded={folded} onPick={drawer.close} />
        <AppShell.Section className={classes.bottom}>
          <ProfileMenu {...props} folded={folded} onPick={drawer.close} />
          {!isPhone && (
            <Tooltip label={folded ? 'Expand sidebar' : 'Collapse sidebar'} position="right">
              <ActionIcon
                variant="transparent"
                className={classes.fold}
                size={32}
                aria-label={folded ? 'Expand sidebar' : 'Collapse sidebar'}
                onClick={() => {
                  setFolded(!isFolded);
                  announceResize();
                }}
              >
                {folded ? (
                  <IconLayoutSidebarLeftExpand size={18} />
                ) : (
                  <IconLayoutSidebarLeftCollapse size={18} />
                )}
              </ActionIcon>
            </Tooltip>
          )}
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1} className={classes.main}>
        <OfflineBar />
        <div className={classes.content} ref={page}>
          {props.banners}
          {props.children}
        </div>
      </AppShell.Main>
    </AppShell>
  );
}

/** Animates each new page in (spec calls 9). */
function usePageTransition() {
  const page = useRef<HTMLDivElement>(null);
  const { pathname } = useLocation();
  const isStill = useReducedMotion(undefined, { getInitialValueInEffect: false });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new address is a new page
  useLayoutEffect(() => {
    comeIn(page.current, isStill);
  }, [pathname]);
  return page;
}

/** Says that the device is offline, for as long as it is. */
export function OfflineBar() {
  const { online } = useNetwork();
  return (
    <div role="status">
      {online === false && (
        <div className={classes.offline}>
          You are offline. What you see may be out of date, and changes cannot be saved.
        </div>
      )}
    </div>
  );
}

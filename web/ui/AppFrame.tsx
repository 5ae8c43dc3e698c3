import {
  ActionIcon,
  AppShell,
  Avatar,
  Burger,
  Menu,
  ScrollArea,
  Tooltip,
  UnstyledButton,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure, useHotkeys, useLocalStorage, useMediaQuery, useNetwork } from '@mantine/hooks';
import {
  IconExternalLink,
  IconLayoutSidebarLeftCollapse,
  IconLayoutSidebarLeftExpand,
  IconLogout,
  IconMoon,
  IconSelector,
  IconSun,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type ComponentType, type ReactNode, useEffect } from 'react';
import classes from './AppFrame.module.css';
import { overlaysReady } from './overlays.ts';

export interface FrameLink {
  label: string;
  to: string;
  icon: ComponentType<{ size?: number; stroke?: number }>;
  /** Leaves the app: a plain link in a new tab. */
  external?: boolean;
}

/** One thing of the profile menu: a page or something to do. */
export interface FrameAction {
  label: string;
  icon: ComponentType<{ size?: number }>;
  to?: string;
  onClick?: () => void;
}

export interface AppFrameProps {
  /** The tenant's mark; `folded` when only 64 px are there. */
  mark: (folded: boolean) => ReactNode;
  home: string;
  links: FrameLink[];
  person: { name: string; email: string; company: string };
  /** What the profile menu has besides theme and log out. */
  menu: FrameAction[];
  onLogout: () => void;
  children: ReactNode;
}

/** Sidebar (240 px, 64 folded, a drawer up to 768), profile menu, skip link and offline bar around every page. */
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
  ]);

  return (
    <AppShell
      navbar={{ width: folded ? 64 : 240, breakpoint: 769, collapsed: { mobile: !isOpen } }}
      header={{ height: 56, collapsed: !isPhone }}
      padding={{ base: 16, sm: 24 }}
      transitionDuration={200}
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
        <AppShell.Section grow component={ScrollArea} className={classes.links}>
          {props.links.map((link) => (
            <NavLink key={link.to} link={link} folded={folded} onClick={drawer.close} />
          ))}
        </AppShell.Section>
        <AppShell.Section className={classes.bottom}>
          <Profile {...props} folded={folded} />
          {!isPhone && (
            <Tooltip label={folded ? 'Unfold sidebar' : 'Fold sidebar'} position="right">
              <ActionIcon
                variant="transparent"
                className={classes.fold}
                size={32}
                aria-label={folded ? 'Unfold sidebar' : 'Fold sidebar'}
                onClick={() => setFolded(!isFolded)}
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
        <div className={classes.content}>{props.children}</div>
      </AppShell.Main>
    </AppShell>
  );
}

function NavLink({ link, folded, onClick }: { link: FrameLink; folded: boolean; onClick: () => void }) {
  const Icon = link.icon;
  const inner = (
    <>
      <Icon size={18} stroke={1.6} />
      <span className={folded ? 'sr-only' : classes.label}>{link.label}</span>
      {link.external && !folded && <IconExternalLink size={14} aria-hidden="true" />}
      {link.external && <span className="sr-only">(opens in a new tab)</span>}
    </>
  );
  return (
    <Tooltip label={link.label} position="right" disabled={!folded}>
      {link.external ? (
        <a className={classes.link} href={link.to} target="_blank" rel="noreferrer" onClick={onClick}>
          {inner}
        </a>
      ) : (
        <Link
          className={classes.link}
          to={link.to as '/'}
          onClick={onClick}
          activeProps={{ 'data-active': true }}
          activeOptions={{ includeSearch: false }}
        >
          {inner}
        </Link>
      )}
    </Tooltip>
  );
}

function Profile({ person, menu, onLogout, folded }: AppFrameProps & { folded: boolean }) {
  const scheme = useComputedColorScheme();
  const { setColorScheme } = useMantineColorScheme();
  const next = scheme === 'dark' ? 'light' : 'dark';
  return (
    <Menu position="top-start" width={220}>
      <Menu.Target>
        <UnstyledButton className={classes.profile}>
          <Avatar
            size={28}
            radius="xl"
            name={person.name}
            color="gray"
            variant="white"
            classNames={{ placeholder: classes.initials! }}
          />
          {folded ? (
            <span className="sr-only">{person.name}</span>
          ) : (
            <>
              <span className={classes.who}>
                <span className={classes.name}>{person.name}</span>
                <span className={classes.company}>{person.company}</span>
              </span>
              <IconSelector size={14} aria-hidden="true" />
            </>
          )}
          <span className="sr-only">, profile menu</span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label style={{ overflowWrap: 'anywhere' }}>{person.email}</Menu.Label>
        {menu.map(({ label, icon: Icon, to, onClick }) => (
          <Menu.Item
            key={label}
            leftSection={<Icon size={16} />}
            {...(onClick ? { onClick } : {})}
            {...(to ? { renderRoot: (props: object) => <Link {...props} to={to as '/'} /> } : {})}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item
          leftSection={next === 'dark' ? <IconMoon size={16} /> : <IconSun size={16} />}
          onClick={() => setColorScheme(next)}
        >
          {next === 'dark' ? 'Dark theme' : 'Light theme'}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={onLogout}>
          Log out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Says that the device has no connection, for as long as it has none. */
export function OfflineBar() {
  const { online } = useNetwork();
  return (
    <div role="status">
      {online === false && (
        <div className={classes.offline}>
          You are offline. What you see may be out of date; changes cannot be saved.
        </div>
      )}
    </div>
  );
}

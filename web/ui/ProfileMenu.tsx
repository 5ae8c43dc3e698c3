import { Avatar, Menu, UnstyledButton, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconLogout, IconMoon, IconSelector, IconSun } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import classes from './AppFrame.module.css';
import { StatusBadge } from './StatusBadge.tsx';

/** One entry of the profile menu: a page, an address outside the app, or an action. */
export interface FrameAction {
  label: string;
  icon: ComponentType<{ size?: number }>;
  to?: string;
  href?: string;
  /** A word next to the label, such as 'beta'. */
  badge?: string;
  /** Other words that find it in the search. */
  also?: string;
  onClick?: () => void;
}

/** The signed-in user, and what they can do with their account. */
export function ProfileMenu({
  person,
  menu,
  onLogout,
  folded,
  onPick,
}: {
  person: { name: string; email: string; company: string };
  menu: FrameAction[];
  onLogout: () => void;
  folded: boolean;
  /** Called after a choice that leads to a page or a modal: a sidebar that covers the page has to close. */
  onPick: () => void;
}) {
  const scheme = useComputedColorScheme();
  const { setColorScheme } = useMantineColorScheme();
  const next = scheme === 'dark' ? 'light' : 'dark';
  return (
    // Rendered inside the sidebar's landmark, not in a portal outside all landmarks.
    <Menu position="top-start" width={256} withinPortal={false}>
      <Menu.Target>
        <UnstyledButton className={classes.profile} data-tour="profile">
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
                <span className={classes.name} title={person.name}>
                  {person.name}
                </span>
                <span className={classes.company} title={person.company}>
                  {person.company}
                </span>
              </span>
              <IconSelector size={14} aria-hidden="true" />
            </>
          )}
          <span className="sr-only">, profile menu</span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label style={{ overflowWrap: 'anywhere' }}>{person.email}</Menu.Label>
        {menu.map(({ label, icon: Icon, to, href, badge, onClick }) => (
          <Menu.Item
            key={label}
            leftSection={<Icon size={16} />}
            rightSection={badge && <StatusBadge status={badge} tone="info" />}
            {...(href ? { renderRoot: (props: object) => <a {...props} href={href} /> } : {})}
            onClick={() => {
              onPick();
              onClick?.();
            }}
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

import { AppShell, Menu, ScrollArea, Tooltip, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconExternalLink } from '@tabler/icons-react';
import { Link, useLocation } from '@tanstack/react-router';
import { type ComponentType, useState } from 'react';
import classes from './AppFrame.module.css';

export interface FrameLink {
  label: string;
  to: string;
  /** Leaves the app: a plain link in a new tab. */
  external?: boolean;
}

/** An entry of the sidebar: it leads to the first of its pages, and shows the others below it. */
export interface FrameSection {
  title: string;
  icon: ComponentType<{ size?: number; stroke?: number }>;
  links: FrameLink[];
}

/** Whether the address is this page or one below it. */
const isAt = (pathname: string, { to, external }: FrameLink): boolean =>
  !external && (pathname === to || pathname.startsWith(`${to}/`));

/**
 * The sidebar's entries, one open at a time: that of the current page, or another by its arrow. Folded, the pages of an
 * entry are a menu beside its icon.
 */
export function SideLinks({
  sections,
  folded,
  onPick,
}: {
  sections: FrameSection[];
  folded: boolean;
  /** Called when a link is followed: a sidebar that covers the page has to close. */
  onPick: () => void;
}) {
  const { pathname } = useLocation();
  // What the arrows opened, or closed (no title), until the next page.
  const [chosen, setChosen] = useState<{ at: string; title: string | undefined }>();
  const entries = sections.map((section) => {
    const isActive = section.links.some((link) => isAt(pathname, link));
    if (folded) return <FoldedEntry key={section.title} section={section} isActive={isActive} />;
    const isOpen = chosen?.at === pathname ? chosen.title === section.title : isActive;
    return (
      <Entry
        key={section.title}
        section={section}
        isActive={isActive}
        isOpen={isOpen}
        onToggle={() => setChosen({ at: pathname, title: isOpen ? undefined : section.title })}
        onPick={onPick}
      />
    );
  });
  // Folded entries always fit, and their menus must not be clipped.
  return folded ? (
    <AppShell.Section grow component="ul" className={classes.links}>
      {entries}
    </AppShell.Section>
  ) : (
    <AppShell.Section grow component={ScrollArea} className={classes.scroll}>
      <ul className={classes.links}>{entries}</ul>
    </AppShell.Section>
  );
}

function Entry({
  section: { title, icon: Icon, links },
  isActive,
  isOpen,
  onToggle,
  onPick,
}: {
  section: FrameSection;
  isActive: boolean;
  isOpen: boolean;
  onToggle: () => void;
  onPick: () => void;
}) {
  const first = links[0];
  if (!first) return null;
  const isAlone = links.length === 1;
  return (
    <li>
      <div className={classes.entry} data-tour={`entry:${title}`}>
        <Link
          className={classes.link}
          to={first.to as '/'}
          onClick={onPick}
          // With its pages shown, the page itself is marked and not the entry.
          data-active={(isActive && (isAlone || !isOpen)) || undefined}
          data-within={isActive || undefined}
          activeProps={isAlone ? {} : { 'aria-current': undefined }}
        >
          <Icon size={18} stroke={1.6} />
          <span className={classes.label} title={title}>
            {title}
          </span>
        </Link>
        {!isAlone && (
          <UnstyledButton
            className={classes.toggle}
            aria-expanded={isOpen}
            aria-label={`${isOpen ? 'Hide' : 'Show'} pages of ${title}`}
            onClick={onToggle}
          >
            <IconChevronDown size={14} aria-hidden="true" />
          </UnstyledButton>
        )}
      </div>
      {!isAlone && isOpen && (
        <ul className={classes.pages} aria-label={title}>
          {links.map((link) => (
            <li key={link.to}>
              <PageLink link={link} className={classes.page} onClick={onPick} />
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

function FoldedEntry({
  section: { title, icon: Icon, links },
  isActive,
}: {
  section: FrameSection;
  isActive: boolean;
}) {
  const first = links[0];
  if (!first) return null;
  const face = (
    <>
      <Icon size={18} stroke={1.6} />
      <span className="sr-only">{title}</span>
    </>
  );
  const active = { 'data-active': isActive || undefined };
  return (
    <li data-tour={`entry:${title}`}>
      {links.length === 1 ? (
        <Tooltip label={title} position="right">
          <Link className={classes.link} to={first.to as '/'} {...active}>
            {face}
          </Link>
        </Tooltip>
      ) : (
        <Menu trigger="click-hover" position="right-start" offset={4} width={200} withinPortal={false}>
          <Menu.Target>
            <UnstyledButton className={classes.link} {...active}>
              {face}
            </UnstyledButton>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Label>{title}</Menu.Label>
            {links.map((link) => (
              <Menu.Item
                key={link.to}
                renderRoot={(props: { className?: string }) => <PageLink {...props} link={link} />}
              >
                {link.label}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
    </li>
  );
}

/** A link to a page, or, marked as such, to an address outside the app in a new tab. */
function PageLink({
  link,
  ...props
}: {
  link: FrameLink;
  className?: string | undefined;
  onClick?: () => void;
}) {
  return link.external ? (
    <a {...props} href={link.to} target="_blank" rel="noreferrer">
      <span className={classes.label} title={link.label}>
        {link.label}
      </span>
      <IconExternalLink size={14} aria-hidden="true" />
      <span className="sr-only">(opens in a new tab)</span>
    </a>
  ) : (
    <Link
      {...props}
      to={link.to as '/'}
      activeProps={{ 'data-active': true }}
      activeOptions={{ includeSearch: false }}
    >
      <span className={classes.label} title={link.label}>
        {link.label}
      </span>
    </Link>
  );
}

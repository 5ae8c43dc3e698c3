import { ActionIcon, CloseButton, Drawer, Group, Text, Tooltip } from '@mantine/core';
import { useHotkeys, useMediaQuery } from '@mantine/hooks';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef } from 'react';
import classes from './DetailDrawer.module.css';
import { useSearchParams } from './useSearchParams.ts';

/** From here on a list has room for details beside it. */
export const WIDE = '(min-width: 75em)';

/**
 * Returns the id in the address under `param`, and functions to open (with a new history entry, so that Back closes)
 * and close.
 */
export function useDrawer(param: string) {
  const [params, set] = useSearchParams();
  return {
    id: params[param],
    open: (id: string) => set({ [param]: id }, { push: true }),
    /** Goes on to another one; Back still closes. */
    step: (id: string) => set({ [param]: id }),
    close: () => set({ [param]: undefined }),
  };
}

/**
 * A details drawer on the right, and on a phone a sheet from below; open while the address contains `param`. `beside`:
 * on a wide screen it stands beside the list that it follows, which stays usable.
 */
export function DetailDrawer(props: {
  param: string;
  title: ReactNode;
  /** What stands beside the list, for screen readers: 'Lead'. */
  label?: string;
  size?: number;
  /** The things of the list that it was opened from, in order: the next and the previous one are a key away. */
  ids?: readonly string[];
  beside?: boolean;
  children: (id: string) => ReactNode;
}) {
  const drawer = useDrawer(props.param);
  const isOpen = drawer.id !== undefined;
  const isWide = useMediaQuery(WIDE, undefined, { getInitialValueInEffect: false });
  const isPhone = useMediaQuery('(max-width: 36em)', undefined, { getInitialValueInEffect: false });
  const isBeside = Boolean(props.beside && isWide);
  const close = useRef(drawer.close);
  close.current = drawer.close;

  // Escape closes only what is on top: if a modal is open above the drawer, the modal.
  useEffect(() => {
    if (!isOpen) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.isComposing) return;
      const at = event.target as Element | null;
      if (at?.getAttribute?.('data-mantine-stop-propagation') === 'true') return;
      const layers = document.querySelectorAll('.mantine-Modal-content, .mantine-Drawer-content');
      // Beside the list, what has the key may have its own use for it: a search box, a menu.
      const isTaken =
        isBeside && at?.closest?.('input,textarea,[role=menu],[role=listbox],[aria-expanded=true]');
      if (layers.length === (isBeside ? 0 : 1) && !isTaken) close.current();
    };
    addEventListener('keydown', onKey, { capture: true });
    return () => removeEventListener('keydown', onKey, { capture: true });
  }, [isOpen, isBeside]);

  const steps = drawer.id !== undefined && props.ids && (
    <Steps ids={props.ids} id={drawer.id} onStep={drawer.step} />
  );
  if (isBeside) {
    if (drawer.id === undefined) return null;
    return (
      <aside className={`card ${classes.panel}`} aria-label={props.label}>
        <div className={classes.head}>
          {steps}
          <Tooltip label="Close (Esc)">
            <CloseButton aria-label="Close" ml="auto" onClick={drawer.close} />
          </Tooltip>
        </div>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
        <section className={classes.body} tabIndex={0} aria-label={`${props.label}, details`}>
          {props.children(drawer.id)}
        </section>
      </aside>
    );
  }
  return (
    <Drawer
      opened={isOpen}
      onClose={drawer.close}
      closeOnEscape={false}
      position={isPhone ? 'bottom' : 'right'}
      size={isPhone ? '92dvh' : (props.size ?? 520)}
      {...(isPhone ? { classNames: { content: classes.sheet! } } : {})}
      title={props.title}
      padding="lg"
    >
      {steps}
      {drawer.id !== undefined && props.children(drawer.id)}
    </Drawer>
  );
}

/** Where in its list an open thing stands, and the way to its neighbors (K and J); nothing if the list has it not. */
function Steps(props: { ids: readonly string[]; id: string; onStep: (id: string) => void }) {
  const { ids, onStep } = props;
  const at = ids.indexOf(props.id);
  const go = (to: number) => () => {
    const id = at < 0 ? undefined : ids[to];
    if (id !== undefined) onStep(id);
  };
  useHotkeys([
    ['k', go(at - 1)],
    ['j', go(at + 1)],
  ]);
  if (at < 0) return null;
  const button = (label: string, key: string, to: number, Icon: typeof IconChevronUp) => (
    <Tooltip label={`${label} (${key})`}>
      <ActionIcon
        variant="default"
        size={30}
        aria-label={label}
        aria-keyshortcuts={key}
        data-disabled={ids[to] === undefined || undefined}
        aria-disabled={ids[to] === undefined}
        onClick={go(to)}
      >
        <Icon size={16} aria-hidden="true" />
      </ActionIcon>
    </Tooltip>
  );
  return (
    <Group gap="xs" justify="flex-end" className={classes.steps!}>
      <Text size="xs" c="dimmed" className="num" role="status">
        {at + 1} of {ids.length} on this page
      </Text>
      {button('Previous', 'K', at - 1, IconChevronUp)}
      {button('Next', 'J', at + 1, IconChevronDown)}
    </Group>
  );
}

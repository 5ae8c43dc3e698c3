import { ActionIcon, Drawer, Group, Text, Tooltip } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { useSearchParams } from './useSearchParams.ts';

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

/** A details drawer on the right; open while the address contains `param`. */
export function DetailDrawer(props: {
  param: string;
  title: ReactNode;
  size?: number;
  /** The things of the list that it was opened from, in order: the next and the previous one are a key away. */
  ids?: readonly string[];
  children: (id: string) => ReactNode;
}) {
  const drawer = useDrawer(props.param);
  const isOpen = drawer.id !== undefined;
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
      if (layers.length === 1) close.current();
    };
    addEventListener('keydown', onKey, { capture: true });
    return () => removeEventListener('keydown', onKey, { capture: true });
  }, [isOpen]);

  return (
    <Drawer
      opened={isOpen}
      onClose={drawer.close}
      closeOnEscape={false}
      position="right"
      size={props.size ?? 520}
      title={props.title}
      padding="lg"
    >
      {drawer.id !== undefined && props.ids && <Steps ids={props.ids} id={drawer.id} onStep={drawer.step} />}
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
    <Group gap="xs" justify="flex-end" mb="xs">
      <Text size="xs" c="dimmed" className="num" role="status">
        {at + 1} of {ids.length} on this page
      </Text>
      {button('Previous', 'K', at - 1, IconChevronUp)}
      {button('Next', 'J', at + 1, IconChevronDown)}
    </Group>
  );
}

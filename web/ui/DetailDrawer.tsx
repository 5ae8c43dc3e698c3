import { Drawer } from '@mantine/core';
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
    close: () => set({ [param]: undefined }),
  };
}

/** A details drawer on the right; open while the address contains `param`. */
export function DetailDrawer(props: {
  param: string;
  title: ReactNode;
  size?: number;
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
      {drawer.id !== undefined && props.children(drawer.id)}
    </Drawer>
  );
}

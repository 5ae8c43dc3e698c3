import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSearchParams } from './useSearchParams.ts';

/** The id in the address under `param`, and ways to open (a new history entry, so that Back closes) and close. */
export function useDrawer(param: string) {
  const [params, set] = useSearchParams();
  return {
    id: params[param],
    open: (id: string) => set({ [param]: id }, { push: true }),
    close: () => set({ [param]: undefined }),
  };
}

/** Details at the right; open while the address carries `param`. */
export function DetailDrawer(props: {
  param: string;
  title: ReactNode;
  size?: number;
  children: (id: string) => ReactNode;
}) {
  const drawer = useDrawer(props.param);
  return (
    <Drawer
      opened={drawer.id !== undefined}
      onClose={drawer.close}
      position="right"
      size={props.size ?? 520}
      title={props.title}
      padding="lg"
    >
      {drawer.id !== undefined && props.children(drawer.id)}
    </Drawer>
  );
}

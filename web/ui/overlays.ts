import { useSyncExternalStore } from 'react';

// Modals and notifications are a third of a first load, and the login page shows neither: they are loaded when the
// frame, or the first alert, asks for them.
let wanted = false;
const watchers = new Set<() => void>();
let mounted: () => void;
const mount = new Promise<void>((resolve) => {
  mounted = resolve;
});

/** Has the host of modals and notifications loaded; resolves once it is on the page. */
export function overlaysReady(): Promise<void> {
  if (!wanted) {
    wanted = true;
    for (const watcher of watchers) watcher();
  }
  return mount;
}

/** For the host alone: it is on the page. */
export function overlaysMounted(): void {
  mounted();
}

/** Whether somebody has asked for the host. */
export function useOverlaysWanted(): boolean {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => wanted,
  );
}

import { useSyncExternalStore } from 'react';

// Modals and notifications make up a third of the first load, and the login page shows neither, so they are loaded when
// the frame, or the first alert, needs them.
let wanted = false;
const watchers = new Set<() => void>();
let mounted: () => void;
const mount = new Promise<void>((resolve) => {
  mounted = resolve;
});

/** Triggers loading the host of modals and notifications; resolves once it is on the page. */
export function overlaysReady(): Promise<void> {
  if (!wanted) {
    wanted = true;
    for (const watcher of watchers) watcher();
  }
  return mount;
}

/** Called only by the host: it is on the page. */
export function overlaysMounted(): void {
  mounted();
}

/** Whether the host has been requested. */
export function useOverlaysWanted(): boolean {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => wanted,
  );
}

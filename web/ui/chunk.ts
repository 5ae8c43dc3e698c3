import { lazyRouteComponent } from '@tanstack/react-router';
import type { ComponentType } from 'react';

/** How long a page's code may take to arrive (spec calls 9). */
export const CHUNK_TIMEOUT_MS = 120_000;

/** Rejects if `load` takes longer than a chunk may. */
export function withinTime<T>(load: () => Promise<T>, ms = CHUNK_TIMEOUT_MS): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error('This page is taking too long to load. Check your connection, then try again.')),
      ms,
    );
    load()
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}

/** A page whose code is loaded on demand, within the time limit for a chunk. */
export const lazyPage = <P>(load: () => Promise<{ default: ComponentType<P> }>) =>
  lazyRouteComponent(() => withinTime(load)) as ComponentType<P> & { preload?: () => Promise<void> };

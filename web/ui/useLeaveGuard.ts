import { useBlocker } from '@tanstack/react-router';
import { useCallback, useEffect, useRef } from 'react';
import { session } from '../api/client.ts';
import { confirm } from './confirm.tsx';

type Place = { pathname: string; search: unknown };

function leaves(from: Place, to: Place, keys: readonly string[]): boolean {
  const a = from.search as Record<string, unknown>;
  const b = to.search as Record<string, unknown>;
  return from.pathname !== to.pathname || keys.some((key) => a[key] !== b[key]);
}

/**
 * Asks for confirmation before unsaved changes are left by a link, tab, Back, closing, or reloading. The returned
 * function lets the next departure through without asking, for leaving after a save.
 * @param body what is lost: 'Your changes to this campaign are lost.'
 * @param keys search parameters whose change also leaves the form
 */
export function useLeaveGuard(isDirty: boolean, body: string, keys: readonly string[] = []): () => void {
  const isFree = useRef(false);
  const asked = useRef({ body, keys });
  useEffect(() => {
    asked.current = { body, keys };
  });
  const shouldBlockFn = useCallback(async ({ current, next }: { current: Place; next: Place }) => {
    // A user who has been signed out cannot save anymore.
    if (isFree.current || !session.alive || !leaves(current, next, asked.current.keys)) return false;
    return !(await confirm({
      title: 'Leave without saving?',
      body: asked.current.body,
      verb: 'Leave',
      danger: true,
    }));
  }, []);
  useBlocker({
    shouldBlockFn: shouldBlockFn as never,
    enableBeforeUnload: () => !isFree.current && session.alive,
    disabled: !isDirty,
  });
  return () => {
    isFree.current = true;
  };
}

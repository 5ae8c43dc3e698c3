import { useBlocker } from '@tanstack/react-router';
import { useCallback, useRef } from 'react';
import { session } from '../../api/client.ts';
import { confirm } from '../../ui/confirm.tsx';

type Place = { pathname: string; search: unknown };

/** Search parameters whose change leaves the form. */
const HERE = ['campaign', 'tab', 'new'] as const;

function leaves(from: Place, to: Place): boolean {
  const a = from.search as Record<string, unknown>;
  const b = to.search as Record<string, unknown>;
  return from.pathname !== to.pathname || HERE.some((key) => a[key] !== b[key]);
}

/**
 * Asks before unsaved changes are left, by link, tab, Back, closing or reloading. The answer lets the next departure
 * through unasked: for leaving after a save.
 */
export function useLeaveGuard(
  isDirty: boolean,
  body = 'Your changes to this campaign are lost.',
): () => void {
  const isFree = useRef(false);
  const shouldBlockFn = useCallback(
    async ({ current, next }: { current: Place; next: Place }) => {
      // Who has been signed out cannot save any more.
      if (isFree.current || !session.alive || !leaves(current, next)) return false;
      return !(await confirm({
        title: 'Leave without saving?',
        body,
        verb: 'Leave',
        danger: true,
      }));
    },
    [body],
  );
  useBlocker({
    shouldBlockFn: shouldBlockFn as never,
    enableBeforeUnload: () => !isFree.current && session.alive,
    disabled: !isDirty,
  });
  return () => {
    isFree.current = true;
  };
}

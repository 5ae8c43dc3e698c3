import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

/**
 * Returns the address's search parameters as plain strings, and a function to change some; undefined or '' removes one.
 */
export function useSearchParams() {
  const params = useSearch({ strict: false }) as Record<string, string | undefined>;
  const navigate = useNavigate();
  const set = useCallback(
    (patch: Record<string, string | number | undefined>, options: { push?: boolean } = {}) =>
      void navigate({
        to: '.',
        replace: !options.push,
        resetScroll: false,
        search: ((old: Record<string, string | undefined>) => {
          const next: Record<string, string | undefined> = { ...old };
          for (const [key, value] of Object.entries(patch)) {
            if (value === undefined || value === '') delete next[key];
            else next[key] = String(value);
          }
          return next;
        }) as never,
      }),
    [navigate],
  );
  return [params, set] as const;
}

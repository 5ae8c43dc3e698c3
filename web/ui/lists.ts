import { useDebouncedCallback, useLocalStorage } from '@mantine/hooks';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Client } from '../../contract/index.ts';
import { api } from '../api/client.ts';
import { useUser } from '../api/user.ts';

type Mine = Awaited<ReturnType<Client['views']['mine']>>;
export type SavedView = Mine['views'][number];

/** How a person looks at a list; without columns, it shows its own. */
export interface Look {
  density: 'comfortable' | 'compact';
  columns: string[] | null;
}

/** How the user looks at all lists, and the saved views: asked for once. */
export const listsQuery = queryOptions({
  queryKey: ['lists'],
  queryFn: ({ signal }) => api.views.mine(undefined, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
  // Salespeople may not ask in view mode; every list then looks as it does by default.
  retry: false,
});

const PLAIN: Look = { density: 'comfortable', columns: null };

/**
 * The user's look of a list, and what changes it. The server keeps it for every device; this browser keeps a copy, so
 * that nothing moves while the page loads.
 */
export function useLook(list: string): [look: Look, set: (look: Look) => void] {
  const cache = useQueryClient();
  const { in_view_mode } = useUser();
  const { data } = useQuery(listsQuery);
  const [copy, setCopy] = useLocalStorage<Look>({
    key: `list.${list}`,
    defaultValue: PLAIN,
    getInitialValueInEffect: false,
  });
  const saved = data?.looks.find((one) => one.list === list);
  const look: Look = data ? (saved ?? PLAIN) : copy;
  useEffect(() => {
    if (data && !in_view_mode) setCopy({ density: look.density, columns: look.columns });
  }, [data, in_view_mode, look.density, look.columns, setCopy]);
  // Several columns in a row are one change. If it cannot be saved, it lasts until the page is reloaded.
  const save = useDebouncedCallback(
    (next: Look) => void api.views.setLook({ list, ...next }).catch(() => undefined),
    { delay: 500, flushOnUnmount: true },
  );
  const set = ({ density, columns }: Look) => {
    cache.setQueryData(
      listsQuery.queryKey,
      (all) =>
        all && {
          ...all,
          looks: [...all.looks.filter((one) => one.list !== list), { list, density, columns }],
        },
    );
    setCopy({ density, columns });
    if (!in_view_mode) save({ density, columns });
  };
  return [look, set];
}

import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { z } from 'zod';
import type { ProfileAnswer } from '../../../../contract/accounts/profile.ts';
import type { Inside } from '../../../../contract/wire.ts';
import { api, transport, wire } from '../../../api/client.ts';
import { formOf } from '../../../api/upload.ts';
import { userQuery } from '../../../api/user.ts';

const DAY = 24 * 60 * 60_000;

type Place = { value: string; label: string };

/** The states of a country; undefined while they are loading, empty if the country has no list of states. */
export function useStates(country: string): Place[] | undefined {
  const isListed = country === 'US';
  const { data, error } = useQuery({
    queryKey: ['states'],
    queryFn: async ({ signal }) => (await api.profile.states(undefined, { signal })).data,
    enabled: isListed,
    staleTime: DAY,
  });
  return isListed && !error ? data : [];
}

/** Names of a state's cities as suggestions; any other city may be typed. */
export function useCities(country: string, state: string): string[] {
  const { data } = useQuery({
    queryKey: ['cities', state],
    queryFn: async ({ signal }) => (await api.profile.cities({ state }, { signal })).data,
    enabled: country === 'US' && state !== '',
    staleTime: DAY,
  });
  return data ?? [];
}

/** The progress of a user's setup. */
export const checkQuery = (id: string) =>
  queryOptions({
    queryKey: ['setup-check', id],
    queryFn: ({ signal }) => api.setup.check({ id }, { signal }),
  });

/** Whether the company has accepted the current version of a document. */
export const agreementQuery = (document_type: 'default_agency' | 'default_client') =>
  queryOptions({
    queryKey: ['agreement', document_type],
    queryFn: ({ signal }) => api.setup.agreement({ document_type }, { signal }),
  });

/** Reloads the user and their setup after a change to either. Resolves when both are loaded. */
export function usePersonChanged(): () => Promise<void> {
  const cache = useQueryClient();
  return useCallback(async () => {
    await Promise.all([
      cache.invalidateQueries({ queryKey: userQuery.queryKey }),
      cache.invalidateQueries({ queryKey: ['setup-check'] }),
      cache.invalidateQueries({ queryKey: ['agreement'] }),
    ]);
  }, [cache]);
}

/** The response to a saved step; for `error_email`, `message` says why the address cannot be used. */
type StepAnswer = Inside<z.output<typeof ProfileAnswer>>;

/**
 * Saves the given parts of a profile step: 1 the user, 2 the company (PROF-02); with a new picture, or without the
 * current one.
 * @throws ApiError
 */
export async function saveStep(
  step: 1 | 2 | undefined,
  fields: Record<string, string>,
  picture?: File,
): Promise<StepAnswer> {
  const body = formOf('inputs.profile', {
    ...fields,
    step: step && String(step),
    picture_url: picture,
  });
  const response = await transport.authorized('/user/update', { method: 'POST', body });
  return wire.inside<StepAnswer>(await response.json());
}

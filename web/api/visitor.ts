import { useQuery } from '@tanstack/react-query';
import { api } from './client.ts';

/** The country (two letters) of the visitor's address; undefined while unknown. Requested once, if wanted. */
export function useVisitorCountry(wanted: boolean): string | undefined {
  const { data } = useQuery({
    queryKey: ['visitor-country'],
    queryFn: ({ signal }) => api.profile.visitorCountry(undefined, { signal }),
    enabled: wanted,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return data?.country_code || undefined;
}

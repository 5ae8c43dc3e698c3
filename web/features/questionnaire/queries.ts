import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

/** The own answers; null while there are none. */
export const questionnaireQuery = queryOptions({
  queryKey: ['questionnaire'],
  queryFn: async ({ signal }) => (await api.profile.questionnaire(undefined, { signal })).data,
});

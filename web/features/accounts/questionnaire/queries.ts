import { queryOptions } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';

/** The company's own answers; null if there are none yet. */
export const questionnaireQuery = queryOptions({
  queryKey: ['questionnaire'],
  queryFn: async ({ signal }) => (await api.profile.questionnaire(undefined, { signal })).data,
});

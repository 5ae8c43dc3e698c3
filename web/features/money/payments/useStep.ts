import { useMutation, useQueryClient } from '@tanstack/react-query';
import { userQuery } from '../../../api/user.ts';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';

/** Runs a step that changes the user's own setup: shows a notification when it is done and reloads the user. */
export function useStep<T>(step: (given: T) => Promise<{ message: string }>) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: step,
    onSuccess: async ({ message }) => {
      await queryClient.invalidateQueries({ queryKey: userQuery.queryKey });
      notifyDone(message);
    },
    onError: (error) => notifyFailed(error),
  });
}

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { userQuery } from '../../api/user.ts';
import { notifyDone, notifyFailed } from '../../ui/notify.ts';

/** A step that changes the own set-up: told when done, and the person is loaded anew. */
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

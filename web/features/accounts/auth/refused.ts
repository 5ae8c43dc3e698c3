import type { UseFormReturnType } from '@mantine/form';
import { ApiError, wordsOf } from '../../../api/errors.ts';
import { focusFirstWrong } from '../../../ui/forms.ts';

/**
 * Shows the server's field errors under their fields and focuses the first one.
 * @returns messages for errors that match no field of the form, to be shown above it
 */
export function refusedBeside<Values extends object>(
  form: UseFormReturnType<Values>,
  error: unknown,
): string | undefined {
  const fields = error instanceof ApiError ? error.errors : {};
  const known = Object.entries(fields).filter(([field]) => field in form.getValues());
  form.setErrors(Object.fromEntries(known.map(([field, texts]) => [field, texts.join(' ')])));
  if (known.length === 0) return wordsOf(error);
  focusFirstWrong(form, Object.fromEntries(known));
  return undefined;
}

import type { UseFormReturnType } from '@mantine/form';
import { ApiError, wordsOf } from '../../api/errors.ts';
import { focusFirstWrong } from '../../ui/forms.ts';

/**
 * Puts what the server refuses under the fields it names and focuses the first of them.
 * @returns words for what names no field of the form, to be shown above it
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

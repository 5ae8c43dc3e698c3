import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { api } from '../../../api/client.ts';
import { wordsOf } from '../../../api/errors.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { AuthBox } from './AuthBox.tsx';

/**
 * /unsubscribe/{token}: takes the recipient of a lead report, notification, or digest off its list (INTG-06). Requires a click,
 * because email scanners open links, too; email programs send the same address a POST.
 */
export default function UnsubscribePage() {
  const { token = '' } = useParams({ strict: false }) as { token?: string };
  const stop = useMutation({ mutationFn: () => api.reports.unsubscribe({ token }) });
  if (stop.data) {
    return (
      <AuthBox title="Unsubscribe">
        <Notice tone="good" live="status">
          {stop.data.message}
        </Notice>
      </AuthBox>
    );
  }
  return (
    <AuthBox
      title="Unsubscribe"
      line="You will not get these emails anymore. Only you can ask for them again."
      problem={stop.error ? wordsOf(stop.error) : undefined}
    >
      <Button autoFocus fullWidth loading={stop.isPending} onClick={() => stop.mutate()}>
        Stop these emails
      </Button>
    </AuthBox>
  );
}

import { Button, PasswordInput, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { FormSection, SectionSkeleton } from '../../../ui/FormSection.tsx';
import { num } from '../../../ui/format.ts';
import { showFormError } from '../../../ui/forms.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone } from '../../../ui/notify.ts';
import { ErrorState } from '../../../ui/states.tsx';
import { useLeaveGuard } from '../../../ui/useLeaveGuard.ts';
import { When } from '../../../ui/Values.tsx';
import classes from './enrichment.module.css';

const FORM = 'data-source';

/** The key of the root's account with a vendor, and the results of requests since it was set. */
export function SourceForm() {
  const { in_view_mode } = useUser();
  const cache = useQueryClient();
  const query = useQuery({
    queryKey: ['data-sources'],
    queryFn: async ({ signal }) => (await api.enrichment.sources(undefined, { signal })).data,
  });
  const form = useForm({ initialValues: { key: '' } });
  const isDirty = form.isDirty();
  useLeaveGuard(isDirty, 'The key you entered will be lost.', ['of']);
  const keep = async (key: string) => {
    try {
      const { message } = await api.enrichment.setSource({ provider: 'pdl', key });
      form.reset();
      await Promise.all(
        ['data-sources', 'data-choice'].map((name) => cache.invalidateQueries({ queryKey: [name] })),
      );
      notifyDone(message);
    } catch (error) {
      showFormError(form, error);
    }
  };
  const takeAway = async () => {
    const isSure = await confirm({
      title: 'Remove the People Data Labs key?',
      body: 'People Data Labs will no longer be used. Leads will include only what your own people data knows. The usage figures will start over.',
      verb: 'Remove',
      danger: true,
    });
    if (isSure) await keep('');
  };
  if (query.error)
    return (
      <ErrorState
        error={query.error}
        what="The sources could not be loaded"
        onRetry={() => void query.refetch()}
      />
    );
  const [known] = query.data ?? [];
  if (!known) return <SectionSkeleton fields={1} />;
  return (
    <form id={FORM} noValidate onSubmit={form.onSubmit(({ key }) => keep(key))}>
      <FormSection
        title="People Data Labs"
        line="Your own account with this vendor. The vendor bills you for each person it finds."
        save={{ formId: FORM, isDirty, busy: form.submitting, onDiscard: () => form.reset() }}
      >
        <Stack gap="md">
          {in_view_mode ? (
            <Text size="sm" c="dimmed">
              The key cannot be changed in view mode.
            </Text>
          ) : (
            <PasswordInput
              label="API key"
              description={
                known.connected
                  ? 'A key is saved and encrypted. Enter a new one to replace it.'
                  : 'The key is encrypted and never shown again. Once it is saved, choose the source above.'
              }
              maxLength={200}
              autoComplete="off"
              styles={{ wrapper: { maxWidth: 440 } }}
              visibilityToggleButtonProps={{ 'aria-label': 'Show key' }}
              {...form.getInputProps('key')}
            />
          )}
          {known.connected && (
            <dl className={classes.figures}>
              <div>
                <dt>Looked up</dt>
                <dd className="num">{num(known.asked)}</dd>
              </div>
              <div>
                <dt>Found</dt>
                <dd className="num">{num(known.found)}</dd>
              </div>
              <div>
                <dt>No response</dt>
                <dd className="num">{num(known.failed)}</dd>
              </div>
            </dl>
          )}
          {known.last_error && (
            <Notice tone="warn" title="Last error">
              {known.last_error} (<When at={known.last_error_at} />)
            </Notice>
          )}
          {known.connected && !in_view_mode && (
            <div>
              <Button variant="default" onClick={() => void takeAway()}>
                Remove key
              </Button>
            </div>
          )}
        </Stack>
      </FormSection>
    </form>
  );
}

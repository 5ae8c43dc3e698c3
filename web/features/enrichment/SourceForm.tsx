import { Button, PasswordInput, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { useUser } from '../../api/user.ts';
import { confirm } from '../../ui/confirm.tsx';
import { FormSection, SectionSkeleton } from '../../ui/FormSection.tsx';
import { num } from '../../ui/format.ts';
import { showFormError } from '../../ui/forms.ts';
import { Notice } from '../../ui/Notice.tsx';
import { notifyDone } from '../../ui/notify.ts';
import { ErrorState } from '../../ui/states.tsx';
import { useLeaveGuard } from '../../ui/useLeaveGuard.ts';
import { When } from '../../ui/Values.tsx';
import classes from './enrichment.module.css';

const FORM = 'data-source';

/** The key of the root's account with a vendor, and how asking it has gone since it was set. */
export function SourceForm() {
  const { isViewMode } = useUser();
  const cache = useQueryClient();
  const query = useQuery({
    queryKey: ['data-sources'],
    queryFn: async ({ signal }) => (await api.enrichment.sources(undefined, { signal })).data,
  });
  const form = useForm({ initialValues: { key: '' } });
  const isDirty = form.isDirty();
  useLeaveGuard(isDirty, 'The key that you entered is lost.', ['of']);
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
      title: 'Take away the key of People Data Labs?',
      body: 'It is asked for nothing any more: leads then hold what your own people data knows. Its figures begin anew.',
      verb: 'Take away',
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
        line="An account of yours with this vendor. It counts each person that it finds, on your bill with it."
        save={{ formId: FORM, isDirty, busy: form.submitting, onDiscard: () => form.reset() }}
      >
        <Stack gap="md">
          {isViewMode ? (
            <Text size="sm" c="dimmed">
              The key cannot be changed in view mode.
            </Text>
          ) : (
            <PasswordInput
              label="API key"
              description={
                known.connected
                  ? 'One is kept, sealed. Enter another one to change it.'
                  : 'It is kept sealed and never shown again. Then choose the source above.'
              }
              maxLength={200}
              autoComplete="off"
              maw={440}
              visibilityToggleButtonProps={{ 'aria-label': 'Show the key' }}
              {...form.getInputProps('key')}
            />
          )}
          {known.connected && (
            <dl className={classes.figures}>
              <div>
                <dt>Asked</dt>
                <dd className="num">{num(known.asked)}</dd>
              </div>
              <div>
                <dt>Found</dt>
                <dd className="num">{num(known.found)}</dd>
              </div>
              <div>
                <dt>Without an answer</dt>
                <dd className="num">{num(known.failed)}</dd>
              </div>
            </dl>
          )}
          {known.last_error && (
            <Notice tone="warn" title="The last failure">
              {known.last_error} (<When at={known.last_error_at} />)
            </Notice>
          )}
          {known.connected && !isViewMode && (
            <div>
              <Button variant="default" onClick={() => void takeAway()}>
                Take away the key
              </Button>
            </div>
          )}
        </Stack>
      </FormSection>
    </form>
  );
}

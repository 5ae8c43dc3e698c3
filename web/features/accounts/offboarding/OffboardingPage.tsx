import { Anchor, Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { OFFBOARDING_NEEDS } from '../../../../contract/accounts/permissions.ts';
import { maySee } from '../../../../contract/routing/routing.ts';
import { api } from '../../../api/client.ts';
import { useFacts, useMay, useUser } from '../../../api/user.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { DayInput } from '../../../ui/DayInput.tsx';
import { focusFirstWrong, showFormError } from '../../../ui/forms.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { SkeletonRows } from '../../../ui/SkeletonRows.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import { When } from '../../../ui/Values.tsx';
import { PageZone } from '../../../ui/zone.ts';
import { type Checklist, STATE_TONES, STATE_WORDS, STEP_WORDS } from './model.ts';
import { StepList } from './StepList.tsx';

/** The checklist of a client that leaves, before it begins, while it is worked off, and after (BEY-13). */
export default function OffboardingPage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const query = useQuery({
    queryKey: ['offboarding', id],
    queryFn: ({ signal }) => api.offboarding.one({ id }, { signal }),
    refetchInterval: ({ state }) => (state.data?.data.state === 'running' ? 5000 : false),
  });
  return (
    <PageZone value={useUser().time_zone}>
      {query.data ? (
        <Shown list={query.data} />
      ) : (
        <>
          <PageHeader title="Offboarding" line="What is left to settle before a client leaves." />
          {query.error ? (
            <ErrorState error={query.error} what="the checklist" onRetry={() => void query.refetch()} />
          ) : (
            <SkeletonRows rows={9} />
          )}
        </>
      )}
      <Group mt="lg">
        <Button
          variant="transparent"
          px={0}
          renderRoot={(props) => <Link {...props} to={'/configuration/offboarding' as '/'} />}
        >
          All offboardings
        </Button>
      </Group>
    </PageZone>
  );
}

function Shown({ list }: { list: Checklist }) {
  const { data, steps, problem } = list;
  const cache = useQueryClient();
  const [isChoosing, setChoosing] = useState(false);
  const isRunning = data.state === 'running';
  const mayRun = useMay(...OFFBOARDING_NEEDS);
  // Where the platform has a page that exports a client's data.
  const path = `/clients/${data.id}/export`;
  const exportTo = maySee(path, useFacts()) ? path : null;
  const refresh = () => {
    for (const key of [['offboarding', data.id], ['offboardings'], ['companies']])
      void cache.invalidateQueries({ queryKey: key });
  };
  const act = useMutation({
    mutationFn: (what: 'exported' | 'resume' | 'cancel') => api.offboarding[what]({ id: data.id }),
    onSuccess({ message }) {
      notifyDone(message);
      refresh();
    },
    onError: (error) => notifyFailed(error),
  });
  const cancel = async () => {
    const goes = await confirm({
      title: `Cancel the offboarding of ${data.company_name}?`,
      body: 'What was done stays done: campaigns stay archived, and refunds are not taken back.',
      verb: 'Cancel the offboarding',
      dismiss: 'Go on with it',
      danger: true,
    });
    if (goes) act.mutate('cancel');
  };
  const isOpen = data.state === null || data.state === 'canceled';
  return (
    <>
      <PageHeader
        title={`Offboarding of ${data.company_name}`}
        line={
          data.state && data.started_at ? (
            <>
              <StatusBadge status={data.state} tone={STATE_TONES[data.state]}>
                {STATE_WORDS[data.state]}
              </StatusBadge>{' '}
              Started by <bdi>{data.started_by_name}</bdi>, <When at={data.started_at} />
            </>
          ) : (
            'Nothing has begun. This is what there is to settle.'
          )
        }
        primary={
          isOpen ? (
            mayRun && (
              <Button color="red.9" onClick={() => setChoosing(true)}>
                Start offboarding
              </Button>
            )
          ) : isRunning ? (
            <Group gap="xs">
              <Button variant="default" onClick={() => void cancel()}>
                Cancel
              </Button>
              {mayRun && (
                <Button loading={act.isPending} onClick={() => act.mutate('resume')}>
                  Do now what can be done
                </Button>
              )}
            </Group>
          ) : undefined
        }
      />
      {problem && (
        <div style={{ marginBottom: 16 }}>
          <Notice tone="warn" title="The last run could not go on" live="status">
            {problem}
          </Notice>
        </div>
      )}
      <StepList
        steps={steps}
        named={STEP_WORDS}
        more={({ step }) =>
          step === 'export' &&
          exportTo && (
            <>
              {' '}
              <Anchor
                inherit
                underline="always"
                renderRoot={(props) => <Link {...props} to={exportTo as '/'} />}
              >
                Export the data
              </Anchor>
            </>
          )
        }
        action={({ step, state }) =>
          isRunning && (
            <>
              {step === 'export' && state !== 'done' && (
                <Button
                  mt="xs"
                  size="xs"
                  variant="default"
                  loading={act.isPending}
                  onClick={() => act.mutate('exported')}
                >
                  The client has its data
                </Button>
              )}
              {(step === 'deletion' || (step === 'balance' && state === 'you')) && (
                <Button mt="xs" size="xs" variant="default" onClick={() => setChoosing(true)}>
                  Change
                </Button>
              )}
            </>
          )
        }
      />
      {isChoosing && (
        <ChoicesModal
          list={list}
          onClose={() => setChoosing(false)}
          onDone={() => {
            setChoosing(false);
            refresh();
          }}
        />
      )}
    </>
  );
}

/** What has to be decided to start an offboarding, or is decided anew while it is under way. */
function ChoicesModal({
  list,
  onClose,
  onDone,
}: {
  list: Checklist;
  onClose: () => void;
  onDone: () => void;
}) {
  const { data } = list;
  const isRunning = data.state === 'running';
  const form = useForm({
    initialValues: { keep_balance: isRunning && data.keeps_balance, delete_on: data.delete_on ?? '' },
    validate: { delete_on: (day) => (day ? null : 'Choose a day') },
  });
  const save = async ({ keep_balance, delete_on }: typeof form.values) => {
    const given = { id: data.id, keep_balance, delete_on };
    try {
      const { message } = await (isRunning ? api.offboarding.change(given) : api.offboarding.start(given));
      notifyDone(message);
      onDone();
    } catch (error) {
      showFormError(form, error);
    }
  };
  return (
    <Modal
      opened
      centered
      onClose={onClose}
      title={isRunning ? 'Balance and deletion date' : `Offboard ${data.company_name}`}
    >
      <form noValidate onSubmit={form.onSubmit(save, (errors) => focusFirstWrong(form, errors))}>
        <Stack gap="md">
          {!isRunning && (
            <Text size="sm">
              All campaigns are archived at once, and the unused balance is refunded to the cards that paid
              it. Last, the users are signed out and the client is taken off your list.
            </Text>
          )}
          <Checkbox
            label="Keep as credit what no card paid"
            description="Balance that you recorded or granted, and credit toward the next invoice, cannot be refunded to a card. If off, the offboarding waits until you decide."
            {...form.getInputProps('keep_balance', { type: 'checkbox' })}
          />
          <DayInput
            label="Keep the data until"
            description="Nothing is deleted automatically on this day."
            withAsterisk
            {...form.getInputProps('delete_on')}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={form.submitting} color={isRunning ? undefined : 'red.9'}>
              {isRunning ? 'Save' : 'Start offboarding'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

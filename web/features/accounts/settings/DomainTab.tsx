import { Button, Group, Skeleton, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { useMay, useUser } from '../../../api/user.ts';
import { useBrand } from '../../../brand/brand.ts';
import { CopyButton } from '../../../ui/CopyButton.tsx';
import { confirm } from '../../../ui/confirm.tsx';
import { focusFirstWrong, showFormError } from '../../../ui/forms.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { StatusBadge, type Tone } from '../../../ui/StatusBadge.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import { When } from '../../../ui/Values.tsx';
import type { Claim, DomainState } from './model.ts';
import classes from './settings.module.css';

const key = ['custom-domain'];

/** The addresses of the agency: below its root's domain, and under its own domain. */
export default function DomainTab() {
  const query = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => api.settings.domain({}, { signal }),
    refetchInterval: ({ state }) => {
      const claim = state.data?.claim;
      return claim?.status === 'waiting' ? (claim.checked_at ? 15_000 : 3_000) : false;
    },
  });
  if (query.error && !query.data)
    return (
      <ErrorState
        error={query.error}
        what="The addresses could not be loaded"
        onRetry={() => void query.refetch()}
      />
    );
  if (!query.data) return <Skeleton height={320} aria-busy="true" />;
  return (
    <div className={classes.fields}>
      <Subdomain state={query.data} />
      <section className={classes.section}>
        <CustomDomain state={query.data} />
      </section>
    </div>
  );
}

function Subdomain({ state }: { state: DomainState }) {
  const cache = useQueryClient();
  const { in_view_mode } = useUser();
  const mayWrite = useMay('owner.write') && !in_view_mode;
  const { domain: here } = useBrand();
  const [moved, setMoved] = useState<string>();
  const form = useForm({
    initialValues: { subdomain: state.subdomain },
    validate: {
      subdomain: (value) => {
        const label = value.trim().toLowerCase();
        if (!label) return 'Enter a subdomain';
        if (!/^[a-z0-9-]+$/.test(label)) return 'Use only letters, digits, and hyphens';
        if (/^-|-$/.test(label)) return 'It must not start or end with a hyphen';
        return label.length > 63 ? 'Use 63 characters or fewer' : null;
      },
    },
  });
  const address = (label: string) =>
    `${location.protocol}//${label}${state.subdomain_suffix}${location.port ? `:${location.port}` : ''}`;
  const save = form.onSubmit(
    async ({ subdomain }) => {
      const label = subdomain.trim().toLowerCase();
      const isSure = await confirm({
        title: `Move to ${label}${state.subdomain_suffix}?`,
        body: `${state.subdomain}${state.subdomain_suffix} stops working right away. Users sign in at the new address, and saved links stop working.`,
        verb: 'Move',
        danger: true,
      });
      if (!isSure) return;
      try {
        const answer = await api.settings.saveSubdomain({ subdomain: label });
        cache.setQueryData(key, answer.data);
        form.setInitialValues({ subdomain: answer.data.subdomain });
        form.setValues({ subdomain: answer.data.subdomain });
        notifyDone(answer.message);
        if (here === `${state.subdomain}${state.subdomain_suffix}`) setMoved(address(answer.data.subdomain));
      } catch (error) {
        showFormError(form, error);
      }
    },
    (errors) => focusFirstWrong(form, errors),
  );
  return (
    <form onSubmit={save} noValidate>
      {moved && (
        <Notice
          tone="info"
          live="alert"
          title="This address is no longer yours"
          action={
            <Button component="a" href={`${moved}/login`}>
              Sign in at the new address
            </Button>
          }
        >
          Your new address is {moved}.
        </Notice>
      )}
      <TextInput
        label="Subdomain"
        description="Your address on the platform. It keeps working alongside a custom domain."
        disabled={!mayWrite}
        maxLength={63}
        autoCapitalize="none"
        spellCheck={false}
        styles={{ wrapper: { maxWidth: 420 } }}
        rightSection={<Text size="sm">{state.subdomain_suffix}</Text>}
        rightSectionWidth={state.subdomain_suffix.length * 8 + 24}
        {...form.getInputProps('subdomain')}
      />
      <Button
        type="submit"
        variant="default"
        mt="sm"
        loading={form.submitting}
        disabled={!mayWrite || !form.isDirty()}
      >
        Change subdomain
      </Button>
    </form>
  );
}

function CustomDomain({ state }: { state: DomainState }) {
  const cache = useQueryClient();
  const user = useUser();
  const mayWrite = useMay('owner.write') && !user.in_view_mode;
  const [isBusy, setBusy] = useState(false);
  const form = useForm({
    initialValues: { domain: '' },
    validate: { domain: (value) => (value.trim() ? null : 'Enter a domain, such as portal.example.com') },
  });
  const change = async (domain: string) => {
    const answer = await api.settings.saveDomain({ domain });
    cache.setQueryData(key, answer.data);
    notifyDone(answer.message);
  };
  const save = form.onSubmit(
    async ({ domain }) => {
      try {
        await change(domain);
        form.reset();
      } catch (error) {
        showFormError(form, error);
      }
    },
    (errors) => focusFirstWrong(form, errors),
  );
  const remove = async () => {
    const name = state.claim?.domain ?? state.domain ?? '';
    const isSure = await confirm({
      title: `Remove ${name}?`,
      body: state.domain
        ? `${state.domain} stops working right away. Users sign in at ${state.subdomain}${state.subdomain_suffix}.`
        : 'The records you added will no longer be checked.',
      verb: 'Remove',
      danger: true,
    });
    if (!isSure) return;
    setBusy(true);
    await change('').catch(notifyFailed);
    setBusy(false);
  };
  return (
    <>
      <Title order={2} size="h3">
        Custom domain
      </Title>
      <Text c="dimmed" size="sm" mb="sm">
        {state.domain
          ? `${state.domain} is in use.`
          : 'Users find you under your own domain. Two DNS records prove that it is yours and point it here.'}
      </Text>
      {!mayWrite && (
        <Notice tone="info">
          Only the company owner, signed in as themselves, can change the domain, because users enter their
          passwords there.
        </Notice>
      )}
      {state.claim && <ClaimView claim={state.claim} />}
      {mayWrite && (state.claim || state.domain) && (
        <Group gap="xs" mb="lg">
          {state.claim && <CheckButton />}
          <Button variant="default" onClick={() => void remove()} loading={isBusy}>
            Remove domain
          </Button>
        </Group>
      )}
      {mayWrite && (
        <form onSubmit={save} noValidate>
          <TextInput
            label={state.claim || state.domain ? 'New domain' : 'Domain'}
            description="The name only, such as portal.example.com. Your current address stays in use until the new one is verified."
            placeholder="portal.example.com"
            inputMode="url"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={253}
            styles={{ wrapper: { maxWidth: 420 } }}
            {...form.getInputProps('domain')}
          />
          <Button
            type="submit"
            mt="sm"
            variant={state.claim ? 'default' : 'filled'}
            loading={form.submitting}
          >
            Enter domain
          </Button>
        </form>
      )}
    </>
  );
}

function CheckButton() {
  const cache = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const check = async () => {
    setBusy(true);
    try {
      const answer = await api.settings.checkDomain({});
      cache.setQueryData(key, answer.data);
      notifyDone(answer.message);
    } catch (error) {
      notifyFailed(error);
      // If they were just checked, that result is shown.
      void cache.invalidateQueries({ queryKey: key });
    }
    setBusy(false);
  };
  return (
    <Button variant="default" loading={isBusy} onClick={() => void check()}>
      Check now
    </Button>
  );
}

const STATES: Record<Claim['status'], [Tone, string]> = {
  waiting: ['info', 'Waiting for DNS records'],
  verified: ['good', 'Verified'],
  failing: ['bad', 'Failing'],
};
const RECORDS: Record<Claim['records'][number]['status'], [Tone, string]> = {
  unknown: ['plain', 'Not checked yet'],
  found: ['good', 'Found'],
  missing: ['warn', 'Not found'],
  wrong: ['bad', 'Different'],
  unanswered: ['warn', 'No response'],
};

function ClaimView({ claim }: { claim: Claim }) {
  const [tone, words] = STATES[claim.status];
  return (
    <div aria-live="polite">
      <Group gap="xs" mb={4}>
        <Text fw={500} style={{ overflowWrap: 'anywhere' }}>
          {claim.domain}
        </Text>
        <StatusBadge status={claim.status} tone={tone}>
          {words}
        </StatusBadge>
      </Group>
      {claim.taken && (
        <Notice tone="bad" title="Someone else has verified this domain">
          It is in use elsewhere on this platform. If it is yours, contact the platform’s support.
        </Notice>
      )}
      {claim.status === 'failing' && (
        <Notice tone="bad" title="The records are missing">
          Add them again. Without them, the domain keeps working only until <When at={claim.serves_until} />,
          because it may belong to someone else by now.
        </Notice>
      )}
      {claim.status === 'waiting' && (
        <Text size="sm">
          Add these two records at your domain’s DNS provider. We check for them every few minutes. Changes
          may take a few hours to appear.
        </Text>
      )}
      <div className={classes.records}>
        {claim.records.map((record) => {
          const [tone, words] = RECORDS[record.status];
          const isText = record.type === 'TXT';
          return (
            <div key={record.type} className={`card ${classes.record}`}>
              <div className={classes.recordHead}>
                <h3>{isText ? 'Proves that it is yours' : 'Points it here'}</h3>
                <StatusBadge status={record.status} tone={tone}>
                  {words}
                </StatusBadge>
              </div>
              <dl>
                <div>
                  <dt>Type</dt>
                  <dd>{record.type}</dd>
                </div>
                <div>
                  <dt>Name</dt>
                  <dd>
                    {record.name}
                    <CopyButton text={record.name} what={`name of the ${record.type} record`} />
                  </dd>
                </div>
                <div>
                  <dt>Value</dt>
                  <dd>
                    {record.value}
                    <CopyButton text={record.value} what={`value of the ${record.type} record`} />
                  </dd>
                </div>
              </dl>
              {record.status === 'wrong' && (
                <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                  Found instead: {record.found.join(', ')}
                </Text>
              )}
            </div>
          );
        })}
      </div>
      <Stack gap={0} mb="sm">
        <Text size="sm" c="dimmed">
          {claim.checked_at ? (
            <>
              Last checked <When at={claim.checked_at} />, next check <When at={claim.next_check_at} />.
            </>
          ) : (
            'They will be checked within a minute.'
          )}
          {claim.status === 'verified' && ' Keep both records. They are checked every day.'}
        </Text>
      </Stack>
    </div>
  );
}

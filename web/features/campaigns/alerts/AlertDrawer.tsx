import {
  Anchor,
  Button,
  Group,
  MultiSelect,
  NumberInput,
  Select,
  Stack,
  Switch,
  TagsInput,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import {
  ALERT_FITS,
  ALERT_KINDS,
  ALERT_TRIGGERS,
  type AlertRules,
  MOST_ALERT_PAGES,
  tellsOfLeads,
} from '../../../../contract/campaigns/alert-rules.ts';
import { api } from '../../../api/client.ts';
import { useMay } from '../../../api/user.ts';
import { CopyButton } from '../../../ui/CopyButton.tsx';
import { confirm } from '../../../ui/confirm.tsx';
import { Fields } from '../../../ui/Fields.tsx';
import { num } from '../../../ui/format.ts';
import { focusFirstWrong, showFormError } from '../../../ui/forms.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { SkeletonRows } from '../../../ui/SkeletonRows.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import { useLeaveGuard } from '../../../ui/useLeaveGuard.ts';
import { When } from '../../../ui/Values.tsx';
import MailKept from '../../operations/outbox/MailKept.tsx';
import { CampaignSelect } from '../analytics/CampaignSelect.tsx';
import { integrationsAt } from '../connections/whose.tsx';
import { HoursFields } from '../delivery/HoursFields.tsx';
import { AlertLog } from './AlertLog.tsx';
import { ALERT_FAULTS, type Alert, type AlertValues, rulesOf, valuesOf } from './model.ts';

const choices = (of: Record<string, string>) =>
  Object.entries(of).map(([value, label]) => ({ value, label }));

/** An alert's form, what it would have sent yesterday, and what it has sent. `begin`: what a new one starts with. */
export function AlertDrawer(props: {
  client: string;
  alert: Alert | undefined;
  begin: Partial<AlertRules>;
  onAdded: (id: string) => void;
  onRemoved: () => void;
}) {
  const { alert, client } = props;
  const mayWrite = useMay('integration.write');
  const cache = useQueryClient();
  const [secret, setSecret] = useState<string | null>(null);
  const form = useForm<AlertValues>({
    initialValues: valuesOf(alert ?? props.begin),
    validateInputOnBlur: true,
    validate: ALERT_FAULTS,
  });
  useLeaveGuard(form.isDirty(), 'Your changes to this alert will be lost.', ['alert']);
  const choice = useQuery({
    queryKey: ['alert-choices', client],
    queryFn: ({ signal }) => api.alerts.choices({ company_id: client }, { signal }),
  });
  const changed = () => cache.invalidateQueries({ queryKey: ['alerts'] });
  const save = useMutation({
    mutationFn: async (values: AlertValues) => {
      const rules = rulesOf(values);
      if (alert) return { ...(await api.alerts.update({ id: alert.id, ...rules })), id: alert.id };
      return api.alerts.create({ company_id: client, ...rules });
    },
    onSuccess: async ({ message, id, secret: shown }, values) => {
      notifyDone(message);
      form.setInitialValues(values);
      form.resetDirty();
      setSecret(shown);
      await changed();
      if (!alert && !shown) props.onAdded(id);
    },
    onError: (error) => showFormError(form, error, 'The alert could not be saved'),
  });
  const test = useMutation({
    mutationFn: () => api.alerts.test({ id: alert!.id }),
    onSuccess: async () => {
      notifyDone('The test is on its way to all recipients.');
      await cache.invalidateQueries({ queryKey: ['alert-messages', alert!.id] });
    },
    onError: (error) => notifyFailed(error, 'The test could not be sent'),
  });
  const remove = async () => {
    const isSure = await confirm({
      title: `Remove the alert ${alert!.name}?`,
      body: 'Alerts that are waiting will not be sent.',
      verb: 'Remove alert',
      danger: true,
    });
    if (!isSure) return;
    try {
      await api.alerts.remove({ id: alert!.id });
      props.onRemoved();
      await changed();
    } catch (error) {
      notifyFailed(error, 'The alert could not be removed');
    }
  };
  if (choice.error)
    return (
      <ErrorState
        error={choice.error}
        what="The alert could not be loaded"
        onRetry={() => void choice.refetch()}
      />
    );
  if (!choice.data) return <SkeletonRows rows={6} />;
  const { users, connections, time_zone } = choice.data;
  const { values } = form;
  const isNumber = values.trigger === 'number';
  return (
    <Stack gap="lg">
      <form
        onSubmit={form.onSubmit(
          (all) => save.mutate(all),
          (errors) => focusFirstWrong(form, errors),
        )}
        noValidate
      >
        <fieldset disabled={!mayWrite} style={{ border: 0, margin: 0, padding: 0, minWidth: 0 }}>
          <Stack gap="md">
            <TextInput label="Name" withAsterisk maxLength={80} {...form.getInputProps('name')} />
            <Title order={3}>When</Title>
            <Select
              label="Alert when"
              allowDeselect={false}
              data={choices(ALERT_TRIGGERS)}
              {...form.getInputProps('trigger')}
            />
            {isNumber && (
              <NumberInput
                label="Leads in an hour"
                description="The alert is sent when this many leads that meet the conditions below come in."
                min={1}
                max={10_000}
                clampBehavior="none"
                allowDecimal={false}
                allowNegative={false}
                {...form.getInputProps('per_hour')}
              />
            )}
            <CampaignSelect
              label="Campaign"
              company={client}
              value={values.campaign_id ?? undefined}
              error={form.errors.campaign_id}
              data-path="campaign_id"
              onChange={(id) => form.setFieldValue('campaign_id', id ?? null)}
            />
            {tellsOfLeads(values.trigger) ? (
              <Fields>
                <NumberInput
                  label="Minimum score"
                  description="0 includes leads without a score."
                  min={0}
                  max={100}
                  clampBehavior="none"
                  allowDecimal={false}
                  allowNegative={false}
                  {...form.getInputProps('min_score')}
                />
                <Select
                  label="People"
                  description="Unknown parts of the filter count as not fitting."
                  allowDeselect={false}
                  data={choices(ALERT_FITS)}
                  {...form.getInputProps('fit')}
                />
              </Fields>
            ) : (
              <Text size="sm" c="dimmed">
                Anyone on one of your{' '}
                <Anchor
                  component={Link}
                  to={'/configuration/exclusion-lists' as never}
                  search={{ show: 'customers', of: 'client', client } as never}
                  inherit
                  underline="always"
                >
                  lists of known customers
                </Anchor>{' '}
                is shown by the name on the list. You are not charged for them.
              </Text>
            )}
            <TagsInput
              label="Pages"
              description="Part of a page’s address, such as pricing. Someone must have viewed one of them."
              placeholder={values.pages.length === 0 ? 'Any page' : undefined}
              acceptValueOnBlur
              splitChars={[',', ';', '\n']}
              maxTags={MOST_ALERT_PAGES}
              clearable
              {...form.getInputProps('pages')}
            />
            <Title order={3}>Recipients</Title>
            <MultiSelect
              label="Email"
              description="Users only. No one else gets personal data by email."
              placeholder={values.user_ids.length === 0 ? 'No one' : undefined}
              searchable
              clearable
              hidePickedOptions
              data={withKept(
                users.map(({ id, name, email }) => ({
                  value: id,
                  label: email ? `${name} (${email})` : name,
                })),
                values.user_ids,
                'A user of the agency',
              )}
              {...form.getInputProps('user_ids')}
            />
            {values.user_ids.length > 0 && <MailKept />}
            <MultiSelect
              label="Slack and Teams"
              description={
                connections.length === 0 ? (
                  <>
                    Connect a channel under{' '}
                    <Anchor component={Link} {...integrationsAt(client)} inherit underline="always">
                      Integrations
                    </Anchor>{' '}
                    first.
                  </>
                ) : undefined
              }
              placeholder={values.connection_ids.length === 0 ? 'No channel' : undefined}
              clearable
              hidePickedOptions
              data={withKept(
                connections.map(({ id, name, state }) => ({
                  value: id,
                  label: state === 'connected' ? name : `${name} (${state})`,
                })),
                values.connection_ids,
                'A removed connection',
              )}
              {...form.getInputProps('connection_ids')}
            />
            <TextInput
              label="Webhook"
              description="A URL that gets each alert as signed JSON."
              placeholder="https://…"
              inputMode="url"
              maxLength={2000}
              {...form.getInputProps('webhook_url')}
            />
            {secret && (
              <Notice tone="info" title="The secret that requests are signed with">
                <Group gap={4} wrap="nowrap">
                  <code style={{ overflowWrap: 'anywhere' }}>{secret}</code>
                  <CopyButton text={secret} what="secret" />
                </Group>
                It is shown only once.
              </Notice>
            )}
            <Title order={3}>How often</Title>
            <Fields>
              <NumberInput
                label={isNumber ? 'Hours until the next alert' : 'Hours until the next alert about a person'}
                description="Up to 720, which is 30 days."
                min={1}
                max={720}
                clampBehavior="none"
                allowDecimal={false}
                allowNegative={false}
                {...form.getInputProps('cooldown_hours')}
              />
              <NumberInput
                label="Messages in an hour"
                description="Anything more is combined into one message."
                min={1}
                max={60}
                clampBehavior="none"
                allowDecimal={false}
                allowNegative={false}
                {...form.getInputProps('most_per_hour')}
              />
            </Fields>
            <HoursFields
              value={values.hours}
              description="Alerts at other times wait and arrive in one message."
              timeZone={time_zone}
              wrong={(field) => form.errors[`hours.${field}`] as string | undefined}
              onChange={(hours) => form.setFieldValue('hours', hours)}
            />
            {alert && (
              <Switch
                label="On"
                checked={values.state === 'on'}
                onChange={(event) => form.setFieldValue('state', event.currentTarget.checked ? 'on' : 'off')}
              />
            )}
            {mayWrite && (
              <Group gap="sm">
                <Button type="submit" loading={save.isPending} disabled={Boolean(alert) && !form.isDirty()}>
                  {alert ? 'Save' : 'Add alert'}
                </Button>
                {alert && (
                  <>
                    <Button
                      variant="default"
                      loading={test.isPending}
                      disabled={form.isDirty()}
                      title={form.isDirty() ? 'Save first' : undefined}
                      onClick={() => test.mutate()}
                    >
                      Send a test
                    </Button>
                    <Button variant="subtle" color="red" ml="auto" onClick={() => void remove()}>
                      Remove
                    </Button>
                  </>
                )}
              </Group>
            )}
          </Stack>
        </fieldset>
      </form>
      {mayWrite && <Preview client={client} values={values} />}
      {alert && <AlertLog id={alert.id} />}
    </Stack>
  );
}

/** The options, with those that are chosen but cannot be read. */
function withKept(options: { value: string; label: string }[], chosen: readonly string[], label: string) {
  const known = new Set(options.map(({ value }) => value));
  return [...options, ...chosen.filter((id) => !known.has(id)).map((value) => ({ value, label }))];
}

/** What the form's alert would have sent in the last 24 hours. */
function Preview({ client, values }: { client: string; values: AlertValues }) {
  const preview = useMutation({
    mutationFn: () => {
      const { name: _name, ...rules } = rulesOf(values);
      return api.alerts.preview({ company_id: client, ...rules });
    },
  });
  const { data } = preview;
  return (
    <section aria-label="Preview">
      <Group justify="space-between" mb="xs">
        <Title order={3}>Yesterday</Title>
        <Button size="xs" variant="default" loading={preview.isPending} onClick={() => preview.mutate()}>
          Show what it would have sent
        </Button>
      </Group>
      <div role="status">
        {preview.error && <Text c="var(--bad)">{preview.error.message}</Text>}
        {data &&
          (data.events === 0 ? (
            <Text size="sm">Nothing in the last 24 hours.</Text>
          ) : (
            <>
              <Text size="sm" mb="xs">
                {num(data.events)} {data.events === 1 ? 'alert' : 'alerts'} in {num(data.messages)}{' '}
                {data.messages === 1 ? 'message' : 'messages'} to each recipient. The newest:
              </Text>
              <ul style={{ margin: 0, paddingLeft: 20 }}>
                {data.examples.map(({ id, name, kind, score, at }) => (
                  <li key={`${id} ${at}`}>
                    {kind === 'customer' ? (
                      <Text span size="sm">
                        {name}
                      </Text>
                    ) : (
                      <Anchor component={Link} to="/leads" search={{ lead: id } as never} size="sm">
                        {name}
                      </Anchor>
                    )}{' '}
                    <Text span size="sm" c="dimmed">
                      {ALERT_KINDS[kind].toLowerCase()}
                      {score === null ? '' : `, score ${score}`}, <When at={at} />
                    </Text>
                  </li>
                ))}
              </ul>
            </>
          ))}
      </div>
    </section>
  );
}

import {
  Button,
  Group,
  NumberInput,
  Select,
  Stack,
  Table,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import {
  dayInText,
  faultOf,
  NOTICE_DAYS,
  sectionsOf,
  VARIABLES,
} from '../../../../contract/accounts/agreement-text.ts';
import { api } from '../../../api/client.ts';
import { useMay, useUser } from '../../../api/user.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { SectionSkeleton } from '../../../ui/FormSection.tsx';
import { dayWords, num } from '../../../ui/format.ts';
import { focusFirstWrong, keepFocus, showFormError } from '../../../ui/forms.ts';
import { notifyDone } from '../../../ui/notify.ts';
import { StatusBadge, type Tone } from '../../../ui/StatusBadge.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import { useLeaveGuard } from '../../../ui/useLeaveGuard.ts';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { None, When } from '../../../ui/Values.tsx';
import { AgreementText } from './AgreementText.tsx';
import classes from './agreements.module.css';
import { DOCUMENT_NAMES, type WrittenDocument } from './agreements.ts';

const ROOT_WRITES: WrittenDocument[] = [
  'default_agency',
  'minimum_spend',
  'minimum_spend_v2',
  'minimum_spend_v3',
  'data_wallet',
  'b2b_module',
  'simplifi_module',
];
const STATES: Record<Versions['data'][number]['state'], [words: string, tone: Tone]> = {
  holds: ['In force', 'good'],
  announced: ['Announced', 'info'],
  replaced: ['Replaced', 'plain'],
};
const DAY_MS = 86_400_000;

type Versions = Awaited<ReturnType<typeof api.agreementText.versions>>;

const versionsQuery = (document_type: WrittenDocument) => ({
  queryKey: ['agreement', 'versions', document_type],
  queryFn: ({ signal }: { signal: AbortSignal }) => api.agreementText.versions({ document_type }, { signal }),
});

/** The texts of the agreements that one's own company makes with others: an editor with a preview, and all versions. */
export default function EditorTab() {
  const user = useUser();
  const [params, set] = useSearchParams();
  const written: WrittenDocument[] = user.company_kind === 'root' ? ROOT_WRITES : ['default_client'];
  const document = written.find((one) => one === params.document) ?? written[0]!;
  const query = useQuery(versionsQuery(document));
  return (
    <Stack gap="lg">
      {written.length > 1 && (
        <Select
          label="Agreement"
          maw={420}
          data={written.map((value) => ({ value, label: DOCUMENT_NAMES[value] }))}
          value={document}
          allowDeselect={false}
          onChange={(value) => set({ document: value ?? undefined })}
        />
      )}
      {query.data ? (
        <>
          <Editor key={`${document}.${query.data.version}`} document={document} versions={query.data} />
          <VersionTable versions={query.data} />
        </>
      ) : query.error ? (
        <ErrorState
          error={query.error}
          what="The agreement could not be loaded"
          onRetry={() => void query.refetch()}
        />
      ) : (
        <SectionSkeleton fields={3} />
      )}
    </Stack>
  );
}

function Editor({ document, versions }: { document: WrittenDocument; versions: Versions }) {
  const user = useUser();
  const cache = useQueryClient();
  const mayWrite = useMay('setting.write') && !user.in_view_mode;
  const area = useRef<HTMLTextAreaElement>(null);
  const form = useForm({
    initialValues: { title: versions.title, body: versions.body, notice_days: NOTICE_DAYS.usual as number },
    validateInputOnBlur: true,
    validate: {
      title: (title) => (title.trim() === '' ? 'is required' : null),
      body: (body) => faultOf(body) ?? null,
      notice_days: (days) =>
        days >= NOTICE_DAYS.least && days <= NOTICE_DAYS.most
          ? null
          : `must be from ${NOTICE_DAYS.least} to ${NOTICE_DAYS.most}`,
    },
  });
  const isDirty = form.isDirty('title') || form.isDirty('body');
  const free = useLeaveGuard(isDirty, 'Your changes to this agreement will be lost.', ['tab', 'document']);
  const { title, body, notice_days } = form.values;
  const next = versions.version + 1;
  const until = new Date(Date.now() + notice_days * DAY_MS);
  const effective = until.toISOString().slice(0, 10);
  const publish = form.onSubmit(
    async (values) => {
      const below = user.company_kind === 'root' ? 'agencies' : 'clients';
      const isSure = await confirm({
        title: `Publish version ${next} of “${values.title}”?`,
        body: `Your ${below} have to accept it. For those that accepted an earlier version, that one holds for ${values.notice_days} more days. A published version can’t be changed or withdrawn, only replaced by another.`,
        verb: 'Publish',
      });
      if (!isSure) return;
      try {
        const { message } = await api.agreementText.publish({
          document_type: document,
          base_version: versions.version,
          ...values,
        });
        free();
        notifyDone(message);
        await cache.invalidateQueries({ queryKey: ['agreement'] });
      } catch (error) {
        showFormError(form, error);
      }
    },
    (faults) => focusFirstWrong(form, faults),
  );
  const insert = (name: string) => {
    const at = area.current?.selectionStart ?? body.length;
    form.setFieldValue('body', `${body.slice(0, at)}{{${name}}}${body.slice(at)}`);
    area.current?.focus();
  };
  const shown = isDirty
    ? { version: String(next), effective_on: effective }
    : { version: String(versions.version), effective_on: versions.data[0]!.effective_on };
  const values = {
    party: versions.party,
    company: 'Sample Company',
    version: shown.version,
    effective_date: dayInText(shown.effective_on),
  };
  return (
    <div className={classes.editor}>
      <form noValidate onSubmit={publish} className="card" style={{ padding: 24 }}>
        <fieldset disabled={!mayWrite} style={{ border: 0, margin: 0, padding: 0, minWidth: 0 }}>
          <Stack gap="md">
            <Title order={2} size="h3">
              Text
            </Title>
            <TextInput label="Title" required {...form.getInputProps('title')} />
            <Textarea
              label="Text"
              description="A line that begins with # is a heading. Leave a blank line between paragraphs."
              required
              autosize
              minRows={14}
              maxRows={26}
              {...form.getInputProps('body')}
              ref={area}
            />
            <div>
              <Text size="sm" c="dimmed" mb={4}>
                Insert a variable
              </Text>
              <Group gap="xs">
                {Object.entries(VARIABLES).map(([name, about]) => (
                  <Button
                    key={name}
                    size="compact-sm"
                    variant="default"
                    title={about}
                    onClick={() => insert(name)}
                  >
                    {`{{${name}}}`}
                  </Button>
                ))}
              </Group>
            </div>
            <NumberInput
              label="Notice period, in days"
              description="How long earlier acceptances still hold."
              min={NOTICE_DAYS.least}
              max={NOTICE_DAYS.most}
              allowDecimal={false}
              styles={{ wrapper: { maxWidth: 240 } }}
              {...form.getInputProps('notice_days')}
            />
            <Group>
              <Button type="submit" disabled={!isDirty} loading={form.submitting} {...keepFocus}>
                Publish version {next}
              </Button>
              {isDirty && (
                <Button variant="default" onClick={() => form.reset()}>
                  Discard
                </Button>
              )}
            </Group>
          </Stack>
        </fieldset>
      </form>
      <section className="card" style={{ padding: 24 }} aria-labelledby="agreement-preview">
        <Stack gap="sm">
          <Title order={2} size="h3" id="agreement-preview">
            Preview
          </Title>
          <Text fw={600}>{title}</Text>
          <AgreementText
            height="tall"
            text={{
              party: versions.party,
              ...shown,
              is_template: versions.version === 1 && !isDirty,
              sections: faultOf(body) ? [] : sectionsOf(body, values),
            }}
          />
          {faultOf(body) && (
            <Text size="sm" c="dimmed">
              The text {faultOf(body)}.
            </Text>
          )}
        </Stack>
      </section>
    </div>
  );
}

function VersionTable({ versions }: { versions: Versions }) {
  return (
    <section className="card" style={{ padding: 24 }} aria-labelledby="agreement-versions">
      <Title order={2} size="h3" id="agreement-versions" mb="sm">
        Versions
      </Title>
      <Table.ScrollContainer minWidth={560}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Version</Table.Th>
              <Table.Th>State</Table.Th>
              <Table.Th>Effective</Table.Th>
              <Table.Th>Published</Table.Th>
              <Table.Th>By</Table.Th>
              <Table.Th style={{ textAlign: 'right' }}>Accepted by companies</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {versions.data.map((one) => (
              <Table.Tr key={one.version}>
                <Table.Td>
                  {one.version}. {one.title}
                </Table.Td>
                <Table.Td>
                  <StatusBadge status={one.state} tone={STATES[one.state][1]}>
                    {STATES[one.state][0]}
                  </StatusBadge>
                </Table.Td>
                <Table.Td>{dayWords(one.effective_on)}</Table.Td>
                <Table.Td>{one.published_at ? <When at={one.published_at} /> : 'Template'}</Table.Td>
                <Table.Td>{one.name || <None />}</Table.Td>
                <Table.Td className="num" style={{ textAlign: 'right' }}>
                  {num(one.acceptances)}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </section>
  );
}

import {
  ActionIcon,
  Button,
  Group,
  Modal,
  PasswordInput,
  SegmentedControl,
  Select,
  Skeleton,
  Stack,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useId, useLayoutEffect, useRef, useState } from 'react';
import { TEXT_PREFIX } from '../../../../contract/campaigns/destinations.ts';
import {
  CLOSE,
  LONGEST_HEADER_VALUE,
  LONGEST_TEMPLATE,
  MOST_FIELDS,
  MOST_HEADERS,
  OPEN,
  PAYLOAD_FORMATS,
  type PayloadField,
  type PayloadFormat,
  RB2B_TEMPLATE,
} from '../../../../contract/campaigns/payloads.ts';
import type { Client } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { ApiError, wordsOf } from '../../../api/errors.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone } from '../../../ui/notify.ts';
import { ErrorState } from '../../../ui/states.tsx';
import classes from './PayloadModal.module.css';
import {
  type Draft,
  errorsOf,
  FORMAT_WORDS,
  givenOf,
  hasFields,
  moved,
  newField,
  type Row,
  readableBody,
  rowOf,
} from './payloads.ts';
import { FIXED, FIXED_CHOICE, LEAD_SOURCES } from './sources.ts';
import type { Webhook } from './words.ts';

type Saved = Awaited<ReturnType<Client['delivery']['payload']>>;

const FIELD_SOURCES = [...LEAD_SOURCES, { group: 'Other', items: [FIXED_CHOICE] }];

/** What a webhook sends: its format, fields or template, and headers, with a preview of one lead (INTG-02). */
export function PayloadModal(props: { hook: Webhook; onSaved: () => void; onClose: () => void }) {
  const { hook } = props;
  const isDirty = useRef(false);
  const saved = useQuery({
    queryKey: ['webhook-payload', hook.id],
    queryFn: ({ signal }) => api.delivery.payload({ id: hook.id }, { signal }),
    // What is being edited must not be replaced.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const close = async () => {
    const isSure =
      !isDirty.current ||
      (await confirm({
        title: 'Close without saving?',
        body: 'Your changes to this payload will be lost.',
        verb: 'Close',
        dismiss: 'Keep editing',
      }));
    if (isSure) props.onClose();
  };
  return (
    <Modal opened onClose={() => void close()} size={1120} title="Payload">
      <Text size="sm" c="dimmed" className={classes.address}>
        What is sent to {hook.name}
      </Text>
      {saved.error && !saved.data ? (
        <ErrorState
          error={saved.error}
          what="The payload could not be loaded"
          onRetry={() => void saved.refetch()}
        />
      ) : saved.data ? (
        <Editor
          {...props}
          saved={saved.data}
          onDirty={() => {
            isDirty.current = true;
          }}
          onCancel={() => void close()}
        />
      ) : (
        <Stack gap="md" aria-busy="true">
          <Skeleton height={36} />
          <Skeleton height={320} />
        </Stack>
      )}
    </Modal>
  );
}

function Editor(props: {
  hook: Webhook;
  saved: Saved;
  onDirty: () => void;
  onSaved: () => void;
  onClose: () => void;
  onCancel: () => void;
}) {
  const { hook, saved } = props;
  const [draft, setDraft] = useState<Draft>(() => ({
    format: saved.format,
    fields: saved.fields.map(rowOf),
    template: saved.template,
    headers: saved.header_names.map((name) => rowOf({ name, value: '' })),
  }));
  const [refused, setRefused] = useState<Record<string, string>>({});
  const [failure, setFailure] = useState('');
  const [isBusy, setBusy] = useState(false);
  const headingId = useId();
  const change = (part: Partial<Draft>) => {
    props.onDirty();
    setRefused({});
    setFailure('');
    setDraft((before) => ({ ...before, ...part }));
  };

  const [settled] = useDebouncedValue(draft, 400);
  const asked = givenOf(settled, true);
  // An empty template is a beginning, not a mistake.
  const isBlank = settled.format === 'template' && !settled.template.trim();
  const preview = useQuery({
    queryKey: ['payload-preview', hook.id, asked.given],
    queryFn: ({ signal }) => api.delivery.previewPayload({ id: hook.id, ...asked.given }, { signal }),
    placeholderData: keepPreviousData,
    enabled: !isBlank,
    retry: false,
  });
  const isWrong = preview.error instanceof ApiError && preview.error.status === 422;
  const errors = {
    ...(preview.error instanceof ApiError && !isBlank ? errorsOf(preview.error.errors, asked.rows) : {}),
    ...refused,
  };

  const save = async () => {
    const { given, rows } = givenOf(draft, false);
    setBusy(true);
    try {
      const answer = await api.delivery.setPayload({ id: hook.id, ...given });
      notifyDone(answer.message);
      props.onSaved();
      props.onClose();
    } catch (error) {
      const found = error instanceof ApiError ? errorsOf(error.errors, rows) : {};
      setRefused(found);
      // What is wrong with a field stands at the field.
      setFailure(Object.keys(found).length > 0 ? '' : wordsOf(error));
      setBusy(false);
      const [first] = Object.keys(found);
      if (first) document.getElementById(idOf(first))?.focus();
    }
  };

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <div className={classes.columns}>
        <Stack gap="lg" className={classes.editor}>
          <div>
            <SegmentedControl
              fullWidth
              size="xs"
              aria-label="Format"
              value={draft.format}
              onChange={(format) => change({ format: format as PayloadFormat })}
              data={PAYLOAD_FORMATS.map((value) => ({ value, label: FORMAT_WORDS[value].label }))}
            />
            <Text size="sm" c="dimmed" mt={8}>
              {FORMAT_WORDS[draft.format].line}
            </Text>
          </div>
          {hasFields(draft.format) && (
            <FieldList fields={draft.fields} errors={errors} onChange={(fields) => change({ fields })} />
          )}
          {draft.format === 'template' && (
            <TemplateEditor
              template={draft.template}
              error={errors.template}
              onChange={(template) => change({ template })}
            />
          )}
          <HeaderList
            headers={draft.headers}
            stored={saved.header_names}
            errors={errors}
            onChange={(headers) => change({ headers })}
          />
        </Stack>
        <section className={classes.preview} aria-labelledby={headingId}>
          <Title order={3} size="h4" id={headingId}>
            Preview
          </Title>
          <Text size="sm" c="dimmed" mb="xs">
            {preview.data?.is_example
              ? 'With a made-up lead, because the campaign has none yet. Nothing is sent.'
              : 'With the newest lead of the campaign. Nothing is sent.'}
          </Text>
          {isBlank ? (
            <Text size="sm" c="dimmed">
              Write a template, or use the RB2B format, to see what is sent.
            </Text>
          ) : preview.error ? (
            <Notice
              tone={isWrong ? 'warn' : 'bad'}
              action={
                !isWrong && (
                  <Button size="xs" variant="default" onClick={() => void preview.refetch()}>
                    Retry
                  </Button>
                )
              }
            >
              {isWrong
                ? `Correct this to see what is sent. ${Object.values(errors)[0] ?? ''}`
                : wordsOf(preview.error)}
            </Notice>
          ) : preview.data ? (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
            <section className={classes.request} aria-label="Request" tabIndex={0}>
              <b>{preview.data.method}</b> {hook.url}
              {'\n'}
              {preview.data.headers.map(({ name, value }) => `${name}: ${value}\n`).join('')}
              {'\n'}
              {readableBody(preview.data.body)}
            </section>
          ) : (
            <Skeleton height={240} />
          )}
        </section>
      </div>
      {failure && (
        <div className={classes.failure}>
          <Notice tone="bad" live="alert">
            {failure}
          </Notice>
        </div>
      )}
      <Group justify="space-between" gap="xs" mt="lg">
        <Text size="sm" c="dimmed" className={classes.note}>
          Changes apply from the next attempt on, including retries.
        </Text>
        <Group gap="xs" ml="auto">
          <Button variant="default" onClick={props.onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={isBusy}>
            Save
          </Button>
        </Group>
      </Group>
    </form>
  );
}

const TEMPLATE_HINT = `{\n  "email": "${OPEN}email${CLOSE}"\n}`;

/** The id of the input that an error belongs to. */
const idOf = (place: string): string => `payload-${place.replace('.', '-')}`;

function FieldList(props: {
  fields: Row<PayloadField>[];
  errors: Record<string, string>;
  onChange: (fields: Row<PayloadField>[]) => void;
}) {
  const { fields, errors, onChange } = props;
  /** The input or button that gets the focus once the list has changed, and one instead of it if it is disabled. */
  const next = useRef<string[]>([]);
  const [said, setSaid] = useState('');
  const titleId = useId();
  useLayoutEffect(() => {
    const wanted = next.current.map((id) => document.getElementById(id) as HTMLButtonElement | null);
    next.current = [];
    wanted.find((one) => one && !one.disabled)?.focus();
  });
  const set = (id: string, part: Partial<PayloadField>) =>
    onChange(fields.map((row) => (row.id === id ? { ...row, ...part } : row)));
  const move = (row: Row<PayloadField>, by: -1 | 1) => {
    const rows = moved(fields, row.id, by);
    next.current =
      by < 0
        ? [idOf(`${row.id}.up`), idOf(`${row.id}.down`)]
        : [idOf(`${row.id}.down`), idOf(`${row.id}.up`)];
    setSaid(`${row.name} is now number ${rows.findIndex(({ id }) => id === row.id) + 1} of ${rows.length}`);
    onChange(rows);
  };
  const remove = (row: Row<PayloadField>, i: number) => {
    const near = fields[i + 1] ?? fields[i - 1];
    next.current = near ? [idOf(`${near.id}.remove`)] : ['payload-add-field'];
    setSaid(`${row.name} was removed`);
    onChange(fields.filter(({ id }) => id !== row.id));
  };
  const add = (choice: string | null) => {
    if (!choice) return;
    const row = newField(choice, fields);
    next.current = [idOf(`${row.id}.name`)];
    onChange([...fields, row]);
  };
  return (
    <section aria-labelledby={titleId}>
      <Title order={3} size="h4" id={titleId}>
        Fields
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        The name that your system expects, and what fills it.
      </Text>
      {fields.length > 0 ? (
        <ol className={classes.rows}>
          {fields.map((row, i) => {
            const isFixed = row.source.startsWith(TEXT_PREFIX);
            const name = row.name || `field ${i + 1}`;
            return (
              <li key={row.id} className={classes.field}>
                <TextInput
                  id={idOf(`${row.id}.name`)}
                  aria-label={`Name of field ${i + 1}`}
                  value={row.name}
                  maxLength={100}
                  error={errors[`${row.id}.name`]}
                  onChange={(event) => set(row.id, { name: event.currentTarget.value })}
                />
                <div>
                  <Select
                    id={idOf(`${row.id}.source`)}
                    aria-label={`Source of ${name}`}
                    searchable
                    openOnFocus={false}
                    allowDeselect={false}
                    // Forty rows must not carry sixty entries each while they are closed. Only here: a list that is not
                    // there yet begins at its first entry when it is opened by an arrow key, not at the chosen one.
                    comboboxProps={{ keepMounted: false }}
                    data={FIELD_SOURCES}
                    value={isFixed ? FIXED : row.source}
                    error={errors[`${row.id}.source`]}
                    onChange={(value) =>
                      value && set(row.id, { source: value === FIXED ? TEXT_PREFIX : value })
                    }
                  />
                  {isFixed && (
                    <TextInput
                      mt={6}
                      aria-label={`Text of ${name}`}
                      placeholder="Text"
                      value={row.source.slice(TEXT_PREFIX.length)}
                      maxLength={400}
                      onChange={(event) => set(row.id, { source: TEXT_PREFIX + event.currentTarget.value })}
                    />
                  )}
                </div>
                <div className={classes.buttons}>
                  <ActionIcon
                    id={idOf(`${row.id}.up`)}
                    variant="default"
                    size={36}
                    disabled={i === 0}
                    aria-label={`Move ${name} up`}
                    onClick={() => move(row, -1)}
                  >
                    <IconArrowUp size={16} />
                  </ActionIcon>
                  <ActionIcon
                    id={idOf(`${row.id}.down`)}
                    variant="default"
                    size={36}
                    disabled={i === fields.length - 1}
                    aria-label={`Move ${name} down`}
                    onClick={() => move(row, 1)}
                  >
                    <IconArrowDown size={16} />
                  </ActionIcon>
                  <ActionIcon
                    id={idOf(`${row.id}.remove`)}
                    variant="default"
                    size={36}
                    aria-label={`Remove ${name}`}
                    onClick={() => remove(row, i)}
                  >
                    <IconTrash size={16} />
                  </ActionIcon>
                </div>
              </li>
            );
          })}
        </ol>
      ) : (
        <Text size="sm" mb="xs" c={errors.fields ? 'var(--bad)' : undefined}>
          No fields yet. Add at least one.
        </Text>
      )}
      <Select
        id="payload-add-field"
        mt="sm"
        label="Another field"
        placeholder={
          fields.length < MOST_FIELDS ? 'Choose what to send' : `The limit is ${MOST_FIELDS} fields`
        }
        searchable
        openOnFocus={false}
        disabled={fields.length >= MOST_FIELDS}
        data={FIELD_SOURCES}
        value={null}
        onChange={add}
      />
      <div role="status" className="sr-only">
        {said}
      </div>
    </section>
  );
}

function TemplateEditor(props: {
  template: string;
  error: string | undefined;
  onChange: (template: string) => void;
}) {
  const { template, onChange } = props;
  const area = useRef<HTMLTextAreaElement>(null);
  /** Where the cursor goes once a placeholder was inserted. */
  const cursor = useRef<number>(undefined);
  useLayoutEffect(() => {
    if (cursor.current === undefined) return;
    area.current?.focus();
    area.current?.setSelectionRange(cursor.current, cursor.current);
    cursor.current = undefined;
  });
  const insert = (key: string | null) => {
    if (!key) return;
    const placeholder = OPEN + key + CLOSE;
    const start = area.current?.selectionStart ?? template.length;
    const end = area.current?.selectionEnd ?? start;
    cursor.current = start + placeholder.length;
    onChange(template.slice(0, start) + placeholder + template.slice(end));
  };
  const fillShape = async () => {
    const isSure =
      !template.trim() ||
      template === RB2B_TEMPLATE ||
      (await confirm({
        title: 'Replace your template?',
        body: 'The RB2B format replaces what you wrote.',
        verb: 'Replace',
      }));
    if (isSure) onChange(RB2B_TEMPLATE);
  };
  return (
    <div>
      <Textarea
        ref={area}
        id="payload-template"
        label="Template"
        description={`JSON with placeholders inside quotes, such as "${OPEN}first_name${CLOSE}". A text that is only a placeholder becomes null if the lead has no value for it.`}
        value={template}
        maxLength={LONGEST_TEMPLATE}
        placeholder={TEMPLATE_HINT}
        autosize
        minRows={10}
        maxRows={24}
        spellCheck={false}
        autoCapitalize="off"
        error={props.error}
        classNames={{ input: classes.code ?? '' }}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <div className={classes.tools}>
        <Select
          aria-label="Insert field"
          placeholder="Insert field"
          searchable
          openOnFocus={false}
          data={LEAD_SOURCES}
          value={null}
          onChange={insert}
        />
        <Button variant="default" onClick={() => void fillShape()}>
          Use the RB2B format
        </Button>
      </div>
    </div>
  );
}

function HeaderList(props: {
  headers: Draft['headers'];
  /** The names of headers with a value on the server. */
  stored: readonly string[];
  errors: Record<string, string>;
  onChange: (headers: Draft['headers']) => void;
}) {
  const { headers, errors, onChange } = props;
  const next = useRef<string>(undefined);
  const titleId = useId();
  useLayoutEffect(() => {
    if (next.current) document.getElementById(next.current)?.focus();
    next.current = undefined;
  });
  const set = (id: string, part: { name?: string; value?: string }) =>
    onChange(headers.map((row) => (row.id === id ? { ...row, ...part } : row)));
  const isStored = (name: string) =>
    props.stored.some((one) => one.toLowerCase() === name.trim().toLowerCase());
  return (
    <section aria-labelledby={titleId}>
      <Title order={3} size="h4" id={titleId}>
        Headers
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        Sent with every request, in addition to the signature. For example, a key that your system requires.
        Values are stored encrypted and never shown again.
      </Text>
      {headers.length > 0 && (
        <ul className={classes.rows}>
          {headers.map((row, i) => (
            <li key={row.id} className={classes.header}>
              <TextInput
                id={idOf(`${row.id}.name`)}
                aria-label={`Name of header ${i + 1}`}
                placeholder="X-Api-Key"
                value={row.name}
                maxLength={100}
                spellCheck={false}
                autoCapitalize="off"
                error={errors[`${row.id}.name`]}
                onChange={(event) => set(row.id, { name: event.currentTarget.value })}
              />
              <PasswordInput
                id={idOf(`${row.id}.value`)}
                aria-label={`Value of ${row.name || `header ${i + 1}`}`}
                placeholder={isStored(row.name) ? 'Leave blank to keep it' : 'Value'}
                value={row.value}
                maxLength={LONGEST_HEADER_VALUE}
                autoComplete="off"
                error={errors[`${row.id}.value`]}
                onChange={(event) => set(row.id, { value: event.currentTarget.value })}
              />
              <ActionIcon
                variant="default"
                size={36}
                aria-label={`Remove ${row.name || `header ${i + 1}`}`}
                onClick={() => {
                  next.current = 'payload-add-header';
                  onChange(headers.filter(({ id }) => id !== row.id));
                }}
              >
                <IconTrash size={16} />
              </ActionIcon>
            </li>
          ))}
        </ul>
      )}
      {errors.headers && (
        <Text size="sm" c="var(--bad)" mb="xs">
          {errors.headers}
        </Text>
      )}
      <Button
        id="payload-add-header"
        size="xs"
        variant="default"
        leftSection={<IconPlus size={14} />}
        disabled={headers.length >= MOST_HEADERS}
        onClick={() => {
          const row = rowOf({ name: '', value: '' });
          next.current = idOf(`${row.id}.name`);
          onChange([...headers, row]);
        }}
      >
        Add header
      </Button>
    </section>
  );
}

import {
  ActionIcon,
  Button,
  Group,
  Modal,
  Select,
  Stack,
  Switch,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import {
  type Condition,
  LONGEST_RULE_VALUE,
  MOST_CONDITIONS,
  needsValue,
  RULE_OPS,
  type RuleMatch,
  type RuleOp,
  type Rules,
  TRIED_LEADS,
} from '../../../../contract/campaigns/rules.ts';
import { api } from '../../../api/client.ts';
import { ApiError, wordsOf } from '../../../api/errors.ts';
import { num } from '../../../ui/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone } from '../../../ui/notify.ts';
import { HoursFields } from './HoursFields.tsx';
import classes from './rules.module.css';
import { LEAD_SOURCES } from './sources.ts';
import { TriedLeads } from './TriedLeads.tsx';
import type { Webhook } from './words.ts';

const MATCHES: { value: RuleMatch; label: string }[] = [
  { value: 'all', label: 'All of these are true' },
  { value: 'any', label: 'Any of these is true' },
  { value: 'none', label: 'None of these is true' },
];
const OPS = Object.entries(RULE_OPS).map(([value, label]) => ({ value, label }));

/** A condition being edited; the key keeps its row in place when others go. */
type Row = Condition & { key: number };

/** Which leads a destination gets and when, tried on the campaign's last leads (BEY-23). */
export function RulesModal(props: { hook: Webhook; onSaved: () => void; onClose: () => void }) {
  const { hook } = props;
  const before = hook.rules;
  const nextKey = useRef(before?.conditions.length ?? 0);
  const [rows, setRows] = useState<Row[]>(
    () => before?.conditions.map((one, key) => ({ ...one, key })) ?? [],
  );
  const [match, setMatch] = useState<RuleMatch>(before?.match ?? 'all');
  const [hours, setHours] = useState(before?.hours ?? null);
  const [rotation, setRotation] = useState(before?.rotation ?? false);
  const body = useRef<HTMLDivElement>(null);
  const add = useRef<HTMLButtonElement>(null);

  const rules: Rules = {
    match,
    conditions: rows.map(({ field, op, value }) => ({ field, op, value })),
    hours,
    rotation,
  };
  const trial = useMutation({ mutationFn: () => api.delivery.tryRules({ id: hook.id, rules }) });
  const save = useMutation({
    mutationFn: () => api.delivery.setRules({ id: hook.id, rules }),
    onSuccess: (answer) => {
      notifyDone(answer.message);
      props.onSaved();
      props.onClose();
    },
  });
  const refusal = save.error ?? trial.error;
  const errors = refusal instanceof ApiError ? refusal.errors : {};
  const wrong = (field: string) => errors[`rules.${field}`]?.join(' ');
  useEffect(() => {
    if (refusal) body.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [refusal]);

  /** What was tried, and what was wrong, is about the rules as they were. */
  const edited = () => {
    trial.reset();
    save.reset();
  };
  const change = (key: number, more: Partial<Condition>) => {
    edited();
    setRows(rows.map((row) => (row.key === key ? { ...row, ...more } : row)));
  };
  const addRow = () => {
    edited();
    setRows([...rows, { key: nextKey.current++, field: 'state', op: 'is_one_of', value: '' }]);
  };
  const removeRow = (key: number) => {
    edited();
    setRows(rows.filter((row) => row.key !== key));
    add.current?.focus();
  };

  return (
    <Modal opened onClose={props.onClose} size={760} title="Rules">
      <Stack gap="lg" ref={body}>
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          Which leads go to {hook.name}, and when. Leads that don’t match are skipped. You can still send them
          from the delivery log.
        </Text>
        <section aria-label="Conditions">
          <Title order={3} size="h4" mb="xs">
            Conditions
          </Title>
          {rows.length === 0 ? (
            <Text size="sm" mb="sm">
              No conditions. Every lead matches.
            </Text>
          ) : (
            <>
              <Select
                label="Send when"
                w={240}
                mb="xs"
                allowDeselect={false}
                data={MATCHES}
                value={match}
                error={wrong('match')}
                onChange={(next) => {
                  edited();
                  setMatch((next ?? 'all') as RuleMatch);
                }}
              />
              <ul className={classes.rows}>
                {rows.map((row, at) => (
                  <ConditionRow
                    key={row.key}
                    row={row}
                    number={at + 1}
                    wrong={(part) => wrong(`conditions.${at}.${part}`)}
                    onChange={(more) => change(row.key, more)}
                    onRemove={() => removeRow(row.key)}
                  />
                ))}
              </ul>
            </>
          )}
          {wrong('conditions') && (
            <Text size="sm" c="var(--bad)" mb="xs">
              {wrong('conditions')}
            </Text>
          )}
          <Button
            ref={add}
            size="xs"
            variant="default"
            leftSection={<IconPlus size={14} />}
            disabled={rows.length >= MOST_CONDITIONS}
            onClick={addRow}
          >
            Add condition
          </Button>
        </section>
        <section aria-label="Hours">
          <Title order={3} size="h4" mb="xs">
            Hours
          </Title>
          <HoursFields
            value={hours}
            description="Leads that come in at other times wait until the next opening."
            timeZone={hook.time_zone}
            wrong={(field) => wrong(`hours.${field}`)}
            onChange={(next) => {
              edited();
              setHours(next);
            }}
          />
        </section>
        <section aria-label="Turns">
          <Title order={3} size="h4" mb="xs">
            Turns
          </Title>
          <Switch
            label="Take turns with other destinations"
            description="Each lead goes to only one of the campaign’s destinations that take turns and whose conditions match."
            checked={rotation}
            onChange={(event) => {
              edited();
              setRotation(event.currentTarget.checked);
            }}
          />
        </section>
        <section aria-label="Trial">
          <Button variant="default" loading={trial.isPending} onClick={() => trial.mutate()}>
            Try on the last {num(TRIED_LEADS)} leads
          </Button>
          <div role="status">{trial.data && <TriedLeads result={trial.data} zone={hook.time_zone} />}</div>
        </section>
        {Boolean(refusal) && (
          <Notice tone="bad" live="alert">
            {Object.keys(errors).length > 0 ? 'Correct the marked fields.' : wordsOf(refusal)}
          </Notice>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={props.onClose}>
            Cancel
          </Button>
          <Button loading={save.isPending} onClick={() => save.mutate()}>
            Save
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function ConditionRow(props: {
  row: Row;
  number: number;
  wrong: (part: 'field' | 'op' | 'value') => string | undefined;
  onChange: (more: Partial<Condition>) => void;
  onRemove: () => void;
}) {
  const { row, number, wrong, onChange } = props;
  const isNumber = row.op === 'at_least' || row.op === 'at_most';
  return (
    <li className={classes.row}>
      <Select
        className={classes.field}
        aria-label={`Field of condition ${number}`}
        searchable
        allowDeselect={false}
        data={LEAD_SOURCES}
        value={row.field}
        error={wrong('field')}
        onChange={(field) => field && onChange({ field })}
      />
      <Select
        className={classes.op}
        aria-label={`Comparison of condition ${number}`}
        allowDeselect={false}
        data={OPS}
        value={row.op}
        error={wrong('op')}
        onChange={(op) => op && onChange({ op: op as RuleOp })}
      />
      {needsValue(row.op) ? (
        <TextInput
          className={classes.value}
          aria-label={`Value of condition ${number}`}
          placeholder={row.op === 'is_one_of' ? 'Such as TX, OK' : undefined}
          inputMode={isNumber ? 'decimal' : undefined}
          maxLength={LONGEST_RULE_VALUE}
          value={row.value}
          error={wrong('value')}
          onChange={(event) => onChange({ value: event.currentTarget.value })}
        />
      ) : (
        <span className={classes.value} />
      )}
      <ActionIcon
        className={classes.remove}
        variant="default"
        size={36}
        aria-label={`Remove condition ${number}`}
        onClick={props.onRemove}
      >
        <IconTrash size={16} />
      </ActionIcon>
    </li>
  );
}

import { Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { INFORMATION_TYPES, type InformationType } from '../../../../contract/audience/enrichment-fields.ts';
import type { Client } from '../../../../contract/index.ts';
import { messages } from '../../../../contract/messages.ts';
import { api } from '../../../api/client.ts';
import { ApiError, wordsOf } from '../../../api/errors.ts';
import { useUser } from '../../../api/user.ts';
import { FormSection } from '../../../ui/FormSection.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { useLeaveGuard } from '../../../ui/useLeaveGuard.ts';
import classes from './enrichment.module.css';

type Known = Awaited<ReturnType<Client['enrichment']['choice']>>['data'];
type Field = Known['fields'][number];
const FORM = 'data-choice';
const TYPES = Object.keys(INFORMATION_TYPES) as InformationType[];
const SOURCES: Record<Known['providers'][number]['provider'], string> = {
  embedded: 'The people data imported here. It is always checked first.',
  pdl: 'Checked for what is still missing after a lead is accepted. The lead waits up to half a minute for it.',
};

const valuesOf = (known: Known) => ({
  information: known.fields.filter((field) => field.selected).map((field) => field.id),
  providers: known.providers.filter((one) => one.selected).map((one) => one.provider),
});

/** Returns who changes it instead, or what those who can change it should know. */
function lineOf(known: Known, isRoot: boolean): string {
  if (known.set_by === 'root')
    return 'This is what your company can use. You can offer a client less, but not more.';
  if (known.set_by === 'agency') return 'The client’s agency chooses them.';
  if (known.kind === 'root')
    return 'Fields that all agencies and their clients can use. You can offer fewer to an individual agency.';
  return `Fields that campaigns of ${isRoot ? 'this agency and its clients' : 'this client'} can use.`;
}

/** A company's data fields and sources. */
export function ChoiceForm({ known: first }: { known: Known }) {
  const isRoot = useUser().company_kind === 'root';
  const cache = useQueryClient();
  const [known, setKnown] = useState(first);
  const [fault, setFault] = useState<string>();
  const form = useForm({ initialValues: valuesOf(first) });
  const isDirty = form.isDirty();
  useLeaveGuard(isDirty, 'Your changes to the data fields will be lost.', ['of', 'company']);
  const { information, providers } = form.values;

  const save = async (values: typeof form.values) => {
    setFault(undefined);
    try {
      const { data, message } = await api.enrichment.choose({ company_id: known.company_id, ...values });
      setKnown(data);
      const now = valuesOf(data);
      form.setInitialValues(now);
      form.setValues(now);
      form.resetDirty(now);
      void cache.invalidateQueries({ queryKey: ['data-choice'], refetchType: 'none' });
      notifyDone(message);
    } catch (error) {
      if (error instanceof ApiError && Object.keys(error.errors).length > 0) setFault(wordsOf(error));
      else notifyFailed(error, messages.settingFailed);
    }
  };
  const put = (ids: number[], isOn: boolean) => {
    const rest = information.filter((id) => !ids.includes(id));
    form.setFieldValue('information', isOn ? [...rest, ...ids] : rest);
  };

  return (
    <form id={FORM} noValidate onSubmit={form.onSubmit(save)}>
      <FormSection
        title={known.company_name}
        line={lineOf(known, isRoot)}
        {...(known.can_change
          ? {
              save: {
                formId: FORM,
                isDirty,
                busy: form.submitting,
                onDiscard: () => {
                  setFault(undefined);
                  form.reset();
                },
              },
            }
          : {})}
      >
        <Stack gap="lg">
          {known.can_change && !known.narrowed && (
            <Notice tone="info">
              All fields are selected. New fields are selected automatically until you clear one.
            </Notice>
          )}
          <div className={classes.types}>
            {TYPES.map((type) => (
              <Fields
                key={type}
                title={`${INFORMATION_TYPES[type]} data`}
                fields={known.fields.filter((field) => field.type === type)}
                chosen={information}
                mayChange={known.can_change}
                put={put}
              />
            ))}
          </div>
          <fieldset className={classes.group}>
            <legend>Sources</legend>
            <Stack gap="sm">
              {known.providers.map((one) => (
                <Checkbox
                  key={one.provider}
                  label={one.name}
                  description={
                    !one.offered
                      ? 'Not available to this company.'
                      : one.provider !== 'embedded' && !one.connected
                        ? `${SOURCES[one.provider]} No key has been added yet, so this source is not used.`
                        : SOURCES[one.provider]
                  }
                  checked={providers.includes(one.provider)}
                  disabled={!known.can_change || !one.offered || one.provider === 'embedded'}
                  onChange={(event) =>
                    form.setFieldValue(
                      'providers',
                      event.currentTarget.checked
                        ? [...providers, one.provider]
                        : providers.filter((other) => other !== one.provider),
                    )
                  }
                />
              ))}
            </Stack>
          </fieldset>
          {fault && (
            <Notice tone="bad" title="Not saved" live="alert">
              {fault}
            </Notice>
          )}
        </Stack>
      </FormSection>
    </form>
  );
}

function Fields(props: {
  title: string;
  fields: Field[];
  chosen: number[];
  mayChange: boolean;
  put: (ids: number[], isOn: boolean) => void;
}) {
  const { title, fields, chosen, mayChange, put } = props;
  const open = fields.filter((field) => field.offered);
  const on = open.filter((field) => chosen.includes(field.id));
  const free = open.filter((field) => field.campaigns === 0);
  return (
    <fieldset className={classes.group}>
      <legend>{title}</legend>
      <Group justify="space-between" mb="xs" gap="xs">
        <Text size="xs" c="dimmed" aria-live="polite">
          {on.length} of {fields.length} chosen
        </Text>
        {mayChange && open.length > 0 && (
          <Group gap="xs">
            <Button
              variant="subtle"
              size="compact-xs"
              disabled={on.length === open.length}
              onClick={() =>
                put(
                  open.map((field) => field.id),
                  true,
                )
              }
            >
              Select all<span className="sr-only"> of {title.toLowerCase()}</span>
            </Button>
            <Button
              variant="subtle"
              size="compact-xs"
              disabled={!free.some((field) => chosen.includes(field.id))}
              onClick={() =>
                put(
                  free.map((field) => field.id),
                  false,
                )
              }
            >
              Clear all<span className="sr-only"> of {title.toLowerCase()}</span>
            </Button>
          </Group>
        )}
      </Group>
      <Stack gap="xs">
        {fields.map((field) => {
          const isHeld = field.campaigns > 0 && field.selected;
          return (
            <Checkbox
              key={field.id}
              label={field.name}
              description={
                !field.offered
                  ? 'Not available to this company.'
                  : isHeld && mayChange
                    ? `${field.campaigns === 1 ? 'A campaign asks' : `${field.campaigns} campaigns ask`} for it, so it cannot be removed.`
                    : undefined
              }
              checked={chosen.includes(field.id)}
              disabled={!mayChange || !field.offered || (isHeld && chosen.includes(field.id))}
              onChange={(event) => put([field.id], event.currentTarget.checked)}
            />
          );
        })}
      </Stack>
    </fieldset>
  );
}

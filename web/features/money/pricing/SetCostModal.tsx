import { Button, Group, Modal, Select, Skeleton, Stack, Tabs, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { COST_TERMS, type CostTerm } from '../../../../contract/choices.ts';
import { messages } from '../../../../contract/messages.ts';
import { api } from '../../../api/client.ts';
import { ApiError } from '../../../api/errors.ts';
import { useBrand } from '../../../brand/brand.ts';
import { CurrencyInput } from '../../../ui/CurrencyInput.tsx';
import { DayInput } from '../../../ui/DayInput.tsx';
import { exactTime } from '../../../ui/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { ErrorState } from '../../../ui/states.tsx';
import {
  type AppModule,
  type CostValues,
  changedCosts,
  costFaults,
  costTabs,
  feesOf,
  feeWords,
  minimumWords,
  plannedLines,
} from './model.ts';

interface Agency {
  id: string;
  company_name: string;
}
type CostSetting = Awaited<ReturnType<typeof api.settings.get>>;

/**
 * What the platform charges an agency: fees by product and payment term (spec product 2 and 6, Set Cost for Agency).
 */
export default function SetCostModal({ agency, onClose }: { agency: Agency; onClose: () => void }) {
  const [round, setRound] = useState(0);
  const fresh = { staleTime: Number.POSITIVE_INFINITY, gcTime: 0 };
  const get = (setting: 'agency_costs' | 'module_names') => ({
    queryKey: ['setting', agency.id, setting, round],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      api.settings.get({ company_id: agency.id, setting }, { signal }),
    ...fresh,
  });
  const [costs, names] = useQueries({ queries: [get('agency_costs'), get('module_names')] });
  const error = costs.error ?? names.error;
  return (
    <Modal opened onClose={onClose} size="lg" centered title={`Set cost for ${agency.company_name}`}>
      {error ? (
        <ErrorState
          error={error}
          what="The costs could not be loaded"
          onRetry={() => {
            void costs.refetch();
            void names.refetch();
          }}
        />
      ) : costs.data && names.data ? (
        <CostForm
          key={round}
          agency={agency}
          setting={costs.data}
          names={names.data.data as Record<string, string>}
          onReload={() => setRound(round + 1)}
          onClose={onClose}
        />
      ) : (
        <Skeleton height={420} aria-busy="true" />
      )}
    </Modal>
  );
}

function CostForm(props: {
  agency: Agency;
  setting: CostSetting;
  names: Record<string, string>;
  onReload: () => void;
  onClose: () => void;
}) {
  const { setting, names } = props;
  const roots = useBrand().root_modules;
  const before = setting.data as CostValues;
  const least = (setting.root_costs ?? {}) as CostValues;
  const labels = Object.fromEntries(
    Object.keys(before).map((module) => {
      const root = roots.find((one) => one.type === module);
      const own = { name: names[`${module}_name`], url: names[`${module}_url`] };
      return [module, { name: own.name || root?.name || '', url: own.url || root?.url || '' }];
    }),
  );
  const [term, setTerm] = useState<CostTerm>((setting.term as CostTerm | undefined) ?? 'Prepaid');
  const [app, setApp] = useState<AppModule>('LeadsPeek');
  const tabs = costTabs(app, labels, before);
  const [tab, setTab] = useState<string | null>(null);
  const shown = tabs.find((one) => one.module === tab)?.module ?? tabs[0]?.module ?? '';
  const [conflict, setConflict] = useState<string>();
  const [isSaving, setSaving] = useState(false);
  const form = useForm<{ costs: CostValues; effective_from: string }>({
    initialValues: { costs: structuredClone(before), effective_from: '' },
  });
  const changed = changedCosts(before, form.values.costs);
  const isDirty = changed !== undefined || term !== (setting.term ?? 'Prepaid');

  /** Shows the first invalid fee: opens its product and term and puts the cursor in it. */
  const showFaults = (faults: Record<string, string>): void => {
    form.setErrors(
      Object.fromEntries(
        Object.entries(faults).map(([path, text]) => [path.includes('.') ? `costs.${path}` : path, text]),
      ),
    );
    const path = Object.keys(faults).find((one) => one.includes('.'));
    if (path) {
      const [module, key] = path.split('.') as [string, CostTerm];
      setApp(module === 'simplifi' ? 'Simplifi' : 'LeadsPeek');
      setTab(module);
      setTerm(key);
      // The field exists only once its tab is open.
      setTimeout(() => form.getInputNode(`costs.${path}`)?.focus());
    } else form.getInputNode('effective_from')?.focus();
  };

  const save = async (): Promise<void> => {
    const faults = costFaults(form.values.costs);
    if (Object.keys(faults).length > 0) {
      showFaults(faults);
      return;
    }
    setSaving(true);
    try {
      const { message } = await api.settings.save({
        company_id: props.agency.id,
        setting: 'agency_costs',
        value: { ...changed, term: term },
        version: setting.version,
        ...(form.values.effective_from ? { effective_from: form.values.effective_from } : {}),
      });
      notifyDone(message);
      props.onClose();
    } catch (error) {
      if (error instanceof ApiError && error.status === 409) setConflict(error.message);
      else if (error instanceof ApiError && error.status === 422)
        showFaults(
          Object.fromEntries(Object.entries(error.errors).map(([path, texts]) => [path, texts.join(' ')])),
        );
      else notifyFailed(error, messages.settingFailed);
    } finally {
      setSaving(false);
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
      <Stack gap="md">
        <Group gap="md" align="flex-start" grow>
          <Select
            label="Payment term"
            allowDeselect={false}
            data={Object.entries(COST_TERMS).map(([value, label]) => ({ value, label }))}
            value={term}
            onChange={(value) => setTerm((value ?? 'Prepaid') as CostTerm)}
          />
          {before.simplifi && (
            <Select
              label="App module"
              allowDeselect={false}
              data={['LeadsPeek', 'Simplifi']}
              value={app}
              onChange={(value) => setApp((value ?? 'LeadsPeek') as AppModule)}
            />
          )}
        </Group>
        <Tabs value={shown} onChange={setTab} keepMounted={false}>
          <Tabs.List mb="md">
            {tabs.map(({ module, name }) => (
              <Tabs.Tab key={module} value={module} style={{ flexShrink: 0 }}>
                {name}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {tabs.map(({ module }) => (
            <Tabs.Panel key={module} value={module}>
              <Stack gap="md">
                {feesOf(module).map(([name, part]) => {
                  const minimum = part === 'lead' ? least[module]?.[term]?.[name] : undefined;
                  return (
                    <CurrencyInput
                      key={`${term}.${name}`}
                      label={feeWords(module, part)}
                      description={minimumWords(minimum)}
                      minimum={minimum}
                      {...form.getInputProps(`costs.${module}.${term}.${name}`)}
                    />
                  );
                })}
              </Stack>
            </Tabs.Panel>
          ))}
        </Tabs>
        <DayInput
          label="Effective from"
          description="Leave blank to apply the cost now. Leads already sold keep their cost."
          maw={240}
          {...form.getInputProps('effective_from')}
        />
        {(setting.planned?.length ?? 0) > 0 && (
          <Notice tone="info" title="Planned">
            {setting.planned!.map((plan) => (
              <div key={plan.effective_from}>
                <Text size="sm" fw={500}>
                  From {exactTime(plan.effective_from)}
                </Text>
                {plannedLines(plan.data as CostValues, (module) => labels[module]?.name || module).map(
                  (line) => (
                    <Text size="sm" key={line}>
                      {line}
                    </Text>
                  ),
                )}
              </div>
            ))}
          </Notice>
        )}
        {conflict && (
          <Notice
            tone="warn"
            live="alert"
            title="Not saved"
            action={
              <Button size="compact-sm" variant="default" onClick={props.onReload}>
                Reload
              </Button>
            }
          >
            {conflict}
          </Notice>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={props.onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={!isDirty} loading={isSaving}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

import { NumberInput, Stack, Text, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Fragment, useId } from 'react';
import {
  COST_FIELDS,
  COST_TERMS,
  type CostTerm,
  MINIMUM_MODULES,
  MODULES,
} from '../../../../contract/choices.ts';
import { useMay } from '../../../api/user.ts';
import { CurrencyInput } from '../../../ui/CurrencyInput.tsx';
import { currencyFault } from '../../../ui/currency.ts';
import { Fields } from '../../../ui/Fields.tsx';
import { FormSection } from '../../../ui/FormSection.tsx';
import type { Setting } from './model.ts';
import { Conflict, SettingLoader, useSettingSave } from './SettingForm.tsx';

type Fees = Record<string, Record<string, Record<string, string>>>;

const NAMES: Record<string, string> = Object.fromEntries(MODULES.map(({ module, name }) => [module, name]));
const TERMS = Object.entries(COST_TERMS) as [CostTerm, string][];
/** The name of a module's cost-per-lead fee in the cost setting. */
const leadField = (module: (typeof MINIMUM_MODULES)[number]): string =>
  Object.entries(COST_FIELDS[module]).find(([, part]) => part === 'lead')![0];

/**
 * The lowest lead price that a root allows, and the lowest limit for Enhance ID campaigns (spec product 5, calls 7).
 */
export default function MinimumsTab() {
  return (
    <Stack gap="lg">
      <SettingLoader name="agency_costs">
        {(setting, reload) => <PriceForm setting={setting} onReload={reload} />}
      </SettingLoader>
      <SettingLoader name="minimum_leads">
        {(setting, reload) => <LeadsForm setting={setting} onReload={reload} />}
      </SettingLoader>
    </Stack>
  );
}

function PriceForm({ setting, onReload }: { setting: Setting<'agency_costs'>; onReload: () => void }) {
  const formId = useId();
  const mayWrite = useMay('cost.write');
  const kept = setting.data as Fees;
  const form = useForm<Record<string, string>>({
    initialValues: Object.fromEntries(
      MINIMUM_MODULES.flatMap((module) =>
        TERMS.map(([term]) => [`${module} ${term}`, kept[module]?.[term]?.[leadField(module)] ?? '0']),
      ),
    ),
    validateInputOnBlur: true,
    validate: (values) =>
      Object.fromEntries(Object.entries(values).map(([field, value]) => [field, currencyFault(value, 6)])),
  });
  const state = useSettingSave({
    setting,
    form,
    toValue: (values) =>
      Object.fromEntries(
        MINIMUM_MODULES.map((module) => [
          module,
          Object.fromEntries(
            TERMS.map(([term]) => [term, { [leadField(module)]: values[`${module} ${term}`]! }]),
          ),
        ]),
      ) as never,
    labels: { enhance: 'Enhance ID', b2b: 'B2B ID' },
  });
  return (
    <FormSection
      title="Minimum cost per lead"
      line="You, your agencies, and campaigns cannot charge less than this for a lead of these products. Enter 0 for no minimum."
      save={{ formId, isDirty: state.isDirty, busy: form.submitting, onDiscard: () => form.reset() }}
    >
      <form id={formId} onSubmit={state.save} noValidate>
        <fieldset disabled={!mayWrite} style={{ border: 0, padding: 0, margin: 0, minWidth: 0 }}>
          <Stack gap="md">
            <Conflict words={state.conflict} onReload={onReload} />
            {MINIMUM_MODULES.map((module) => (
              <Fragment key={module}>
                <Title order={3}>{NAMES[module]}</Title>
                <Fields>
                  {TERMS.map(([term, words]) => (
                    <CurrencyInput
                      key={term}
                      label={words}
                      aria-label={`${NAMES[module]}, ${words}`}
                      {...form.getInputProps(`${module} ${term}`)}
                    />
                  ))}
                </Fields>
              </Fragment>
            ))}
          </Stack>
        </fieldset>
      </form>
    </FormSection>
  );
}

function LeadsForm({ setting, onReload }: { setting: Setting<'minimum_leads'>; onReload: () => void }) {
  const formId = useId();
  const mayWrite = useMay('cost.write');
  const form = useForm<{ minimum_leads: number | string }>({
    initialValues: { minimum_leads: setting.data.minimum_leads },
    validateInputOnBlur: true,
    validate: {
      minimum_leads: (value) =>
        value !== '' && Number.isInteger(Number(value)) && Number(value) >= 0 && Number(value) <= 1_000_000
          ? null
          : 'Enter a whole number from 0 to 1,000,000',
    },
  });
  const state = useSettingSave({
    setting,
    form,
    toValue: (values) => ({ minimum_leads: Number(values.minimum_leads) }),
    labels: { minimum_leads: 'minimum leads per day' },
  });
  return (
    <FormSection
      title="Minimum leads per day for Enhance ID"
      line="A campaign’s lead limit cannot be lower than this. Campaigns without a limit are not affected."
      save={{ formId, isDirty: state.isDirty, busy: form.submitting, onDiscard: () => form.reset() }}
    >
      <form id={formId} onSubmit={state.save} noValidate>
        <Stack gap="md">
          <Conflict words={state.conflict} onReload={onReload} />
          <NumberInput
            label="Leads per day"
            description="Enter 0 for no minimum."
            maw={240}
            min={0}
            max={1_000_000}
            allowDecimal={false}
            allowNegative={false}
            thousandSeparator=","
            hideControls
            disabled={!mayWrite}
            {...form.getInputProps('minimum_leads')}
          />
          <Text size="xs" c="dimmed">
            A weekly limit must be at least seven times this number, and a monthly limit at least thirty
            times.
          </Text>
        </Stack>
      </form>
    </FormSection>
  );
}

import { Anchor, Checkbox, Select, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Link } from '@tanstack/react-router';
import type { SettingValue } from '../../../../contract/accounts/settings.ts';
import { MODULES } from '../../../../contract/choices.ts';
import { useMay, useSetup, useUser } from '../../../api/user.ts';
import type { Setting } from './model.ts';
import { SaveBar, SettingLoader, useBrandChanged, useSettingSave } from './SettingForm.tsx';
import classes from './settings.module.css';

type Beta = SettingValue<'products'>['beta_features'][number];
const OFFERS = [
  { value: 'off', label: 'No agencies' },
  { value: 'some', label: 'Selected agencies' },
  { value: 'all', label: 'All agencies' },
] as const;
type Offer = (typeof OFFERS)[number]['value'];

const offerOf = (beta: Beta): Offer => (beta.is_beta ? (beta.for_all ? 'all' : 'some') : 'off');

interface Values {
  modules: string[];
  /** By the feature's id. */
  offers: Record<string, Offer>;
}

/** What a root sells, and who has the beta features (BETA-01). */
export default function ProductsTab() {
  return (
    <SettingLoader name="products">
      {(setting, reload) => <ProductsForm setting={setting} onReload={reload} />}
    </SettingLoader>
  );
}

function ProductsForm({ setting, onReload }: { setting: Setting<'products'>; onReload: () => void }) {
  const mayWrite = useMay('setting.write');
  const user = useUser();
  const { beta_features: named } = useSetup();
  const changed = useBrandChanged();
  // Simplifi belongs to the master system alone, and is offered with its own campaigns.
  const choices = MODULES.filter(
    ({ module }) => module !== 'simplifi' || setting.data.modules.includes('simplifi'),
  );
  const form = useForm<Values>({
    initialValues: {
      modules: [...setting.data.modules],
      offers: Object.fromEntries(setting.data.beta_features.map((beta) => [beta.id, offerOf(beta)])),
    },
    validate: { modules: (value) => (value.length === 0 ? 'Choose at least one product' : null) },
  });
  const state = useSettingSave({
    setting,
    form,
    toValue: ({ modules, offers }) => ({
      modules,
      beta_features: setting.data.beta_features.map(({ id }) => ({
        id,
        is_beta: offers[id] !== 'off',
        for_all: offers[id] === 'all',
      })),
    }),
    labels: { modules: 'products', beta_features: 'beta features' },
    onSaved: changed,
  });
  return (
    <form onSubmit={state.save} noValidate>
      <fieldset disabled={!mayWrite} className={classes.fields}>
        <Stack gap="md">
          <Checkbox.Group
            label="Products"
            description="What your agencies and their clients can use. Stop a product’s active campaigns before you turn it off."
            withAsterisk
            {...form.getInputProps('modules')}
          >
            <Stack gap="xs" mt="xs">
              {choices.map(({ module, name }) => (
                <Checkbox key={module} value={module} label={name} />
              ))}
            </Stack>
          </Checkbox.Group>
          <fieldset className={classes.fields}>
            <Text component="legend" size="sm" fw={600}>
              Beta features
            </Text>
            <Text size="xs" c="dimmed" mb="xs">
              Select agencies in the Agency List: Edit, then Beta features.{' '}
              <Anchor
                size="xs"
                renderRoot={(props) => (
                  <Link
                    {...props}
                    to={'/configuration/agency-list' as '/'}
                    search={{ filters: 'beta_user' } as never}
                  />
                )}
              >
                Show selected agencies
              </Anchor>
            </Text>
            <Stack gap="sm">
              {setting.data.beta_features.map(({ id }) => (
                <Select
                  key={id}
                  label={named.find((one) => one.id === id)?.name ?? `Feature ${id}`}
                  data={[...OFFERS]}
                  allowDeselect={false}
                  disabled={!mayWrite}
                  maw={360}
                  {...form.getInputProps(`offers.${id}`)}
                />
              ))}
            </Stack>
            {user.is_master && (
              <Text size="xs" c="dimmed" mt="xs">
                While B2B ID is a beta feature, only agencies that have it see the Data Wallet.
              </Text>
            )}
            {form.errors.beta_features && (
              <Text size="sm" c="red" role="alert" mt="xs">
                {form.errors.beta_features}
              </Text>
            )}
          </fieldset>
          <SaveBar state={state} isSaving={form.submitting} onReload={onReload} mayWrite={mayWrite} />
        </Stack>
      </fieldset>
    </form>
  );
}

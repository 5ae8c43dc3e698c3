import {
  Anchor,
  Fieldset,
  Input,
  MultiSelect,
  NumberInput,
  Radio,
  Select,
  Skeleton,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { GOAL_TYPES, GOALS } from '../../../../contract/ads/ad-rules.ts';
import { US_STATES } from '../../../../contract/choices.ts';
import { api } from '../../../api/client.ts';
import { CurrencyInput } from '../../../ui/CurrencyInput.tsx';
import { DayInput } from '../../../ui/DayInput.tsx';
import { Fields } from '../../../ui/Fields.tsx';
import { num } from '../../../ui/format.ts';
import { CitySelect } from '../../campaigns/campaigns/CitySelect.tsx';
import { type AdValues, isGoal, zipsIn } from './model.ts';

/** With the map, which is needed by no one who does not get here. */
const AreaEditor = lazy(() => import('./AreaEditor.tsx'));

export type AdFormState = UseFormReturnType<AdValues>;

/** The name, the channel of a new campaign, and when it runs. */
export function AdNameFields({ form, isNew }: { form: AdFormState; isNew: boolean }) {
  return (
    <Stack gap="md">
      <TextInput label="Campaign name" required maxLength={255} {...form.getInputProps('campaign_name')} />
      {isNew && (
        <Radio.Group label="Where ads are shown" {...form.getInputProps('channel')}>
          <Stack gap="xs" mt="xs">
            <Radio
              value="exchange"
              label="Sites that sell ads by auction"
              description="Through the platform’s ad exchange."
            />
            <Radio
              value="house"
              label="Your own sites and partners"
              description="In the ad zones of this agency and client."
            />
          </Stack>
        </Radio.Group>
      )}
      <Fields>
        <DayInput label="First day" {...form.getInputProps('starts_on')} />
        <DayInput label="Last day" {...form.getInputProps('ends_on')} />
      </Fields>
    </Stack>
  );
}

/** What the campaign may spend, and what for. */
export function AdBudgetFields({ form, mayPrice }: { form: AdFormState; mayPrice: boolean }) {
  const goal = form.values.goal_type;
  return (
    <Stack gap="md">
      <Fields>
        <CurrencyInput
          label="Maximum bid"
          description="For 1,000 impressions"
          required
          {...form.getInputProps('max_bid')}
        />
        <CurrencyInput
          label="Daily budget"
          description="In the client’s time zone"
          required
          {...form.getInputProps('daily_budget')}
        />
        <CurrencyInput
          label="Monthly budget"
          description="For each calendar month"
          required
          {...form.getInputProps('monthly_budget')}
        />
        <CurrencyInput
          label="Total budget"
          description="Leave blank for no limit"
          mayBeEmpty
          {...form.getInputProps('total_budget')}
        />
      </Fields>
      <Fields>
        <Select
          label="Goal"
          placeholder="None"
          clearable
          data={GOAL_TYPES.map((value) => ({ value, label: GOALS[value].label }))}
          value={goal || null}
          onChange={(value) => form.setFieldValue('goal_type', isGoal(value) ? value : '')}
          error={form.errors.goal_type}
        />
        {goal && (
          <TextInput
            label="Goal value"
            inputMode="decimal"
            leftSection={GOALS[goal].unit}
            required
            {...form.getInputProps('goal_value')}
          />
        )}
        {mayPrice && (
          <NumberInput
            label="Agency markup"
            description="Added to what ads cost you. Not shown to clients"
            suffix="%"
            min={0}
            max={1000}
            decimalScale={2}
            {...form.getInputProps('agency_markup')}
          />
        )}
      </Fields>
    </Stack>
  );
}

/** The audiences of the client that see the ads, and those that do not. */
function AudienceChoice({ form, companyId }: { form: AdFormState; companyId: string | undefined }) {
  const query = useQuery({
    queryKey: ['audiences', 'choice', companyId],
    enabled: companyId !== '',
    queryFn: ({ signal }) =>
      api.audiences.list(
        { page: 1, per_page: 100, ...(companyId ? { company_id: companyId } : {}) },
        { signal },
      ),
  });
  const data = (query.data?.data ?? []).map((one) => ({
    value: one.id,
    label: one.reachable === null ? one.name : `${one.name} (${num(one.reachable)})`,
  }));
  const { audiences, excluded_audiences } = form.values;
  return (
    <>
      <MultiSelect
        label="Audiences"
        description="Shown only to people in one of them. Leave blank for everyone"
        searchable
        clearable
        nothingFoundMessage="No audience"
        data={data.filter(({ value }) => !excluded_audiences.includes(value))}
        {...form.getInputProps('audiences')}
      />
      <MultiSelect
        label="Excluded audiences"
        description="Never shown to people in these"
        searchable
        clearable
        nothingFoundMessage="No audience"
        data={data.filter(({ value }) => !audiences.includes(value))}
        {...form.getInputProps('excluded_audiences')}
      />
      <Anchor component={Link} to={'/audience' as '/'} size="sm">
        Manage audiences
      </Anchor>
    </>
  );
}

/** Where viewers are: in any of these places, or anywhere if none is named. */
function PlaceFields({ form }: { form: AdFormState }) {
  const { states, cities, zips, areas } = form.values;
  const count = zipsIn(zips).length;
  const isAnywhere = states.length + count + areas.length === 0;
  return (
    <Fieldset legend="Places" variant="unstyled">
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {isAnywhere
            ? 'Shown in all of the United States. Name places to show ads only there.'
            : 'Shown to viewers in any of these places.'}
        </Text>
        <MultiSelect
          label="States"
          searchable
          clearable
          hidePickedOptions
          nothingFoundMessage="No matching state"
          data={Object.entries(US_STATES).map(([value, label]) => ({ value, label }))}
          {...form.getInputProps('states')}
          onChange={(next) => {
            form.setFieldValue('states', next);
            form.setFieldValue(
              'cities',
              cities.filter((city) => next.includes(city.slice(-2))),
            );
          }}
        />
        {states.length > 0 && <CitySelect states={states} value={cities} {...form.getInputProps('cities')} />}
        <Textarea
          label="ZIP codes"
          description={
            count > 0
              ? `${num(count)} ZIP ${count === 1 ? 'code' : 'codes'}, one per line`
              : 'Five digits each, one per line'
          }
          inputMode="numeric"
          autosize
          minRows={2}
          maxRows={8}
          {...form.getInputProps('zips')}
        />
        <Input.Wrapper
          label="Areas"
          labelElement="div"
          // Said before the map, below which no one would look for it.
          inputWrapperOrder={['label', 'description', 'input', 'error']}
          description="For devices that say where they are: a radius around a point, or a shape drawn on the map"
        >
          <div style={{ marginTop: 'var(--mantine-spacing-xs)' }}>
            <Suspense fallback={<Skeleton height={320} />}>
              <AreaEditor
                drafts={areas}
                onChange={(next) => {
                  form.setFieldValue('areas', next);
                  form.clearFieldError('areas');
                }}
                error={
                  form.errors.areas ??
                  Object.entries(form.errors).find(([name]) => name.startsWith('areas.'))?.[1]
                }
              />
            </Suspense>
          </div>
        </Input.Wrapper>
      </Stack>
    </Fieldset>
  );
}

/** Who sees the ads, how often, and for how long a lead counts as theirs. */
export function AdAudienceFields({
  form,
  companyId,
}: {
  form: AdFormState;
  /** The client, if it is known. */
  companyId: string | undefined;
}) {
  return (
    <Stack gap="md">
      <AudienceChoice form={form} companyId={companyId} />
      {form.values.channel === 'exchange' && <PlaceFields form={form} />}
      <Fields>
        <NumberInput
          label="Frequency limit"
          description="Times for each viewer. Blank for no limit"
          min={1}
          max={1000}
          allowDecimal={false}
          {...form.getInputProps('frequency_cap')}
        />
        <NumberInput
          label="Within"
          description="Hours"
          min={1}
          max={720}
          allowDecimal={false}
          {...form.getInputProps('frequency_hours')}
        />
      </Fields>
      <Fields>
        <NumberInput
          label="Click window"
          description="Days after a click in which a lead counts"
          min={1}
          max={90}
          allowDecimal={false}
          {...form.getInputProps('click_days')}
        />
        <NumberInput
          label="View window"
          description="Hours after a view. 0 counts clicks only"
          min={0}
          max={720}
          allowDecimal={false}
          {...form.getInputProps('view_hours')}
        />
      </Fields>
    </Stack>
  );
}

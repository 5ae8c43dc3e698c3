import { NumberInput, Select, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMay, useUser } from '../../../api/user.ts';
import { DayInput } from '../../../ui/DayInput.tsx';
import { Fields } from '../../../ui/Fields.tsx';
import { num } from '../../../ui/format.ts';
import type { CampaignFormState } from './model.ts';
import { FREQUENCY_WORDS } from './more.ts';
import { resourceQuery } from './resource.ts';

const count = {
  min: 1,
  max: 1_000_000,
  allowDecimal: false,
  allowNegative: false,
  thousandSeparator: ',',
  hideControls: true,
} as const;

/** The maximum number of leads a campaign makes per period, and the lowest limit allowed (agencies). */
export function LimitFields({ form }: { form: CampaignFormState }) {
  const mayPrice = useMay('campaign.price');
  const { daily_cap, has_minimum_limit, minimum_limit } = form.values;
  const isLimited = daily_cap !== '';
  const user = useUser();
  const client = user.company_kind === 'client' ? user.company_id : form.values.company_id;
  const resource = useQuery({
    ...resourceQuery(client, form.values.module),
    enabled: client !== '' && form.values.module === 'enhance',
  });
  const least = resource.data?.minimum_leads ?? 0;
  return (
    <>
      <Fields>
        <NumberInput
          label="Lead limit"
          description={
            least > 0
              ? `Leave blank for no limit. Minimum ${num(least)} a day.`
              : !mayPrice && has_minimum_limit
                ? `Leave blank for no limit. Your agency’s minimum is ${num(Number(minimum_limit))}.`
                : 'Leave blank for no limit.'
          }
          placeholder="No limit"
          {...count}
          {...form.getInputProps('daily_cap')}
        />
        <Select
          label="Limit period"
          description="Days follow the client’s time zone."
          data={Object.entries(FREQUENCY_WORDS).map(([value, label]) => ({ value, label }))}
          allowDeselect={false}
          disabled={!isLimited}
          {...form.getInputProps('limit_every')}
        />
      </Fields>
      {isLimited && (
        <Fields>
          <DayInput
            label="Limit starts"
            description="Leave blank to start immediately. Earlier leads don’t count."
            {...form.getInputProps('limit_starts_on')}
          />
          <DayInput
            label="Limit ends"
            description="Leave blank for no end date. After this day, there is no limit."
            {...form.getInputProps('limit_ends_on')}
          />
        </Fields>
      )}
      {mayPrice && (
        <>
          <Switch
            label="Minimum limit"
            description="Neither you nor the client can set a lower limit."
            {...form.getInputProps('has_minimum_limit', { type: 'checkbox' })}
          />
          {has_minimum_limit && (
            <NumberInput
              label="Minimum lead limit"
              withAsterisk
              maw={240}
              {...count}
              {...form.getInputProps('minimum_limit')}
            />
          )}
        </>
      )}
    </>
  );
}

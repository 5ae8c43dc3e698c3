import { NumberInput, Select, Switch, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMay, useUser } from '../../api/user.ts';
import { num } from '../../ui/format.ts';
import classes from './campaigns.module.css';
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

/** How many leads a campaign makes at most, in which span of days, and the least that may be set (agencies). */
export function LimitFields({ form }: { form: CampaignFormState }) {
  const mayPrice = useMay('campaign.price');
  const { LimitLead, enableMinimumLimitLeads, minimumLimitLeads } = form.values;
  const isLimited = LimitLead !== '';
  const user = useUser();
  const client = user.company_kind === 'client' ? user.company_id : form.values.companyID;
  const resource = useQuery({
    ...resourceQuery(client, form.values.leadspeekType),
    enabled: client !== '' && form.values.leadspeekType === 'enhance',
  });
  const least = resource.data?.minleaddayenhance ?? 0;
  return (
    <>
      <div className={classes.two}>
        <NumberInput
          label="Leads at most"
          description={
            least > 0
              ? `Empty: no limit. At least ${num(least)} a day.`
              : !mayPrice && enableMinimumLimitLeads
                ? `Empty: no limit. Your agency's least is ${num(Number(minimumLimitLeads))}.`
                : 'Empty: no limit.'
          }
          placeholder="No limit"
          {...count}
          {...form.getInputProps('LimitLead')}
        />
        <Select
          label="In each"
          description="Days are those of the client's time zone."
          data={Object.entries(FREQUENCY_WORDS).map(([value, label]) => ({ value, label }))}
          allowDeselect={false}
          disabled={!isLimited}
          {...form.getInputProps('LimitLeadFreq')}
        />
      </div>
      {isLimited && (
        <div className={classes.two}>
          <TextInput
            label="The limit holds from"
            description="Empty: at once. Leads before it do not count."
            type="date"
            {...form.getInputProps('LimitLeadStart')}
          />
          <TextInput
            label="The limit holds until"
            description="Empty: without end. After it there is no limit."
            type="date"
            {...form.getInputProps('LimitLeadEnd')}
          />
        </div>
      )}
      {mayPrice && (
        <>
          <Switch
            label="Least limit"
            description="The limit cannot be set below it, by you or by the client."
            {...form.getInputProps('enableMinimumLimitLeads', { type: 'checkbox' })}
          />
          {enableMinimumLimitLeads && (
            <NumberInput
              label="Least that the limit may be"
              withAsterisk
              maw={240}
              {...count}
              {...form.getInputProps('minimumLimitLeads')}
            />
          )}
        </>
      )}
    </>
  );
}

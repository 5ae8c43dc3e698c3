import { Input, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { RULE_FAULTS } from '../../../../contract/campaigns/campaign-rules.ts';
import { useMay, useUser } from '../../../api/user.ts';
import { currencyFault } from '../../../ui/currency.ts';
import { DayInput } from '../../../ui/DayInput.tsx';
import { Fields } from '../../../ui/Fields.tsx';
import { money } from '../../../ui/format.ts';
import { AudienceFields } from './AudienceFields.tsx';
import { AUDIENCE_RULES } from './audience.ts';
import { CostFields } from './CostFields.tsx';
import classes from './campaigns.module.css';
import { GroupSelect } from './GroupSelect.tsx';
import { InformationFields } from './InformationFields.tsx';
import { LimitFields } from './LimitFields.tsx';
import {
  type Campaign,
  type CampaignFormState,
  type CampaignValues,
  isSearch,
  siteFault,
  siteHostsFault,
  siteOf,
} from './model.ts';
import { MORE_RULES } from './more.ts';
import { ReportFields } from './ReportFields.tsx';
import { RuleInputsIn } from './RuleInputs.tsx';
import { leadPriceOf } from './resource.ts';
import { ScoreFields } from './ScoreFields.tsx';
import { TargetFields } from './TargetFields.tsx';
import { TARGET_RULES } from './target.ts';

/** Whether a price is above the maximum; 0 means there is no maximum. */
const isAbove = (price: string, most: string): boolean =>
  Number(most || 0) > 0 && Number(price) > Number(most);

/** Rules that apply to campaigns of some modules. */
function onlyOf<Rules extends Record<string, (value: never, all: CampaignValues) => string | null>>(
  modules: CampaignValues['module'][],
  rules: Rules,
): Rules {
  return Object.fromEntries(
    Object.entries(rules).map(([field, rule]) => [
      field,
      (value: never, all: CampaignValues) => (modules.includes(all.module) ? rule(value, all) : null),
    ]),
  ) as Rules;
}

/** The rules that the form checks itself; the server has the final say. */
export const RULES = {
  ...MORE_RULES,
  campaign_name: (value: string) =>
    !value.trim() ? 'Enter a name' : value.trim().length > 255 ? 'Use up to 255 characters' : null,
  ...onlyOf(['locator', 'enhance', 'b2b'], TARGET_RULES),
  ...onlyOf(['b2b'], AUDIENCE_RULES),
  ...onlyOf(['local'], {
    site_url: siteFault,
    thank_you_url: (value: string) => (value.trim() ? siteFault(value) : null),
    site_hosts: siteHostsFault,
  }),
  ...RULE_FAULTS,
  daily_cap: (value: number | string) =>
    value !== '' && !(Number.isInteger(Number(value)) && Number(value) >= 1 && Number(value) <= 1_000_000)
      ? 'Enter a whole number from 1 to 1,000,000, or leave it blank'
      : null,
  ends_on: (value: string, all: CampaignValues) =>
    value && all.starts_on && value < all.starts_on ? 'Choose a day on or after the first day' : null,
  lead_price: (value: string, all: CampaignValues) =>
    value && isAbove(value, all.lead_price_max)
      ? 'Enter an amount up to the maximum price per lead'
      : currencyFault(value, 6),
  lead_price_advanced: (value: string, all: CampaignValues) =>
    value && isAbove(value, all.lead_price_max)
      ? 'Enter an amount up to the maximum price per lead'
      : currencyFault(value, 6),
  lead_price_b2b: (value: string, all: CampaignValues) =>
    value && isAbove(value, all.lead_price_max)
      ? 'Enter an amount up to the maximum price per lead'
      : currencyFault(value, 6),
  lead_price_company: (value: string, all: CampaignValues) =>
    value && isAbove(value, all.lead_price_max)
      ? 'Enter an amount up to the maximum price per lead'
      : currencyFault(value, 6),
  lead_price_max: (value: string) => currencyFault(value, 6),
  monthly_fee: (value: string) => currencyFault(value, 2),
  platform_fee: (value: string) => currencyFault(value, 2),
  leads_buy: (value: number | string, all: CampaignValues) =>
    value === ''
      ? all.topup === 'continual' && (all.term || 'Prepaid') === 'Prepaid'
        ? 'Enter how many leads to buy each time'
        : null
      : Number.isInteger(Number(value)) && Number(value) >= 1 && Number(value) <= 1_000_000
        ? null
        : 'Enter a whole number from 1 to 1,000,000',
};

/** What a campaign with keywords looks for, and where. */
export function SearchFields({ form }: { form: CampaignFormState }) {
  return (
    <>
      <TargetFields
        module={form.values.module}
        values={form.values}
        errors={form.errors}
        onChange={(change) => form.setValues(change)}
        onLeave={(field) => form.validateField(field)}
      />
      <TextInput
        label="Description"
        description="What this campaign looks for, in your own words."
        maxLength={1000}
        {...form.getInputProps('description')}
      />
    </>
  );
}

/** The people a B2B ID campaign targets by job. */
export function WantedFields({ form }: { form: CampaignFormState }) {
  return (
    <AudienceFields values={form.values} errors={form.errors} onChange={(change) => form.setValues(change)} />
  );
}

/** Name, site (if it has one), and group of a campaign. */
export function NameFields({ form }: { form: CampaignFormState }) {
  /** Text that is cleaned up when the field loses focus. */
  const tidied = (field: 'site_url' | 'thank_you_url', tidy: (text: string) => string) => ({
    ...form.getInputProps(field),
    onBlur: () => {
      const text = form.getValues()[field];
      if (tidy(text) !== text) form.setFieldValue(field, tidy(text));
      form.validateField(field);
    },
  });
  return (
    <>
      <TextInput
        label="Name"
        description="Visible only to you and your team."
        withAsterisk
        maxLength={255}
        {...form.getInputProps('campaign_name')}
      />
      {!isSearch(form.values.module) && (
        <>
          <TextInput
            label="Site"
            description="The address of the site with the pixel."
            placeholder="https://www.example.com"
            withAsterisk
            inputMode="url"
            maxLength={2048}
            {...tidied('site_url', siteOf)}
          />
          <TextInput
            label="Thank-you page"
            description="People who reach this page have bought or signed up and no longer become leads. Install the pixel on this page too."
            placeholder="https://www.example.com/thank-you"
            inputMode="url"
            maxLength={2048}
            {...tidied('thank_you_url', siteOf)}
          />
          <Textarea
            label="Other domains"
            description="Other domains with the pixel, one per line. Use *.example.com to include all subdomains. Visits from any other site are refused."
            placeholder="shop.example.com"
            autosize
            minRows={1}
            maxRows={6}
            {...form.getInputProps('site_hosts')}
          />
        </>
      )}
      <GroupSelect form={form} />
    </>
  );
}

/** What must be known about a person. */
export const NeedFields = ({ form }: { form: CampaignFormState }) => (
  <RuleInputsIn part="needs" form={form} />
);

/** Whom the campaign wants, whatever led to them. */
export const FitFields = ({ form }: { form: CampaignFormState }) => (
  <Stack gap="sm">
    <Text size="sm" c="dimmed">
      Fields left blank include everyone.
    </Text>
    <Fields>
      <RuleInputsIn part="fits" form={form} />
    </Fields>
  </Stack>
);

/** Which visits become leads: repeats, required confidence, how many, and when. */
export function WhichFields({ form }: { form: CampaignFormState }) {
  return (
    <>
      <RuleInputsIn part="which" form={form} />
      <LimitFields form={form} />
      <Fields>
        <DayInput
          label="First day"
          description="Leave blank to start immediately."
          {...form.getInputProps('starts_on')}
        />
        <DayInput
          label="Last day"
          description="Leave blank for no end date."
          {...form.getInputProps('ends_on')}
        />
      </Fields>
    </>
  );
}

/** The fields of a campaign's setup. `children` come first: the client for a new campaign. */
export function CampaignFields(props: {
  form: CampaignFormState;
  isNew: boolean;
  /** The campaign, if there is one. */
  campaignId?: string;
  planned?: Campaign['planned_costs'];
  children?: ReactNode;
}) {
  const { form } = props;
  const mayPrice = useMay('campaign.price');
  const user = useUser();
  const module = form.values.module;
  const client = user.company_kind === 'client' ? user.company_id : form.values.company_id;
  return (
    <>
      <section className={classes.section}>
        <Stack gap="md">
          {props.children}
          <NameFields form={form} />
          {isSearch(module) && <SearchFields form={form} />}
        </Stack>
      </section>
      {module === 'b2b' && (
        <section className={classes.section}>
          <Title order={3} mb="sm">
            Target audience
          </Title>
          <WantedFields form={form} />
        </section>
      )}
      <section className={classes.section}>
        <Title order={3} mb="sm">
          What a lead includes
        </Title>
        <InformationFields form={form} client={client} />
      </section>
      <section className={classes.section}>
        <Title order={3} mb="sm">
          Lead requirements
        </Title>
        <Stack gap="sm">
          <NeedFields form={form} />
        </Stack>
      </section>
      <section className={classes.section}>
        <Title order={3} mb="sm">
          Filter
        </Title>
        <FitFields form={form} />
      </section>
      <section className={classes.section}>
        <Title order={3} mb="sm">
          {isSearch(module) ? 'Which people become leads' : 'Which visits become leads'}
        </Title>
        <Stack gap="md">
          <WhichFields form={form} />
        </Stack>
      </section>
      <section className={classes.section}>
        <Title order={3} mb="sm">
          Score
        </Title>
        <ScoreFields form={form} campaignId={props.campaignId} />
      </section>
      <section className={classes.section}>
        <ReportFields form={form} />
      </section>
      <section className={classes.section}>
        {mayPrice ? (
          <CostFields form={form} isNew={props.isNew} planned={props.planned ?? []} />
        ) : (
          <Input.Wrapper label="Price per lead" description="Set by your agency.">
            <div className="num">
              {props.isNew ? 'As agreed' : money(leadPriceOf(form.values, form.values), { unit: true })}
            </div>
          </Input.Wrapper>
        )}
      </section>
    </>
  );
}

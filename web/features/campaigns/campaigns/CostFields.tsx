import { Input, NumberInput, Select, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { COST_FIELDS, COST_TERMS, type CostPart, PAYMENT_TERMS } from '../../../../contract/choices.ts';
import { microsTyped } from '../../../../contract/dollars.ts';
import { messages } from '../../../../contract/messages.ts';
import { priceOf } from '../../../../contract/money/lead-price.ts';
import { api } from '../../../api/client.ts';
import { useMay, useUser } from '../../../api/user.ts';
import { CurrencyInput } from '../../../ui/CurrencyInput.tsx';
import { DayInput } from '../../../ui/DayInput.tsx';
import { Fields } from '../../../ui/Fields.tsx';
import { exactTime, money } from '../../../ui/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { None } from '../../../ui/Values.tsx';
import { type AMOUNTS, type Campaign, type CampaignFormState, marginOf } from './model.ts';
import { resourceQuery } from './resource.ts';

type Wholesale = Record<string, Record<string, Record<string, string>>>;

/**
 * Returns what the agency itself pays for a lead of a module at a payment term, with data fields or without, and for a
 * company; undefined while it is unknown.
 */
function useWholesale(
  module: Campaign['module'],
  term: string,
  asksMore: boolean,
  mayKnow: boolean,
): { lead: string | undefined; company: string | undefined } {
  const user = useUser();
  const query = useQuery({
    queryKey: ['setting', user.company_id, 'agency_costs'],
    queryFn: ({ signal }) =>
      api.settings.get({ company_id: user.company_id, setting: 'agency_costs' }, { signal }),
    staleTime: 60_000,
    enabled: mayKnow,
  });
  const key = Object.entries(COST_TERMS).find(([, name]) => name === term)?.[0] ?? '';
  const fees = (query.data?.data as Wholesale | undefined)?.[module]?.[key];
  const of = (part: CostPart) =>
    fees?.[Object.entries(COST_FIELDS[module]).find(([, one]) => one === part)?.[0] ?? ''];
  // Site ID leads with personal data have their own cost, if one is set.
  const lead = asksMore && Number(of('advanced') ?? 0) > 0 ? of('advanced') : of('lead');
  return { lead, company: of('company') };
}

/** What the client pays (spec product 3, Module cost fields), for agencies, shown next to their margin. */
export function CostFields(props: {
  form: CampaignFormState;
  isNew: boolean;
  planned: Campaign['planned_costs'];
}) {
  const { form, isNew } = props;
  const term = form.values.term || 'Prepaid';
  const mayKnow = useMay('cost.read');
  const {
    module,
    company_id,
    advance_information: advanceInformation,
    b2b_information: b2bInformation,
  } = form.values;
  const { lead: wholesale, company: wholesaleCompany } = useWholesale(
    module,
    term,
    advanceInformation.length > 0,
    mayKnow,
  );
  const resource = useQuery(resourceQuery(company_id, module)).data;
  const least = resource?.cost_minimums[term];
  const hasLeast = Number(least ?? 0) > 0;
  // A blank field uses the client's default.
  const blankAs = (
    field: 'lead_price' | 'lead_price_advanced' | 'lead_price_b2b' | 'lead_price_company',
  ): string => form.values[field] || (isNew && resource ? resource[field] : '');
  const own = priceOf(
    {
      lead_price: blankAs('lead_price'),
      lead_price_advanced: blankAs('lead_price_advanced'),
      lead_price_b2b: blankAs('lead_price_b2b'),
    },
    { advance_information: advanceInformation, b2b_information: b2bInformation },
  );
  const margin = marginOf(own, wholesale);
  const isWithCompanies = module === 'local' && form.values.company_leads;
  const companyMargin = isWithCompanies
    ? marginOf(blankAs('lead_price_company'), wholesaleCompany)
    : undefined;
  /** The price for the data that the module's campaigns may ask for. */
  const rich = module === 'b2b' ? ('lead_price_b2b' as const) : ('lead_price_advanced' as const);
  const usual = isNew ? 'Leave blank for this client’s default.' : undefined;
  const amount = (field: (typeof AMOUNTS)[number]) => ({
    ...form.getInputProps(field),
    mayBeEmpty: isNew,
  });
  return (
    <>
      <Title order={3} mb="sm">
        What the client pays
      </Title>
      <Stack gap="md">
        <Fields>
          <Select
            label="Payment term"
            description={usual}
            placeholder="Default"
            allowDeselect={isNew}
            data={[...PAYMENT_TERMS]}
            {...form.getInputProps('term')}
            value={form.values.term || null}
            onChange={(value) => form.setFieldValue('term', value ?? '')}
          />
          <CurrencyInput
            label="Price per lead"
            description={
              isNew
                ? resource
                  ? `Leave blank for ${money(microsTyped(resource.lead_price), { unit: true })}, the default price for this client.`
                  : 'Leave blank for the default price for this client.'
                : 'In US dollars, up to six decimal places.'
            }
            {...amount('lead_price')}
            minimum={least}
          />
          <CurrencyInput
            label={module === 'b2b' ? 'Price with company data' : 'Price with personal data'}
            description={
              isNew
                ? 'For leads with data fields. Leave blank for the default.'
                : 'For leads with data fields. Enter 0 to use the price per lead.'
            }
            {...amount(rich)}
            minimum={Number(form.values[rich]) > 0 ? least : undefined}
          />
          {module === 'local' && (
            <CurrencyInput
              label="Price per company"
              description="For companies without a person, if the campaign includes them."
              {...amount('lead_price_company')}
            />
          )}
          {mayKnow && (
            <div aria-live="polite">
              <Text size="sm" fw={500}>
                Your margin per lead
              </Text>
              <Input.Description>Price minus what you pay.</Input.Description>
              <Text mt={8} className="num">
                {margin === undefined ? (
                  isNew && company_id === '' ? (
                    'Choose a client first'
                  ) : (
                    <None />
                  )
                ) : (
                  money(margin, { unit: true })
                )}
                {margin !== undefined && (
                  <Text span size="sm" c="dimmed">
                    {' '}
                    ({money(microsTyped(own), { unit: true })} less{' '}
                    {money(microsTyped(wholesale ?? '0'), { unit: true })})
                  </Text>
                )}
              </Text>
            </div>
          )}
        </Fields>
        {hasLeast && (
          <Text size="sm" c="dimmed">
            {messages.costPerLeadMinimum.replace('{amount}', money(microsTyped(least!), { unit: true }))}
          </Text>
        )}
        {margin !== undefined && margin < 0 && (
          <Notice tone="warn" live="status" title="The margin is negative">
            Each lead costs you {money(-margin, { unit: true })} more than the client pays for it.
          </Notice>
        )}
        {companyMargin !== undefined && companyMargin < 0 && (
          <Notice tone="warn" live="status" title="The margin on companies is negative">
            Each company costs you {money(-companyMargin, { unit: true })} more than the client pays for it.
          </Notice>
        )}
        <Fields>
          <CurrencyInput
            label="Monthly fee"
            description={usual ?? 'Charged in addition to leads.'}
            {...amount('monthly_fee')}
          />
          <CurrencyInput
            label="One-time setup fee"
            description={usual ?? 'Charged at the start.'}
            {...amount('platform_fee')}
          />
          <CurrencyInput
            label="Maximum price per lead"
            description="Enter 0 for no limit."
            {...amount('lead_price_max')}
          />
        </Fields>
        {(term === 'Prepaid' || term === 'One Time') && (
          <Fields>
            {term === 'Prepaid' && (
              <Select
                label="Top-up"
                description="Whether leads are bought again when they are used up."
                placeholder="Default"
                allowDeselect={isNew}
                data={[
                  { value: 'onetime', label: 'Once' },
                  { value: 'continual', label: 'Continual' },
                ]}
                {...form.getInputProps('topup')}
                value={form.values.topup || null}
                onChange={(value) => form.setFieldValue('topup', (value ?? '') as 'onetime')}
              />
            )}
            <NumberInput
              label={term === 'Prepaid' ? 'Leads per purchase' : 'Leads bought once'}
              description={
                form.values.topup === 'continual' && term === 'Prepaid'
                  ? 'This many leads are bought again whenever less than 10% of their price is left.'
                  : 'Leave blank for no fixed number.'
              }
              min={1}
              max={1_000_000}
              allowDecimal={false}
              allowNegative={false}
              thousandSeparator=","
              hideControls
              {...form.getInputProps('leads_buy')}
            />
          </Fields>
        )}
        {!isNew && (
          <DayInput
            label="Costs effective from"
            description="The day changed costs take effect. Leave blank to apply them now. Leads already sold keep their price."
            maw={240}
            {...form.getInputProps('effective_from')}
          />
        )}
        {props.planned.length > 0 && (
          <Notice tone="info" title="Planned">
            {props.planned.map((plan) => (
              <div key={plan.effective_from}>
                From {exactTime(plan.effective_from)}: {plan.term},{' '}
                {money(microsTyped(plan.lead_price), { unit: true })} per lead,{' '}
                {money(microsTyped(plan.monthly_fee))} per month
              </div>
            ))}
          </Notice>
        )}
      </Stack>
    </>
  );
}

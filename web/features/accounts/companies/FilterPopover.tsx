import { Checkbox, Stack } from '@mantine/core';
import type { CompanyFilter } from '../../../../contract/accounts/companies.ts';
import { FilterButton } from '../../../ui/FilterButton.tsx';

/** The label of each filter (spec product 2). */
export const FILTER_WORDS: Record<CompanyFilter, string> = {
  direct_payment: 'Direct Payment',
  payment_failed: 'Payment Failed',
  api_key_generated: 'API Key Generated',
  developer_mode_enabled: 'Developer Mode Enabled',
  beta_user: 'Beta Features',
  no_white_labelling: 'No White Labeling',
  excluded_minimum_spend: 'Excluded from Minimum Spend',
  minimum_spend_plan: 'Custom Minimum Spend Plan',
  out_of_balance: 'Out of Balance',
};

/** The known filters among those in the address. */
export const filtersIn = (text: string | undefined): CompanyFilter[] =>
  (text ?? '').split(',').filter((one): one is CompanyFilter => Object.hasOwn(FILTER_WORDS, one));

/** Filters agencies by kind; the developer API group is for the root company only. */
export function FilterPopover(props: {
  value: CompanyFilter[];
  onChange: (value: CompanyFilter[]) => void;
  isRoot: boolean;
}) {
  const box = (filter: CompanyFilter) => (
    <Checkbox key={filter} value={filter} label={FILTER_WORDS[filter]} />
  );
  return (
    <FilterButton label="Filter agencies">
      <Checkbox.Group
        aria-label="Filter agencies"
        value={props.value}
        onChange={(value) => props.onChange(value as CompanyFilter[])}
      >
        <Stack gap="sm">
          {box('direct_payment')}
          {box('payment_failed')}
          {box('out_of_balance')}
          {box('no_white_labelling')}
          {box('beta_user')}
          {box('minimum_spend_plan')}
          {box('excluded_minimum_spend')}
          {props.isRoot && (
            <fieldset style={{ border: 0, margin: 0, padding: 0 }}>
              <legend style={{ padding: 0, marginBottom: 8, fontSize: 12, fontWeight: 600 }}>
                Developer Api
              </legend>
              <Stack gap="sm">
                {box('api_key_generated')}
                {box('developer_mode_enabled')}
              </Stack>
            </fieldset>
          )}
        </Stack>
      </Checkbox.Group>
    </FilterButton>
  );
}

import { INFORMATION_FIELDS } from '../../../../contract/audience/enrichment-fields.ts';
import { DATA_PREFIX, LEAD_FIELDS } from '../../../../contract/campaigns/destinations.ts';

/** The choice of a text that is the same for every lead. */
export const FIXED = 'fixed';

/** What can fill a field, as groups of a select. */
export const LEAD_SOURCES = [
  {
    group: 'Lead',
    items: Object.entries(LEAD_FIELDS).map(([value, label]) => ({ value, label: label as string })),
  },
  {
    group: 'Data fields, if the campaign requests them',
    items: INFORMATION_FIELDS.filter(({ key }) => !(key in LEAD_FIELDS)).map(({ key, name }) => ({
      value: DATA_PREFIX + key,
      label: name as string,
    })),
  },
];

export const FIXED_CHOICE = { value: FIXED, label: 'Fixed text…' };

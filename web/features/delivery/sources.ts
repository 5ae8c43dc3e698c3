import { DATA_PREFIX, LEAD_FIELDS } from '../../../contract/destinations.ts';
import { INFORMATION_FIELDS } from '../../../contract/enrichment-fields.ts';

/** What can be known about a lead, as the groups of a select. */
export const FIELD_GROUPS = [
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

import type { ModuleType } from '../../../contract/choices.ts';
import { ApiError } from '../../api/errors.ts';
import { type CampaignValues, siteOf } from './model.ts';

/** The products, and what each goes by. */
export const KINDS: { module: ModuleType; name: string; text: string }[] = [
  {
    module: 'local',
    name: 'Site ID',
    text: 'Recognises the visitors of a site that carries your tag. Those whom the people data knows become leads.',
  },
  {
    module: 'locator',
    name: 'Search ID',
    text: 'Finds people who have shown interest in your keywords, anywhere or where you want them to live.',
  },
  {
    module: 'enhance',
    name: 'Enhance ID',
    text: 'Completes what is known of the people you reach with the data fields that you choose.',
  },
  {
    module: 'b2b',
    name: 'B2B ID',
    text: 'Brings people with the company they work for, and what is known of it.',
  },
  { module: 'simplifi', name: 'Simplifi ID', text: 'Shows your advertising to the people you choose.' },
];

export type StepKey = 'kind' | 'site' | 'leads' | 'told' | 'review';

/** Which fields are checked before a step is left forward. */
export const STEP_FIELDS: Record<StepKey, (keyof CampaignValues)[]> = {
  kind: [],
  site: ['companyID', 'campaignName', 'urlCode', 'urlCodeThankyou', 'companyGroupID'],
  leads: [
    'reidentificationtype',
    'minConfidence',
    'LimitLead',
    'LimitLeadFreq',
    'LimitLeadStart',
    'LimitLeadEnd',
    'minimumLimitLeads',
    'startDate',
    'endDate',
  ],
  told: ['leadsAmountNotification', 'adminNotifyTo', 'report', 'reportSentTo'],
  review: ['CostSet', 'CostMaxLead', 'CostMonth', 'PlatformFee', 'PaymentTerm', 'topupoptions', 'leadsbuy'],
};

/** The first step with a field that the server refused; undefined: none of them has it. */
export function firstWrongStep(error: unknown): StepKey | undefined {
  const fields = error instanceof ApiError ? Object.keys(error.errors) : [];
  return (Object.keys(STEP_FIELDS) as StepKey[]).find((key) =>
    fields.some((field) => (STEP_FIELDS[key] as string[]).includes(field.split('.')[0]!)),
  );
}

/** What a lead of a campaign will contain, by an example, and what of it is always there. */
export function contentsOf(
  values: Pick<
    CampaignValues,
    'requireemailaddress' | 'phoneenabled' | 'homeaddressenabled' | 'urlCode' | 'minConfidence'
  >,
): { field: string; example: string; isSure: boolean }[] {
  return [
    { field: 'Name', example: 'Ada Example', isSure: false },
    { field: 'E-mail', example: 'ada@people.example', isSure: values.requireemailaddress },
    { field: 'Phone', example: '+1 202 555 0123', isSure: values.phoneenabled },
    {
      field: 'Address',
      example: '1 Example Street, Springfield, IL 62701',
      isSure: values.homeaddressenabled,
    },
    { field: 'Company and job', example: 'Example Company, Tester', isSure: false },
    { field: 'Page', example: siteOf(values.urlCode) || 'https://www.example.com', isSure: true },
    {
      field: 'Matched by',
      example: `Why it is this person, ${values.minConfidence || 0} % sure or more`,
      isSure: true,
    },
  ];
}

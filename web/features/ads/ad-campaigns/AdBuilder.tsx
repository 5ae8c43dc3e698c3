import { Button, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { microsTyped, usd } from '../../../../contract/dollars.ts';
import { messages } from '../../../../contract/messages.ts';
import { modulePath } from '../../../../contract/routing/routing.ts';
import { api } from '../../../api/client.ts';
import { useMay, useUser } from '../../../api/user.ts';
import { money } from '../../../ui/format.ts';
import { focusFirstWrong, showFormError } from '../../../ui/forms.ts';
import { notifyDone } from '../../../ui/notify.ts';
import { useLeaveGuard } from '../../../ui/useLeaveGuard.ts';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { Wizard } from '../../../ui/Wizard.tsx';
import { stepAfter, stepAt } from '../../../ui/wizard.ts';
import { ClientSelect } from '../../campaigns/campaigns/ClientSelect.tsx';
import { AdAudienceFields, AdBudgetFields, AdNameFields } from './AdFields.tsx';
import { AD_RULES, type AdValues, adInputOf, NEW_AD } from './model.ts';

const FIELDS = {
  campaign: ['company_id', 'campaign_name', 'starts_on', 'ends_on'],
  budget: [
    'max_bid',
    'daily_budget',
    'monthly_budget',
    'total_budget',
    'goal_type',
    'goal_value',
    'agency_markup',
  ],
  audience: [
    'audiences',
    'excluded_audiences',
    'states',
    'cities',
    'zips',
    'areas',
    'frequency_cap',
    'frequency_hours',
    'click_days',
    'view_hours',
  ],
} as const satisfies Record<string, readonly (keyof AdValues)[]>;
type StepKey = keyof typeof FIELDS;

/** The steps of a new ad campaign in 'Build Your Campaign'. */
export default function AdBuilder({ slug, onOther }: { slug: string; onOther: () => void }) {
  const user = useUser();
  const mayPrice = useMay('campaign.price');
  const needsClient = user.company_kind !== 'client';
  const [params, set] = useSearchParams();
  const navigate = useNavigate();
  const client = useQueryClient();
  const [passed, setPassed] = useState<StepKey[]>([]);
  const [isSaving, setSaving] = useState(false);
  const least = useQuery({
    queryKey: ['ads', 'minimums'],
    queryFn: ({ signal }) => api.adCampaigns.minimums(undefined, { signal }),
  }).data;
  const form = useForm<AdValues>({
    initialValues: NEW_AD,
    validateInputOnBlur: true,
    validate: { ...AD_RULES, company_id: (value) => (needsClient && !value ? 'Choose a client' : null) },
  });
  const free = useLeaveGuard(form.isDirty(), 'The campaign that you are building is not saved yet.', []);

  const save = async () => {
    const values = form.getValues();
    setSaving(true);
    try {
      const { data } = await api.adCampaigns.create({
        ...adInputOf(values, mayPrice),
        channel: values.channel,
        ...(needsClient ? { company_id: values.company_id } : {}),
      });
      await client.invalidateQueries({ queryKey: ['ads'] });
      notifyDone(messages.added);
      free();
      await navigate({ to: `${modulePath(slug, 'campaign-management')}?ad=${data.campaign_id}` as '/' });
    } catch (error) {
      const wrong = (Object.keys(FIELDS) as StepKey[]).find((key) =>
        FIELDS[key].some((field) => Object.keys((error as { errors?: object }).errors ?? {}).includes(field)),
      );
      if (wrong) set({ step: wrong });
      showFormError(form, error);
    } finally {
      setSaving(false);
    }
  };
  const submit = (key: StepKey) => async (event: FormEvent) => {
    event.preventDefault();
    const wrong = Object.fromEntries(
      FIELDS[key].flatMap((field) => {
        const { hasError, error } = form.validateField(field);
        return hasError ? [[field, error]] : [];
      }),
    );
    if (Object.keys(wrong).length > 0) return focusFirstWrong(form, wrong);
    const next = stepAfter(steps, key);
    setPassed([...new Set([...passed, key])]);
    if (next) return set({ step: next.key }, { push: true });
    await save();
  };
  const step = (key: StepKey, title: string, line: string, content: ReactNode) => ({
    key,
    title,
    line,
    isDone: passed.includes(key),
    content: (formId: string) => (
      <form id={formId} noValidate onSubmit={submit(key)}>
        {content}
      </form>
    ),
  });
  const steps = [
    step(
      'campaign',
      'Campaign',
      'Who the ads are for, where they are shown, and when.',
      <>
        <Button variant="transparent" px={0} size="compact-sm" mb="sm" onClick={onOther}>
          Choose another product
        </Button>
        {needsClient && <ClientSelect {...form.getInputProps('company_id')} />}
        <AdNameFields form={form} isNew />
      </>,
    ),
    step(
      'budget',
      'Budget',
      'What the client pays at most. No day, month, or campaign costs more than this.',
      <>
        <AdBudgetFields form={form} mayPrice={mayPrice} />
        {least && Number(least.minimum_bid) + Number(least.minimum_daily) > 0 && (
          <Text size="sm" c="dimmed" mt="sm">
            The platform’s minimums: a bid of {usd(microsTyped(least.minimum_bid))},{' '}
            {usd(microsTyped(least.minimum_daily))} a day, {usd(microsTyped(least.minimum_monthly))} a month.
          </Text>
        )}
      </>,
    ),
    step(
      'audience',
      'Audience',
      'Who sees the ads, and for how long a lead counts as theirs.',
      <AdAudienceFields form={form} companyId={needsClient ? form.values.company_id : user.company_id} />,
    ),
  ];
  const { max_bid, daily_budget } = form.values;
  const bought = Number(max_bid) > 0 ? Math.floor((Number(daily_budget) / Number(max_bid)) * 1000) : 0;
  return (
    <Wizard
      label="Ad campaign steps"
      steps={steps}
      at={stepAt(steps, params.step ?? 'campaign')}
      onAt={(key) => set({ step: key }, { push: true })}
      busy={isSaving}
      finish="Save as draft"
      aside={
        <div className="card" style={{ padding: 'var(--mantine-spacing-md)' }}>
          <Text fw={600}>What it costs</Text>
          <Text size="sm" mt="xs">
            Up to {money(microsTyped(daily_budget))} a day for at least {bought.toLocaleString('en-US')}{' '}
            impressions.
          </Text>
          <Text size="sm" c="dimmed" mt="xs">
            Ads are paid from the campaign’s prepaid balance. After saving, add images and a balance, then
            activate it.
          </Text>
        </div>
      }
    />
  );
}

import { Button, Group, Input, Radio, Stack, Switch, Text, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { ModuleType } from '../../../../contract/choices.ts';
import { microsTyped } from '../../../../contract/dollars.ts';
import { messages } from '../../../../contract/messages.ts';
import { modulePath } from '../../../../contract/routing/routing.ts';
import { modulesOf, type ShownModule } from '../../../../contract/routing/routing-facts.ts';
import { api } from '../../../api/client.ts';
import { useFacts, useMay, useUser } from '../../../api/user.ts';
import { lazyPage } from '../../../ui/chunk.ts';
import { money, num } from '../../../ui/format.ts';
import { focusFirstWrong, showFormError } from '../../../ui/forms.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone } from '../../../ui/notify.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { SkeletonRows } from '../../../ui/SkeletonRows.tsx';
import { EmptyState, ErrorState } from '../../../ui/states.tsx';
import { useLeaveGuard } from '../../../ui/useLeaveGuard.ts';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { Wizard } from '../../../ui/Wizard.tsx';
import { stepAfter, stepAt } from '../../../ui/wizard.ts';
import {
  FitFields,
  NameFields,
  NeedFields,
  RULES,
  SearchFields,
  WantedFields,
  WhichFields,
} from './CampaignForm.tsx';
import { ClientSelect } from './ClientSelect.tsx';
import { CostFields } from './CostFields.tsx';
import classes from './campaigns.module.css';
import { InformationFields } from './InformationFields.tsx';
import { type CampaignFormState, type CampaignValues, NEW_VALUES, newInputOf } from './model.ts';
import { LOST, useCampaignChanged, useMayAdd } from './queries.ts';
import { ReportFields } from './ReportFields.tsx';
import { leadPriceOf, type Resource, resourceQuery } from './resource.ts';
import { ScoreFields } from './ScoreFields.tsx';
import { SetupSummary } from './SetupSummary.tsx';
import { firstWrongStep, KINDS, type Module, STEP_FIELDS, STEPS, type StepKey } from './setup.model.ts';

const AdBuilder = lazyPage(() => import('../../ads/ad-campaigns/AdBuilder.tsx'));

/** 'Build Your Campaign' (spec product 2: /campaign-setup): step by step, with its price and what a lead will contain. */
export default function CampaignSetupPage() {
  const mayCreate = useMayAdd();
  const facts = useFacts();
  const [params, set] = useSearchParams();
  const modules = modulesOf(facts).filter(({ module }) => module !== 'simplifi');
  const ads = modulesOf(facts).find(({ module }) => module === 'simplifi');
  const isAds = ads !== undefined && (params.product === 'ads' || !modules[0]);
  return (
    <>
      <PageHeader
        title="Build Your Campaign"
        line={`${isAds ? 'Three' : 'Four'} steps. Nothing is saved until the end.`}
      />
      {mayCreate && isAds ? (
        <AdBuilder slug={ads.slug} onOther={() => set({ product: undefined, step: undefined })} />
      ) : mayCreate && modules[0] ? (
        <Builder modules={modules} first={modules[0].module as Module} />
      ) : (
        <div className="card">
          <EmptyState
            title="You can’t build campaigns here"
            text={
              mayCreate
                ? 'You don’t have any of the products with leads. Your platform can add one.'
                : 'Only agencies and their clients can build campaigns.'
            }
          />
        </div>
      )}
    </>
  );
}

function Builder({ modules, first }: { modules: ShownModule[]; first: Module }) {
  const user = useUser();
  const [params, set] = useSearchParams();
  const navigate = useNavigate();
  const changed = useCampaignChanged();
  const mayPrice = useMay('campaign.price');
  const needsClient = user.company_kind !== 'client';
  const [begins, setBegins] = useState(false);
  const [passed, setPassed] = useState<StepKey[]>([]);
  const form = useForm<CampaignValues>({
    initialValues: { ...NEW_VALUES, module: first },
    validateInputOnBlur: true,
    validate: { ...RULES, company_id: (value) => (needsClient && !value ? 'Choose a client' : null) },
  });
  const free = useLeaveGuard(form.isDirty(), LOST, []);
  const client = needsClient ? form.values.company_id : user.company_id;
  const module = form.values.module;
  const resource = useQuery(resourceQuery(client, module));

  const save = async () => {
    try {
      const { data } = await api.campaigns.create({
        ...newInputOf(form.getValues(), mayPrice),
        module: module,
        ...(needsClient ? { company_id: client } : {}),
        draft: begins ? 'F' : 'T',
      });
      changed(data.campaign_id, data);
      notifyDone(messages.added);
      free();
      await navigate({
        to: `${modulePath(modules.find((one) => one.module === module)!.slug, 'campaign-management')}?campaign=${data.campaign_id}&tab=${module === 'local' ? 'install' : 'keywords'}` as '/',
      });
    } catch (error) {
      const wrong = firstWrongStep(error);
      if (wrong) set({ step: wrong });
      showFormError(form, error);
    }
  };
  /** Checks the step's own fields before moving on. */
  const submit = (key: StepKey) => async (event: FormEvent) => {
    event.preventDefault();
    const wrong = Object.fromEntries(
      STEP_FIELDS[key].flatMap((field) => {
        const { hasError, error } = form.validateField(field);
        return hasError ? [[field, error]] : [];
      }),
    );
    if (Object.keys(wrong).length > 0) return focusFirstWrong(form, wrong);
    const next = stepAfter(steps, key);
    setPassed([...new Set([...passed, key])]);
    if (next) return set({ step: next.key }, { push: true });
    setSaving(true);
    await save();
    setSaving(false);
  };
  const [isSaving, setSaving] = useState(false);
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
      'The product, who the campaign is for, and what you call it.',
      <Stack gap="md">
        <Kinds
          value={module}
          onChange={(next) => {
            form.setFieldValue('module', next);
            form.clearErrors();
            // Another product asks for other things in the steps after this one.
            setPassed([]);
          }}
        />
        {needsClient && <ClientSelect {...form.getInputProps('company_id')} />}
        <NameFields form={form} />
      </Stack>,
    ),
    step(
      'audience',
      'Audience',
      module === 'local'
        ? 'Which of the site’s visitors you want. Leave everything blank to include everyone.'
        : 'What people looked for, where, and who they are.',
      <>
        {module !== 'local' && (
          <Part title="Keywords and places">
            <SearchFields form={form} />
          </Part>
        )}
        {module === 'b2b' && (
          <Part title="Target audience">
            <WantedFields form={form} />
          </Part>
        )}
        <Part title="Filter">
          <FitFields form={form} />
        </Part>
      </>,
    ),
    step(
      'leads',
      'Leads',
      'What leads include, how many you get, and who is notified.',
      <>
        <Part title="What a lead includes">
          <InformationFields form={form} client={client} />
        </Part>
        <Part title="Lead requirements">
          <NeedFields form={form} />
        </Part>
        <Part title={module === 'local' ? 'Which visits become leads' : 'Which people become leads'}>
          <WhichFields form={form} />
        </Part>
        <Part title="Score">
          <ScoreFields form={form} />
        </Part>
        <Part>
          <ReportFields form={form} />
        </Part>
      </>,
    ),
    step(
      'price',
      'Price',
      'What the campaign costs, and when it starts.',
      <>
        {mayPrice && (
          <Part>
            <CostFields form={form} isNew planned={[]} />
          </Part>
        )}
        <Part>
          <Price form={form} resource={resource} />
          <Switch
            label="Start immediately"
            description="If off, the campaign is saved as a paused draft until someone activates it."
            checked={begins}
            onChange={(event) => setBegins(event.currentTarget.checked)}
          />
        </Part>
      </>,
    ),
  ];
  const at = stepAt(steps, params.step ?? STEPS[0]);
  return (
    <Wizard
      label="Campaign steps"
      steps={steps}
      at={at}
      onAt={(key) => set({ step: key }, { push: true })}
      busy={isSaving}
      finish={begins ? 'Save and start' : 'Save as draft'}
      aside={
        <SetupSummary
          form={form}
          client={client}
          resource={resource.data}
          counts={steps.some(({ key, isDone }) => key === 'audience' && isDone)}
          at={steps[at]!.key}
        />
      }
    />
  );
}

/** A part of a step, under its own heading. */
const Part = ({ title, children }: { title?: string; children: ReactNode }) => (
  <section className={classes.section}>
    {title && (
      <Title order={3} mb="sm">
        {title}
      </Title>
    )}
    <Stack gap="md">{children}</Stack>
  </section>
);

/** The products, each with what it targets by. */
function Kinds({ value, onChange }: { value: Module; onChange: (module: Module) => void }) {
  const [, set] = useSearchParams();
  const facts = useFacts();
  const modules = modulesOf(facts);
  const label = (module: ModuleType, text: string, name: string) => (
    <div>
      <Text fw={600} component="span">
        {modules.find((one) => one.module === module)?.name ?? name}
      </Text>
      <Text size="sm" c="dimmed" mt={4}>
        {text}
      </Text>
    </div>
  );
  const has = (module: ModuleType) => modules.some((one) => one.module === module);
  // Advertising is for one platform only (spec product 6), and B2B ID is in trial: users without them don't need to
  // know about them.
  const without = KINDS.filter(({ module }) => module !== 'simplifi' && !has(module) && module !== 'b2b');
  return (
    <>
      <Radio.Group aria-label="Products" value={value} onChange={(next) => onChange(next as Module)}>
        <div className={classes.kinds}>
          {KINDS.filter(({ module }) => module !== 'simplifi' && has(module)).map(
            ({ module, name, text }) => (
              <Radio.Card key={module} value={module} className={classes.kind!}>
                <div className={classes.kindHead}>
                  <Radio.Indicator />
                  {label(module, text, name)}
                </div>
              </Radio.Card>
            ),
          )}
        </div>
      </Radio.Group>
      {without.length > 0 && (
        <Text size="sm" c="dimmed">
          Not included in your products: {without.map(({ name }) => name).join(', ')}.
        </Text>
      )}
      {has('simplifi') && (
        <div className={`card ${classes.kind}`}>
          <Group justify="space-between" gap="sm">
            {label('simplifi', 'Shows your ads to the people you choose.', 'Simplifi ID')}
            <Button
              variant="default"
              onClick={() => set({ product: 'ads', step: undefined }, { push: true })}
            >
              Build an ad campaign
            </Button>
          </Group>
        </div>
      )}
    </>
  );
}

interface Loaded {
  data: Resource | undefined;
  error: unknown;
  refetch: () => unknown;
}

/** What a lead costs, the maximum total cost, and what is required before the first lead. */
function Price({ form, resource }: { form: CampaignFormState; resource: Loaded }) {
  const { monthly_fee, platform_fee, daily_cap, limit_every } = form.values;
  if (resource.error)
    return (
      <ErrorState
        error={resource.error}
        what="The price could not be loaded"
        onRetry={() => void resource.refetch()}
      />
    );
  const kept = resource.data;
  if (!kept) return <SkeletonRows />;
  if (!kept.is_priced)
    return (
      <Input.Wrapper label="Price" labelElement="div">
        <Notice tone="info" title="Your agency sets the price">
          It has not set one for this product yet. You can save the campaign now. It starts once there is a
          price.
        </Notice>
      </Input.Wrapper>
    );
  const price = leadPriceOf(form.values, kept);
  const limit = daily_cap === '' ? kept.daily_cap : Number(daily_cap);
  const term = form.values.term || kept.term;
  return (
    <Input.Wrapper label="Price" labelElement="div">
      <dl className={classes.facts}>
        <div>
          <dt>Per lead</dt>
          <dd className="num">{price === 0 ? 'Free' : money(price, { unit: true })}</dd>
        </div>
        <div>
          <dt>Maximum</dt>
          <dd className="num">
            {limit === null || limit === undefined
              ? 'No lead limit is set'
              : `${money(price * limit)} for ${num(limit)} leads a ${daily_cap === '' ? kept.limit_every : limit_every}`}
          </dd>
        </div>
        {[
          ['Per month', monthly_fee || kept.monthly_fee],
          ['One-time setup fee', platform_fee || kept.platform_fee],
        ].map(([name, amount]) =>
          microsTyped(amount!) > 0 ? (
            <div key={name}>
              <dt>{name}</dt>
              <dd className="num">{money(microsTyped(amount!))}</dd>
            </div>
          ) : null,
        )}
        <div>
          <dt>Paid</dt>
          <dd>{term}</dd>
        </div>
      </dl>
      {term === 'Prepaid' && price > 0 && kept.first_balance_micros > 0 && (
        <Notice tone="info" title="A balance is required to start">
          A prepaid campaign runs while its balance covers a lead. You can add balance after you save the
          campaign.
        </Notice>
      )}
    </Input.Wrapper>
  );
}

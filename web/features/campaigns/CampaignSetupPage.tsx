import { Badge, Button, Input, Stack, Switch, Table, Text, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { messages } from '../../../contract/messages.ts';
import { maySee, modulePath } from '../../../contract/routing.ts';
import { modulesOf } from '../../../contract/routing-facts.ts';
import { api } from '../../api/client.ts';
import { useFacts, useMay, useUser } from '../../api/user.ts';
import { money, num } from '../../ui/format.ts';
import { focusFirstWrong, showFormError } from '../../ui/forms.ts';
import { Notice } from '../../ui/Notice.tsx';
import { notifyDone } from '../../ui/notify.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { SkeletonRows } from '../../ui/SkeletonRows.tsx';
import { EmptyState, ErrorState } from '../../ui/states.tsx';
import { useLeaveGuard } from '../../ui/useLeaveGuard.ts';
import { useSearchParams } from '../../ui/useSearchParams.ts';
import { Wizard } from '../../ui/Wizard.tsx';
import { stepAfter, stepAt } from '../../ui/wizard.ts';
import { NameFields, NeedFields, RULES, WhichFields } from './CampaignForm.tsx';
import { ClientSelect } from './ClientSelect.tsx';
import { CostFields } from './CostFields.tsx';
import classes from './campaigns.module.css';
import { type CampaignFormState, type CampaignValues, microsOf, NEW_VALUES, newInputOf } from './model.ts';
import { LOST, useCampaignChanged } from './queries.ts';
import { ReportFields } from './ReportFields.tsx';
import { contentsOf, firstWrongStep, KINDS, STEP_FIELDS, type StepKey } from './setup.model.ts';

/** 'Build Your Campaign' (spec product 2: /campaign-setup): step by step, with its price and what a lead will contain. */
export default function CampaignSetupPage() {
  const mayCreate = useMay('campaign.create');
  const facts = useFacts();
  const module = modulesOf(facts).find((one) => one.module === 'local');
  const canBuild = mayCreate && module;
  return (
    <>
      <PageHeader
        title="Build Your Campaign"
        line="A few steps: what it finds, on which site, and what a lead must have. You see the price before anything is saved."
      />
      {canBuild ? (
        <Builder slug={module.slug} />
      ) : (
        <div className="card">
          <EmptyState
            title="You cannot build campaigns here"
            text={
              mayCreate
                ? 'Site ID is not among your products. Your platform can add it.'
                : 'Campaigns are built by agencies and their clients.'
            }
          />
        </div>
      )}
    </>
  );
}

function Builder({ slug }: { slug: string }) {
  const user = useUser();
  const [params, set] = useSearchParams();
  const navigate = useNavigate();
  const changed = useCampaignChanged();
  const mayPrice = useMay('campaign.price');
  const needsClient = user.company_kind !== 'client';
  const [begins, setBegins] = useState(false);
  const [passed, setPassed] = useState<StepKey[]>([]);
  const form = useForm<CampaignValues>({
    initialValues: NEW_VALUES,
    validateInputOnBlur: true,
    validate: { ...RULES, companyID: (value) => (needsClient && !value ? 'Choose the client' : null) },
  });
  const free = useLeaveGuard(form.isDirty(), LOST, []);
  const client = needsClient ? form.values.companyID : user.company_id;
  const resource = useQuery({
    queryKey: ['campaign-resource', client],
    queryFn: ({ signal }) =>
      api.campaignMore.getCampaignResource(needsClient ? { companyID: client } : {}, { signal }),
    enabled: client !== '',
  });

  const save = async () => {
    try {
      const { data } = await api.campaigns.create({
        ...newInputOf(form.getValues(), mayPrice),
        ...(needsClient ? { companyID: client } : {}),
        draft: begins ? 'F' : 'T',
      });
      changed(data.leadspeekID, data);
      notifyDone(messages.added);
      free();
      await navigate({
        to: `${modulePath(slug, 'campaign-management')}?campaign=${data.leadspeekID}&tab=install` as '/',
      });
    } catch (error) {
      const wrong = firstWrongStep(error);
      if (wrong) set({ step: wrong });
      showFormError(form, error);
    }
  };
  /** Checks the step's own fields, and only then goes on. */
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
    ...(key === 'review' ? { short: 'Price' } : {}),
    line,
    isDone: passed.includes(key),
    content: (formId: string) => (
      <form id={formId} noValidate onSubmit={submit(key)}>
        <Stack gap="md" maw={680}>
          {content}
        </Stack>
      </form>
    ),
  });
  const steps = [
    step('kind', 'Kind', 'What the campaign goes by.', <Kinds />),
    step(
      'site',
      'Site',
      'Whose campaign it is, and the site whose visitors it recognises.',
      <>
        {needsClient && <ClientSelect {...form.getInputProps('companyID')} />}
        <NameFields form={form} />
      </>,
    ),
    step(
      'leads',
      'Leads',
      'What has to be known of a person, and which visits become leads.',
      <>
        <Title order={3}>What a lead must have</Title>
        <NeedFields form={form} />
        <Title order={3}>Which visits become leads</Title>
        <WhichFields form={form} />
      </>,
    ),
    step(
      'told',
      'Reports',
      'Who is told of leads, and who gets them as a file.',
      <ReportFields form={form} />,
    ),
    step(
      'review',
      'Price and preview',
      'What the campaign costs, and what a lead contains.',
      <>
        {mayPrice && <CostFields form={form} isNew planned={[]} />}
        <Price form={form} resource={resource} />
        <Preview form={form} />
        <Switch
          label="Start at once"
          description="Off: it is saved as a draft, paused, until somebody activates it."
          checked={begins}
          onChange={(event) => setBegins(event.currentTarget.checked)}
        />
      </>,
    ),
  ];
  const at = stepAt(steps, params.step ?? 'kind');
  return (
    <Wizard
      label="Steps of the campaign"
      steps={steps}
      at={at}
      onAt={(key) => set({ step: key }, { push: true })}
      busy={isSaving}
      finish={begins ? 'Save and start' : 'Save as draft'}
    />
  );
}

/** The products, with what each goes by; Site ID is the one that is built here. */
function Kinds() {
  const facts = useFacts();
  const modules = modulesOf(facts);
  return (
    <ul className={classes.kinds} aria-label="Products">
      {KINDS.map(({ module, name, text }) => {
        const own = modules.find((one) => one.module === module);
        // Advertising is for one platform only (spec product 6); the others need not know of it.
        if (module === 'simplifi' && !own) return null;
        const to = own && modulePath(own.slug, 'campaign-management');
        return (
          <li key={module} className={`card ${classes.kind}`} data-chosen={module === 'local' || undefined}>
            <div className={classes.kindHead}>
              <Title order={3}>{own?.name ?? name}</Title>
              {module === 'local' && <Badge variant="light">Chosen</Badge>}
            </div>
            <Text size="sm" c="dimmed">
              {text}
            </Text>
            {module === 'local' ? null : to && maySee(to, facts) ? (
              <Button
                mt="sm"
                size="xs"
                variant="default"
                renderRoot={(props) => <Link {...props} to={to as '/'} />}
              >
                Go to {own.name}
              </Button>
            ) : (
              <Text size="xs" mt="sm">
                Not among your products yet.
              </Text>
            )}
          </li>
        );
      })}
    </ul>
  );
}

interface Resource {
  data: Awaited<ReturnType<typeof api.campaignMore.getCampaignResource>> | undefined;
  error: unknown;
  refetch: () => unknown;
}

/** What a lead costs, what all of them come to at most, and what has to be there before the first. */
function Price({ form, resource }: { form: CampaignFormState; resource: Resource }) {
  const { CostSet, CostMonth, PlatformFee, LimitLead, LimitLeadFreq, PaymentTerm } = form.values;
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
  const price = microsOf(CostSet || kept.CostSet);
  const limit = LimitLead === '' ? kept.LimitLead : Number(LimitLead);
  const term = PaymentTerm || kept.PaymentTerm;
  return (
    <Input.Wrapper label="Price" labelElement="div">
      <dl className={classes.facts}>
        <div>
          <dt>A lead</dt>
          <dd className="num">{price === 0 ? 'Free' : money(price, { unit: true })}</dd>
        </div>
        <div>
          <dt>At most</dt>
          <dd className="num">
            {limit === null || limit === undefined
              ? 'No limit of leads is set'
              : `${money(price * limit)} for ${num(limit)} leads a ${LimitLead === '' ? 'day' : LimitLeadFreq}`}
          </dd>
        </div>
        {[
          ['Each month', CostMonth || kept.CostMonth],
          ['Once, for the set-up', PlatformFee || kept.PlatformFee],
        ].map(([name, amount]) =>
          microsOf(amount!) > 0 ? (
            <div key={name}>
              <dt>{name}</dt>
              <dd className="num">{money(microsOf(amount!))}</dd>
            </div>
          ) : null,
        )}
        <div>
          <dt>Paid</dt>
          <dd>{term}</dd>
        </div>
      </dl>
      {term === 'Prepaid' && price > 0 && kept.first_balance_micros > 0 && (
        <Notice tone="info" title="It begins with a balance">
          A prepaid campaign runs while its balance covers a lead. You add balance once it is saved.
        </Notice>
      )}
    </Input.Wrapper>
  );
}

/** What a lead will contain, by an example. */
function Preview({ form }: { form: CampaignFormState }) {
  return (
    <Input.Wrapper
      label="What a lead contains"
      labelElement="div"
      description="An example; the person is made up."
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling box has to be reachable by keyboard */}
      <section className={classes.preview} tabIndex={0} aria-label="Example of a lead">
        <Table fz={13}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Field</Table.Th>
              <Table.Th>Example</Table.Th>
              <Table.Th>There</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {contentsOf(form.values).map(({ field, example, isSure }) => (
              <Table.Tr key={field}>
                <Table.Td>{field}</Table.Td>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{example}</Table.Td>
                <Table.Td>{isSure ? 'Always' : 'Where known'}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </section>
    </Input.Wrapper>
  );
}

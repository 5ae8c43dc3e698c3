import { Button, Group, Text, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconListSearch } from '@tabler/icons-react';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { intentMessages } from '../../../../contract/audience/signals-messages.ts';
import { KEYWORD_COUNT_SORTS } from '../../../../contract/choices.ts';
import type { Client } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { useMay } from '../../../api/user.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { num } from '../../../ui/format.ts';
import { focusFirstWrong, showFormError } from '../../../ui/forms.ts';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { EmptyState, ErrorState } from '../../../ui/states.tsx';
import { useListState } from '../../../ui/useListState.ts';
import { Clip, None, When } from '../../../ui/Values.tsx';
import { AudienceFields } from './AudienceFields.tsx';
import { AUDIENCE_RULES, type AudienceValues, audienceOf, audienceWords } from './audience.ts';
import classes from './campaigns.module.css';
import type { Campaign } from './model.ts';
import { useCampaignChanged } from './queries.ts';
import { peopleWords } from './setup.model.ts';
import { TargetFields } from './TargetFields.tsx';
import { placeWords, TARGET_RULES, type TargetValues, targetOf } from './target.ts';

type KeywordRow = Awaited<ReturnType<Client['signals']['getCount']>>;

/**
 * Keyword counts of a campaign with keywords: request a count, see the history, and compare the forecast with the
 * results.
 */
export function KeywordsTab({ campaign }: { campaign: Campaign }) {
  const mayWrite = useMay('campaign.write');
  const [isAsking, setAsking] = useState(false);
  const [chosen, setChosen] = useState<string | null>();
  const cache = useQueryClient();
  const state = useListState({ sorts: KEYWORD_COUNT_SORTS, perPage: 10 }, 'count_');
  const input = { ...state.input, campaign_id: campaign.campaign_id };
  const query = useQuery({
    queryKey: ['counts', input],
    queryFn: ({ signal }) => api.signals.history(input, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: (one) => (one.state.data?.processing ? 3000 : false),
  });
  const changed = () => void cache.invalidateQueries({ queryKey: ['counts'] });
  // One count's waterfall is open at a time; initially that of the topmost count that has one.
  const open = chosen === undefined ? query.data?.data.find(hasWaterfall)?.id : chosen;
  const isProcessing = (query.data?.processing ?? 0) > 0;
  return (
    <>
      <Actual campaign={campaign} />
      <Group justify="space-between" mt="lg" mb="xs">
        <Title order={3}>Keyword counts</Title>
        {mayWrite && !isAsking && <Button onClick={() => setAsking(true)}>New count</Button>}
      </Group>
      {isAsking && (
        <CountForm
          campaign={campaign}
          onDone={() => {
            setAsking(false);
            changed();
          }}
          onCancel={() => setAsking(false)}
        />
      )}
      <DataTable
        label="Keyword counts"
        name="counts"
        download={{ list: 'keyword-counts', of: 'signals.history', query: input }}
        columns={columnsFor(campaign, mayWrite, isProcessing, changed)}
        query={query}
        state={state}
        mayUnsort
        rowKey={(row) => row.id}
        onRow={(row) => setChosen(row.id === open ? null : row.id)}
        isOpen={(row) => row.id === open}
        below={(row) => (row.id === open && hasWaterfall(row) ? <Waterfall row={row} /> : null)}
        search="Search keywords"
        empty={
          <EmptyState
            icon={<IconListSearch size={32} stroke={1.4} />}
            title="No counts yet"
            text="A count shows how many people showed intent in the last 7 days, and how many of them could become leads."
          />
        }
      />
    </>
  );
}

function columnsFor(
  campaign: Campaign,
  mayWrite: boolean,
  isProcessing: boolean,
  changed: () => void,
): Column<KeywordRow>[] {
  const count = (value: number | null) => (value === null ? <None /> : peopleWords(value));
  return [
    {
      key: 'location',
      title: 'Target location',
      sortable: true,
      render: (row) => (
        <Clip
          max={170}
          text={placeWords({
            location: row.location,
            states: row.states,
            cities: row.cities,
            zips: row.zip_count,
          })}
        />
      ),
    },
    {
      key: 'keyword',
      phone: 'line',
      title: 'Keyword',
      sortable: true,
      render: (row) => <Clip text={row.keyword.replaceAll('\n', ', ')} max={180} />,
    },
    {
      key: 'count_without_geo',
      title: 'Without geo',
      from: 860,
      sortable: true,
      align: 'right',
      render: (row) => count(row.count_without_geo),
    },
    {
      key: 'count',
      phone: 'line',
      title: 'Historical Count',
      sortable: true,
      align: 'right',
      render: (row) => count(row.count),
    },
    { key: 'status', phone: 'state', title: 'Status', sortable: true, render: (row) => <Status row={row} /> },
    {
      key: 'created_at',
      phone: 'line',
      title: 'Created',
      sortable: true,
      render: (row) => <When at={row.created_at} />,
    },
    ...(mayWrite
      ? [
          {
            key: 'actions',
            phone: 'end' as const,
            title: 'Actions',
            align: 'right' as const,
            render: (row: KeywordRow) => (
              <RowAction row={row} campaign={campaign} isProcessing={isProcessing} changed={changed} />
            ),
          },
        ]
      : []),
  ];
}

/** Pending, Failed, Success or No Result (spec product 4). */
function Status({ row }: { row: KeywordRow }) {
  if (row.status === 'pending')
    return (
      <span title="Results may be delayed by over an hour. You get an email when the count is done.">
        <StatusBadge status="pending">Pending</StatusBadge>
      </span>
    );
  if (row.status === 'error') return <StatusBadge status="failed">Failed</StatusBadge>;
  return (row.count ?? 0) > 0 ? (
    <StatusBadge status="done" tone="good">
      Success
    </StatusBadge>
  ) : (
    <StatusBadge status="none" tone="plain">
      No Result
    </StatusBadge>
  );
}

function RowAction(props: {
  row: KeywordRow;
  campaign: Campaign;
  isProcessing: boolean;
  changed: () => void;
}) {
  const { row, campaign, isProcessing, changed } = props;
  const campaignChanged = useCampaignChanged();
  const [isBusy, setBusy] = useState(false);
  const run = async (work: () => Promise<unknown>) => {
    setBusy(true);
    await work();
    setBusy(false);
  };
  if (row.status === 'error')
    return (
      <Button
        variant="default"
        size="compact-sm"
        disabled={isProcessing}
        loading={isBusy}
        onClick={() =>
          void run(async () => {
            try {
              await api.signals.queueCount({ id: row.id });
            } catch {
              notifyFailed(new Error(intentMessages.retryFailed));
            }
            changed();
          })
        }
      >
        Retry
      </Button>
    );
  if (row.status !== 'done') return null;
  const apply = async () => {
    const isSure = await confirm({
      title: 'Apply this count?',
      body: `“${campaign.campaign_name}” then looks for these keywords in this place instead of its current ones.`,
      verb: 'Apply',
    });
    if (!isSure) return;
    try {
      const { message } = await api.signals.applyCount({ id: row.id, campaign_id: campaign.campaign_id });
      notifyDone(message);
      campaignChanged(campaign.campaign_id);
    } catch (error) {
      notifyFailed(error);
    }
    changed();
  };
  return (
    <Button variant="default" size="compact-sm" loading={isBusy} onClick={() => void run(apply)}>
      {row.applied_to?.campaign_id === campaign.campaign_id ? 'Apply again' : 'Apply'}
    </Button>
  );
}

const STEPS: [keyof NonNullable<KeywordRow['waterfall']>, string][] = [
  ['signals', 'Showed intent'],
  ['in_audience', 'In the audience'],
  ['placed', 'In the location'],
  ['not_excluded', 'Not excluded'],
  ['not_customers', 'Not a known customer'],
  ['contactable', 'Contactable'],
  ['fitting', 'Fits the filter'],
  ['sure_enough', 'Confident enough'],
  ['not_delivered', 'Not a lead yet'],
  ['deliverable', 'Deliverable now'],
];

const hasWaterfall = ({ waterfall }: KeywordRow): boolean => waterfall !== null && waterfall.signals > 0;

/** From everyone with the signals down to those who would become leads. */
function Waterfall({ row }: { row: KeywordRow }) {
  const { waterfall } = row;
  if (!waterfall) return null;
  return (
    <>
      {row.module === 'b2b' && (
        <Text size="xs" c="dimmed" px="md" pt="xs">
          {audienceWords(row)}
        </Text>
      )}
      <dl className={classes.waterfall} aria-label="From signals to leads">
        {STEPS.filter(([step]) => step !== 'in_audience' || row.module === 'b2b').map(([step, words]) => (
          <div key={step}>
            <dt>{words}</dt>
            <dd>
              <span className="num">{peopleWords(waterfall[step])}</span>
              <span aria-hidden="true" className={classes.track}>
                <span style={{ width: `${(100 * waterfall[step]) / waterfall.signals}%` }} />
              </span>
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function CountForm(props: { campaign: Campaign; onDone: () => void; onCancel: () => void }) {
  const { campaign } = props;
  const module = campaign.module;
  const form = useForm<TargetValues & AudienceValues>({
    initialValues: { ...targetOf(campaign), ...audienceOf(campaign) },
    validate: { ...TARGET_RULES, ...AUDIENCE_RULES },
  });
  const ask = async (values: TargetValues & AudienceValues) => {
    try {
      const { message } = await api.signals.queueCount({
        campaign_id: campaign.campaign_id,
        location: values.location,
        states: values.states,
        cities: values.cities,
        zips: values.zips,
        keyword: values.keywords,
        ...(module === 'b2b' ? audienceOf(values) : {}),
      });
      notifyDone(message);
      props.onDone();
    } catch (error) {
      showFormError(form, error);
    }
  };
  return (
    <form
      noValidate
      className={`card ${classes.count}`}
      aria-label="New count"
      onSubmit={form.onSubmit(ask, (errors) => focusFirstWrong(form, errors))}
    >
      <TargetFields
        module={module}
        values={form.values}
        errors={form.errors}
        onChange={(change) => form.setValues(change)}
      />
      {module === 'b2b' && (
        <div style={{ marginTop: 16 }}>
          <AudienceFields
            values={form.values}
            errors={form.errors}
            onChange={(change) => form.setValues(change)}
          />
        </div>
      )}
      <Group justify="flex-end" gap="xs" mt="md">
        <Button variant="default" onClick={props.onCancel}>
          Cancel
        </Button>
        <Button type="submit" loading={form.submitting}>
          Count
        </Button>
      </Group>
    </form>
  );
}

/** What was forecast, and what became of the people the campaign found in the last seven days. */
function Actual({ campaign }: { campaign: Campaign }) {
  const query = useQuery({
    queryKey: ['counts', 'forecast', campaign.campaign_id],
    queryFn: ({ signal }) => api.signals.forecast({ campaign_id: campaign.campaign_id }, { signal }),
  });
  if (query.error)
    return (
      <ErrorState
        error={query.error}
        what="The forecast could not be loaded"
        onRetry={() => void query.refetch()}
      />
    );
  const { forecast, found, leads, waiting, refused = [] } = query.data ?? {};
  const facts: [string, string | number | null | undefined][] = [
    ['Forecast', query.data && (forecast?.waterfall ? peopleWords(forecast.waterfall.deliverable) : null)],
    ['Found, 7 days', found],
    ['Leads', leads],
    ['Waiting', waiting],
    ['Refused', query.data && refused.reduce((sum, row) => sum + row.count, 0)],
  ];
  return (
    <section aria-label="Forecast and actual">
      <dl className={classes.actual}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="num">
              {value === undefined ? (
                '…'
              ) : value === null ? (
                <None />
              ) : typeof value === 'string' ? (
                value
              ) : (
                num(value)
              )}
            </dd>
          </div>
        ))}
      </dl>
      <Text size="xs" c="dimmed" mt={4}>
        The forecast is the last step of the latest count for these keywords and this place. It shows who
        would become a lead, not counting limits and balance.
      </Text>
    </section>
  );
}

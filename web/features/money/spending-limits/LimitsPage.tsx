import { ActionIcon, Button, Menu, Progress, Skeleton, Text } from '@mantine/core';
import { IconDots, IconGauge, IconPlus } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { useMay, useUser } from '../../../api/user.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { DetailDrawer, useDrawer } from '../../../ui/DetailDrawer.tsx';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { Clip, None } from '../../../ui/Values.tsx';
import { amountWords } from '../minimum-spend/model.ts';
import { LimitForm } from './LimitForm.tsx';
import { keyOf, type Limit, nameOf, PERIOD_WORDS, spentOf } from './model.ts';
import classes from './spending-limits.module.css';

const STATE_WORDS = { below: '', told: 'You were notified', reached: 'Limit reached, spending stopped' };
const COLORS = { below: 'var(--accent-line)', told: 'var(--warn)', reached: 'var(--bad)' };

/** The spending limits of an agency, its clients, and their campaigns, with how much of each is used (BEY-03). */
export default function LimitsPage() {
  const user = useUser();
  const own = user.company_kind === 'client' ? 'client' : 'agency';
  const mayWrite = useMay('cap.write') && !user.in_view_mode;
  const cache = useQueryClient();
  const query = useQuery({
    queryKey: ['caps'],
    queryFn: async ({ signal }) => (await api.spendingLimits.list({}, { signal })).data,
  });
  const limits = query.data;
  const drawer = useDrawer('limit');

  const lift = async (limit: Limit) => {
    const isSure = await confirm({
      title: `Lift the limit on ${nameOf(limit)}?`,
      body: `This limit on spending per ${limit.period} no longer applies. Campaigns it stopped resume within a minute.`,
      verb: 'Lift',
      danger: true,
    });
    if (!isSure) return;
    const { subject, subject_id, period } = limit;
    try {
      await api.spendingLimits.set({ subject, subject_id, period, hard: null, soft: null });
      notifyDone(`Lifted the limit on ${nameOf(limit)}`);
    } catch (error) {
      notifyFailed(error, `Lift the limit on ${nameOf(limit)}`);
    } finally {
      void cache.invalidateQueries({ queryKey: ['caps'] });
    }
  };

  const add = mayWrite && (
    <Button leftSection={<IconPlus size={16} aria-hidden="true" />} onClick={() => drawer.open('new')}>
      Set a limit
    </Button>
  );
  const amount = (dollars: string | null) =>
    dollars === null ? <None /> : <span className="num">{amountWords(dollars)}</span>;
  const columns: Column<Limit>[] = [
    { key: 'name', title: 'Limit on', render: (limit) => <Clip text={nameOf(limit)} max={280} /> },
    { key: 'period', title: 'For', render: (limit) => PERIOD_WORDS[limit.period] },
    {
      key: 'spent',
      title: 'Spent so far',
      width: 220,
      render: (limit) => {
        const { share, state, words } = spentOf(limit);
        return (
          <div className={classes.use}>
            <span className="num">{words}</span>
            <Progress
              value={share * 100}
              color={COLORS[state]}
              size="sm"
              aria-label={`Spent on ${nameOf(limit)}`}
            />
            {STATE_WORDS[state] && <span className={classes.state}>{STATE_WORDS[state]}</span>}
          </div>
        );
      },
    },
    { key: 'hard', title: 'Stops at', align: 'right', render: (limit) => amount(limit.hard) },
    {
      key: 'soft',
      title: 'Notifies you at',
      align: 'right',
      render: (limit) => amount(limit.soft),
    },
    {
      key: 'set_by',
      title: 'Set by',
      render: (limit) =>
        limit.set_by === own ? 'You' : limit.set_by === 'agency' ? 'Your agency' : 'The client',
    },
  ];
  if (mayWrite) {
    columns.push({
      key: 'actions',
      title: 'Actions',
      align: 'right',
      width: 72,
      render: (limit) =>
        limit.set_by === own ? (
          <Menu position="bottom-end">
            <Menu.Target>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`Actions for the limit on ${nameOf(limit)}, ${PERIOD_WORDS[limit.period]}`}
              >
                <IconDots size={16} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item onClick={() => drawer.open(keyOf(limit))}>Change</Menu.Item>
              <Menu.Item onClick={() => void lift(limit)}>Lift</Menu.Item>
            </Menu.Dropdown>
          </Menu>
        ) : (
          <None />
        ),
    });
  }
  return (
    <>
      <PageHeader
        title="Limits"
        line="How much can be spent in a day or month before campaigns stop or you are notified."
        primary={add}
      />
      <DataTable
        label="Limits"
        download={{ list: 'limits' }}
        name="limits"
        columns={columns}
        query={{ ...query, data: limits && { data: limits } }}
        rowKey={keyOf}
        phoneRow={(limit) => ({
          title: nameOf(limit),
          state: STATE_WORDS[spentOf(limit).state],
          line: `${PERIOD_WORDS[limit.period]}: ${spentOf(limit).words}`,
        })}
        onRow={(limit) => drawer.open(keyOf(limit))}
        empty={
          <EmptyState
            icon={<IconGauge size={32} stroke={1.4} />}
            title="No limits yet"
            text={
              own === 'agency'
                ? 'A limit caps what your Data Wallet, a client, or a campaign spends in a day or month, to the cent.'
                : 'A limit caps what all your campaigns, or one of them, spend in a day or month, to the cent.'
            }
            action={add}
          />
        }
      />
      <DetailDrawer param="limit" title={drawer.id === 'new' ? 'New limit' : 'Limit'}>
        {(id) => {
          if (id === 'new') return <LimitForm known={undefined} mayEdit onClose={drawer.close} />;
          const limit = limits?.find((one) => keyOf(one) === id);
          if (limit) {
            const mayEdit = mayWrite && limit.set_by === own;
            return <LimitForm key={id} known={limit} mayEdit={mayEdit} onClose={drawer.close} />;
          }
          return limits ? <Text c="dimmed">This limit has been lifted.</Text> : <Skeleton height={320} />;
        }}
      </DetailDrawer>
    </>
  );
}

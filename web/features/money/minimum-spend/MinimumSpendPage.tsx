import { ActionIcon, Button, Menu, Skeleton, Text } from '@mantine/core';
import { IconCoins, IconDots, IconPlus } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { ApiError, wordsOf } from '../../../api/errors.ts';
import { alertModal, confirm } from '../../../ui/confirm.tsx';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { DetailDrawer, useDrawer } from '../../../ui/DetailDrawer.tsx';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { Clip } from '../../../ui/Values.tsx';
import { Announced } from './Announced.tsx';
import classes from './minimum-spend.module.css';
import { amountWords } from './model.ts';
import { PlanForm } from './PlanForm.tsx';
import { type Plan, plansQuery } from './queries.ts';
import { RootMinimum } from './RootMinimum.tsx';

/** The minimum spend a platform requires of its agencies: plans, and what applies without one (spec product 3). */
export default function MinimumSpendPage() {
  const query = useQuery(plansQuery);
  const plans = query.data;
  const drawer = useDrawer('plan');
  const cache = useQueryClient();
  const reload = () => cache.invalidateQueries({ queryKey: ['minspend'] });

  const makeDefault = async (plan: Plan) => {
    const isSure = await confirm({
      title: `Make “${plan.plan_name}” the default plan?`,
      body: 'It is announced to every agency without its own plan. Each agency is charged starting with the first full month after it accepts. If the amount is lower than the one it accepted before, it applies right away.',
      verb: 'Make default',
    });
    if (!isSure) return;
    try {
      notifyDone((await api.pricing.defaultPlan({ id: plan.id })).message);
    } catch (error) {
      notifyFailed(error, `Make default: “${plan.plan_name}”`);
    } finally {
      void reload();
    }
  };
  const remove = async (plan: Plan) => {
    const isSure = await confirm({
      title: `Remove the plan “${plan.plan_name}”?`,
      body: 'Only a plan that no agency has can be removed. This cannot be undone.',
      verb: 'Remove',
      danger: true,
    });
    if (!isSure) return;
    try {
      notifyDone((await api.pricing.removePlan({ id: plan.id })).message);
    } catch (error) {
      if (error instanceof ApiError && error.status === 409)
        await alertModal(`“${plan.plan_name}” is in use`, wordsOf(error));
      else notifyFailed(error, `Remove: “${plan.plan_name}”`);
    } finally {
      void reload();
    }
  };

  const add = (
    <Button leftSection={<IconPlus size={16} aria-hidden="true" />} onClick={() => drawer.open('new')}>
      Add plan
    </Button>
  );
  const columns: Column<Plan>[] = [
    {
      key: 'plan_name',
      title: 'Plan',
      render: (plan) => (
        <span className={classes.name}>
          <Clip text={plan.plan_name} max={260} />
          {plan.default === 'T' && (
            <StatusBadge status="default" tone="info">
              Default
            </StatusBadge>
          )}
        </span>
      ),
    },
    {
      key: 'months',
      phone: 'line',
      title: 'First months',
      render: (plan) =>
        plan.months.length === 0 ? (
          <span className="dim">None</span>
        ) : (
          <Clip text={plan.months.map(amountWords).join(', ')} max={320} />
        ),
    },
    {
      key: 'flat',
      phone: 'line',
      title: 'Every month after',
      align: 'right',
      render: (plan) => <span className="num">{amountWords(plan.flat)}</span>,
    },
    {
      key: 'actions',
      phone: 'end',
      title: 'Actions',
      align: 'right',
      width: 72,
      render: (plan) => (
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" aria-label={`Actions for the plan ${plan.plan_name}`}>
              <IconDots size={16} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => drawer.open(plan.id)}>Change</Menu.Item>
            {plan.default === 'F' && (
              <Menu.Item onClick={() => void makeDefault(plan)}>Make default</Menu.Item>
            )}
            {plan.default === 'F' && <Menu.Item onClick={() => void remove(plan)}>Remove</Menu.Item>}
          </Menu.Dropdown>
        </Menu>
      ),
    },
  ];
  return (
    <>
      <PageHeader
        title="Minimum Spend"
        line="The minimum your agencies spend with you each month. Any shortfall is invoiced to them when the month ends."
        primary={add}
      />
      <DataTable
        label="Plans"
        download={{ list: 'plans' }}
        name="minspend-plans"
        columns={columns}
        query={{ ...query, data: plans && { data: plans } }}
        rowKey={(plan) => plan.id}
        onRow={(plan) => drawer.open(plan.id)}
        empty={
          <EmptyState
            icon={<IconCoins size={32} stroke={1.4} />}
            title="No plans yet"
            text="A plan sets an agency’s minimum spend for its first months and every month after that. The first plan becomes the default."
            action={add}
          />
        }
      />
      <Announced />
      {plans && <RootMinimum defaultPlan={plans.find((plan) => plan.default === 'T')?.plan_name} />}
      <DetailDrawer param="plan" title={drawer.id === 'new' ? 'New plan' : 'Plan'}>
        {(id) => {
          if (id === 'new') return <PlanForm known={undefined} onClose={drawer.close} />;
          const plan = plans?.find((one) => one.id === id);
          if (plan) return <PlanForm key={id} known={plan} onClose={drawer.close} />;
          return plans ? <Text c="dimmed">This plan no longer exists.</Text> : <Skeleton height={320} />;
        }}
      </DetailDrawer>
    </>
  );
}

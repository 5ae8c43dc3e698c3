import { ActionIcon, Button, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconPlus, IconTicket, IconTrash } from '@tabler/icons-react';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { CurrencyInput } from '../../../ui/CurrencyInput.tsx';
import { confirm } from '../../../ui/confirm.tsx';
import { currencyPlain } from '../../../ui/currency.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { DayInput } from '../../../ui/DayInput.tsx';
import { DetailDrawer, useDrawer } from '../../../ui/DetailDrawer.tsx';
import { num } from '../../../ui/format.ts';
import { focusFirstWrong, keepFocus, showFormError } from '../../../ui/forms.ts';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { SaveBar } from '../../../ui/SaveBar.tsx';
import { StatusBadge, type Tone } from '../../../ui/StatusBadge.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { useLeaveGuard } from '../../../ui/useLeaveGuard.ts';
import { Clip, None, When } from '../../../ui/Values.tsx';
import { type CouponValues, couponFaults, couponState, endOfDay, worthWords } from './coupon.model.ts';
import classes from './coupons.module.css';

const couponsQuery = queryOptions({
  queryKey: ['coupons'],
  queryFn: async ({ signal }) => (await api.pricing.coupons(undefined, { signal })).data,
});
type Coupon = Awaited<ReturnType<typeof api.pricing.coupons>>['data'][number];

const STATES: Record<ReturnType<typeof couponState>, [words: string, tone: Tone]> = {
  usable: ['Available', 'good'],
  used_up: ['Used up', 'plain'],
  expired: ['Expired', 'plain'],
};

/** The coupons that agencies can use for their onboarding charge. */
export default function CouponsPage() {
  const query = useQuery(couponsQuery);
  const drawer = useDrawer('coupon');
  const cache = useQueryClient();

  const withdraw = async (coupon: Coupon) => {
    const isSure = await confirm({
      title: `Withdraw coupon ${coupon.coupon_code}?`,
      body: 'No one can use it anymore. Past uses stay on record.',
      verb: 'Withdraw',
      danger: true,
    });
    if (!isSure) return;
    try {
      await api.pricing.removeCoupon({ id: coupon.id });
      notifyDone(`Withdrew ${coupon.coupon_code}`);
    } catch (error) {
      notifyFailed(error, `Withdraw: ${coupon.coupon_code}`);
    } finally {
      void cache.invalidateQueries({ queryKey: couponsQuery.queryKey });
    }
  };

  const add = (
    <Button leftSection={<IconPlus size={16} aria-hidden="true" />} onClick={() => drawer.open('new')}>
      Add coupon
    </Button>
  );
  const columns: Column<Coupon>[] = [
    { key: 'code', title: 'Code', render: (coupon) => <Clip text={coupon.coupon_code} max={280} /> },
    {
      key: 'state',
      phone: 'state',
      title: 'State',
      render: (coupon) => {
        const state = couponState(coupon, new Date());
        return (
          <StatusBadge status={state} tone={STATES[state][1]}>
            {STATES[state][0]}
          </StatusBadge>
        );
      },
    },
    {
      key: 'worth',
      phone: 'line',
      title: 'Discount',
      align: 'right',
      render: (coupon) => <span className="num">{worthWords(coupon)}</span>,
    },
    {
      key: 'uses',
      phone: 'line',
      title: 'Used',
      align: 'right',
      render: (coupon) => (
        <span className="num">
          {num(coupon.uses)}
          {coupon.max_uses !== null && ` of ${num(coupon.max_uses)}`}
        </span>
      ),
    },
    {
      key: 'expires_at',
      phone: 'line',
      title: 'Ends',
      align: 'right',
      render: (coupon) => (coupon.expires_at ? <When at={coupon.expires_at} /> : <None />),
    },
    {
      key: 'actions',
      phone: 'end',
      title: 'Actions',
      align: 'right',
      width: 72,
      render: (coupon) => (
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Withdraw coupon ${coupon.coupon_code}`}
          onClick={() => void withdraw(coupon)}
        >
          <IconTrash size={16} />
        </ActionIcon>
      ),
    },
  ];
  return (
    <>
      <PageHeader
        title="Coupons"
        line="Codes agencies can enter to pay less during setup. Each agency can use a coupon once."
        primary={add}
      />
      <DataTable
        label="Coupons"
        download={{ list: 'coupons' }}
        name="coupons"
        columns={columns}
        query={{ ...query, data: query.data && { data: query.data } }}
        rowKey={(coupon) => coupon.id}
        empty={
          <EmptyState
            icon={<IconTicket size={32} stroke={1.4} />}
            title="No coupons yet"
            text="A coupon takes a percentage or an amount off the onboarding charge of an agency that can use coupons."
            action={add}
          />
        }
      />
      <DetailDrawer param="coupon" title="New coupon">
        {() => <CouponForm onClose={drawer.close} />}
      </DetailDrawer>
    </>
  );
}

function CouponForm({ onClose }: { onClose: () => void }) {
  const cache = useQueryClient();
  const form = useForm<CouponValues>({
    initialValues: { coupon_code: '', kind: 'percent', percent: '', amount: '', max_uses: '', last_day: '' },
    validateInputOnBlur: true,
    validate: (values) => couponFaults(values, new Date()),
  });
  const leave = useLeaveGuard(form.isDirty(), 'This coupon has not been added.', ['coupon']);
  const save = async (values: CouponValues) => {
    try {
      const { data } = await api.pricing.createCoupon({
        coupon_code: values.coupon_code,
        ...(values.kind === 'percent'
          ? { percent: values.percent.trim() }
          : { amount: currencyPlain(values.amount) }),
        ...(values.max_uses.trim() ? { max_uses: Number(values.max_uses) } : {}),
        ...(values.last_day ? { expires_at: endOfDay(values.last_day).toISOString() } : {}),
      });
      await cache.invalidateQueries({ queryKey: couponsQuery.queryKey });
      leave();
      notifyDone(`Added coupon ${data.coupon_code}`);
      onClose();
    } catch (error) {
      showFormError(form, error);
    }
  };
  return (
    <form noValidate onSubmit={form.onSubmit(save, (errors) => focusFirstWrong(form, errors))}>
      <Stack gap="md">
        <TextInput
          label="Code"
          description="The code agencies enter. It is not case-sensitive."
          withAsterisk
          maxLength={60}
          autoComplete="off"
          spellCheck={false}
          classNames={{ input: classes.code ?? '' }}
          {...form.getInputProps('coupon_code')}
        />
        <Radio.Group label="Discount" {...form.getInputProps('kind')}>
          <Stack gap="xs" mt={4}>
            <Radio value="percent" label="A percentage of the onboarding charge" />
            <Radio value="amount" label="An amount, up to the whole charge" />
          </Stack>
        </Radio.Group>
        {form.values.kind === 'percent' ? (
          <TextInput
            label="Percentage"
            withAsterisk
            rightSection="%"
            inputMode="decimal"
            autoComplete="off"
            maw={240}
            {...form.getInputProps('percent')}
          />
        ) : (
          <CurrencyInput label="Amount" withAsterisk mayBeEmpty {...form.getInputProps('amount')} />
        )}
        <TextInput
          label="Uses"
          description="How many agencies can use it. Leave blank for no limit."
          inputMode="numeric"
          autoComplete="off"
          styles={{ wrapper: { maxWidth: 240 } }}
          {...form.getInputProps('max_uses')}
        />
        <DayInput
          label="Last day"
          description="The coupon can be used through the end of this day. Leave blank to keep it available until you withdraw it."
          maw={240}
          {...form.getInputProps('last_day')}
        />
        <Text size="sm" c="dimmed">
          You can’t change a coupon after you add it. Withdraw it and add another one instead.
        </Text>
      </Stack>
      <SaveBar>
        <Button type="submit" loading={form.submitting} {...keepFocus}>
          Add coupon
        </Button>
      </SaveBar>
    </form>
  );
}

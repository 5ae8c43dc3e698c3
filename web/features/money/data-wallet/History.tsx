import '@mantine/dates/styles.css';
import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { MonthPickerInput } from '@mantine/dates';
import { IconCalendar } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { messages } from '../../../../contract/messages.ts';
import type { DataWallet } from '../../../../contract/money/data-wallet.ts';
import { api } from '../../../api/client.ts';
import { DownloadData } from '../../../ui/DownloadData.tsx';
import { dayWords, num } from '../../../ui/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { When } from '../../../ui/Values.tsx';
import { zoneWords } from '../../../ui/zone.ts';
import { BalanceLine } from './BalanceLine.tsx';
import classes from './data-wallet.module.css';
import { signed } from './model.ts';

const AREA = '/configuration/agencies/prepaid/download-transaction-history-direct-payment';
const typeWords = { topup: 'Top-up', charge: 'Charge', other: 'Other' };

/** What happened in a month: a chart, the list, and its download. `loaded` is what came with the wallet for `month`. */
export function History(props: {
  companyId: string;
  loaded: Pick<DataWallet, 'transaction_history' | 'history_more' | 'days'> | undefined;
  month: string;
  timeZone: string;
}) {
  const { companyId, loaded } = props;
  const [month, setMonth] = useState(props.month);
  const query = useQuery({
    queryKey: ['wallet-history', companyId, month],
    queryFn: ({ signal }) =>
      api.dataWallet.getTransactionHistoryDirectPayment(
        { company_id: companyId, date: month || 'all' },
        { signal },
      ),
    enabled: month !== props.month || !loaded,
    retry: false,
  });
  const shown = month === props.month && loaded ? loaded : query.data;
  const isEmpty = shown?.transaction_history.length === 0;
  return (
    <Stack gap="xs">
      <Group justify="space-between" align="flex-end" gap="xs">
        <MonthPickerInput
          label="Month"
          placeholder="All months"
          valueFormat="MMMM YYYY"
          w={210}
          clearable
          clearButtonProps={{ 'aria-label': 'Show all months' }}
          leftSection={<IconCalendar size={16} />}
          value={month ? `${month}-01` : null}
          onChange={(value) => setMonth(value ? String(value).slice(0, 7) : '')}
          popoverProps={{ withinPortal: true }}
        />
        <DownloadData list={`${AREA}/${companyId}/${month || 'all'}`} />
      </Group>
      {!isEmpty && (
        <Text size="xs" c="dimmed">
          Times are in {zoneWords(props.timeZone)}.
        </Text>
      )}
      {query.error && month !== props.month && (
        <Notice
          tone="bad"
          live="alert"
          action={
            <Button size="compact-sm" variant="default" onClick={() => void query.refetch()}>
              Retry
            </Button>
          }
        >
          The history could not be loaded.
        </Notice>
      )}
      {shown && shown.days.length > 1 && !isEmpty && <BalanceLine days={shown.days} />}
      {!shown && !query.error && <Skeleton height={160} />}
      {shown && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
        <section className={classes.history} aria-label="Transaction history" tabIndex={0}>
          {isEmpty ? (
            <div className={classes.empty}>{messages.walletNoHistory}</div>
          ) : (
            shown.transaction_history.map((row) => (
              <div key={row.id} className={classes.line} data-type={row.transaction_type}>
                <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                  {row.title}
                </Text>
                <div className={`${classes.amount} num`}>
                  {Number(row.amount) > 0 ? '+' : ''}
                  {signed(row.amount, true)}
                </div>
                <div className={classes.small}>
                  <When at={row.created_at} />
                  <span className="sr-only">, {typeWords[row.transaction_type]}</span>
                  {row.expired_at && (
                    <>
                      {' '}
                      · expires{' '}
                      {dayWords(row.expired_at, { month: 'short', day: 'numeric', year: 'numeric' })}
                    </>
                  )}
                </div>
                <div className={`${classes.small} ${classes.right} num`}>Balance {signed(row.balance)}</div>
              </div>
            ))
          )}
        </section>
      )}
      {shown?.history_more && (
        <Text size="sm" c="dimmed">
          Showing the newest {num(shown.transaction_history.length)}. Download the data to see all of them.
        </Text>
      )}
    </Stack>
  );
}

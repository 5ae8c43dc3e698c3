import { Anchor, Button, Checkbox, Stack, Text, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { usd } from '../../../../contract/dollars.ts';
import { messages } from '../../../../contract/messages.ts';
import { microsOf } from '../../../../contract/primitives.ts';
import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { SkeletonRows } from '../../../ui/SkeletonRows.tsx';
import { ErrorState } from '../../../ui/states.tsx';

const shown = (dollars: string): string => usd(microsOf(dollars));

/** The developer agreement with its costs, which must be accepted before keys can be created (DEV-03). */
export function Agreement() {
  const user = useUser();
  const cache = useQueryClient();
  const [isTicked, setTicked] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const query = useQuery({
    queryKey: ['developer', 'agreement'],
    queryFn: ({ signal }) =>
      api.agreements.getMarketingServicesAgreement({ company_id: user.company_id }, { signal }),
  });
  if (query.error)
    return (
      <ErrorState
        error={query.error}
        what="The agreement could not be loaded"
        onRetry={() => void query.refetch()}
      />
    );
  if (!query.data) return <SkeletonRows />;
  const { first_time_charge, minimum_spend_amount_list: list, minimum_spend_flat: flat } = query.data;
  const months = [
    ...list.map((amount, at) => [`Month ${at + 1}`, amount] as const),
    ...(microsOf(flat) > 0n ? [[list.length > 0 ? 'Every month after' : 'Every month', flat] as const] : []),
  ];
  const accept = async () => {
    if (!isTicked) return setProblem(messages.clickAgree);
    setBusy(true);
    try {
      const { message } = await api.agreements.marketingServicesAgreement({
        user_id: user.id,
        company_id: user.company_id,
        company_name: user.company_name,
        location_menu: 'Developer',
        developer_agreed: 'T',
      });
      notifyDone(message);
      await cache.invalidateQueries({ queryKey: ['developer'] });
    } catch (error) {
      notifyFailed(error, messages.agreementFailed);
    } finally {
      setBusy(false);
    }
  };
  return (
    <section className="card" style={{ padding: 24, maxWidth: 640 }} aria-labelledby="developer-agreement">
      <Title order={2} id="developer-agreement">
        Accept the developer agreement
      </Title>
      <Stack gap="md" mt="md">
        <Text size="sm">
          A one-time fee of <b className="num">{shown(first_time_charge)}</b> is charged to your card on file
          when you accept.
        </Text>
        {months.length > 0 && (
          <div>
            <Text size="sm">
              Your agency then has a minimum spend, starting with the first full month after you accept:
            </Text>
            <ul className="num" style={{ margin: '8px 0 0', paddingLeft: 20 }}>
              {months.map(([month, amount]) => (
                <li key={month}>
                  {month}: {shown(amount)}
                </li>
              ))}
            </ul>
          </div>
        )}
        {user.in_view_mode ? (
          <Text size="sm" c="dimmed">
            Only the agency itself can accept the agreement.
          </Text>
        ) : (
          <>
            <Checkbox
              label={
                <>
                  I agree to the{' '}
                  <Anchor href="/marketing-services-agreement-developer" target="_blank" inherit>
                    developer agreement
                  </Anchor>
                </>
              }
              checked={isTicked}
              error={problem}
              onChange={(event) => {
                setTicked(event.currentTarget.checked);
                setProblem(undefined);
              }}
            />
            <div>
              <Button loading={isBusy} onClick={() => void accept()}>
                Accept and pay {shown(first_time_charge)}
              </Button>
            </div>
          </>
        )}
      </Stack>
    </section>
  );
}

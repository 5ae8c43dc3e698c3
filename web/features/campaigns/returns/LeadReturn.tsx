import { Button, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { REASON_WORDS } from '../../../../contract/money/credits.ts';
import { api } from '../../../api/client.ts';
import { useMay, useUser } from '../../../api/user.ts';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { Money, When } from '../../../ui/Values.tsx';
import { CLIENT_WORDS, STATE_TONES, STATE_WORDS } from './words.ts';

const ReturnModal = lazy(() => import('./ReturnModal.tsx'));

/** The return of a lead, or a way for its client to return it. Renders nothing if there is neither. */
export function LeadReturn({ id }: { id: string }) {
  const user = useUser();
  const isClient = user.company_kind === 'client';
  const mayReturn = useMay('return.open') && !user.in_view_mode;
  const [isOpen, setOpen] = useState(false);
  const query = useQuery({
    queryKey: ['lead-return', id],
    queryFn: ({ signal }) => api.returns.ofLead({ id }, { signal }),
  });
  const found = query.data;
  if (!found || !(found.data || (mayReturn && found.may_return))) return null;
  const { data: made, until } = found;
  return (
    <section aria-label="Return">
      <Title order={3} mb="xs">
        Return
      </Title>
      {made ? (
        <Stack gap={4} align="flex-start">
          <StatusBadge status={made.state} tone={STATE_TONES[made.state]}>
            {(isClient ? CLIENT_WORDS : STATE_WORDS)[made.state]}
          </StatusBadge>
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            Returned on <When at={made.created_at} />: {REASON_WORDS[made.reason].toLowerCase()}
            {made.note && (
              <>
                . <bdi>{made.note}</bdi>
              </>
            )}
          </Text>
          {made.decided_at && (
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {made.credited_micros === null ? (
                'Declined'
              ) : (
                <>
                  <Money micros={made.credited_micros} unit /> credited
                </>
              )}{' '}
              on <When at={made.decided_at} />
              {made.answer && (
                <>
                  : <bdi>{made.answer}</bdi>
                </>
              )}
            </Text>
          )}
          {!isClient && made.state === 'open' && (
            <Button
              component={Link}
              variant="default"
              size="xs"
              {...{ to: '/returns', search: { return: made.id } as never }}
            >
              Open return
            </Button>
          )}
        </Stack>
      ) : (
        <Stack gap="xs" align="flex-start">
          <Text size="sm" c="dimmed">
            Is something wrong with this lead? You can return it until <When at={until} />.
          </Text>
          <Button variant="default" size="xs" onClick={() => setOpen(true)}>
            Return lead
          </Button>
        </Stack>
      )}
      {isOpen && (
        <Suspense>
          <ReturnModal ids={[id]} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </section>
  );
}

import { Anchor, Button, Group, Text } from '@mantine/core';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { Client } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { useMay, useUser } from '../../../api/user.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { num } from '../../../ui/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { Clip, When } from '../../../ui/Values.tsx';
import classes from './campaigns.module.css';

const TrustedModal = lazy(() => import('./TrustedModal.tsx'));

type Held = Awaited<ReturnType<Client['held']['list']>>['data'][number];

/** The number of groups listed before the user asks for the rest. */
const FEW = 5;

/** The reasons for which sign-ups from a trusted address are not held. */
const PLACES: ReadonlySet<string> = new Set(['browser', 'address', 'network']);

const signUps = (count: number): string => `${num(count)} ${count === 1 ? 'sign-up' : 'sign-ups'}`;

/** What held sign-ups have in common, such as "400 sign-ups from one address". */
export function heldWords({
  reason,
  count,
  conversions,
}: Pick<Held, 'reason' | 'count' | 'conversions'>): string {
  const what =
    conversions === count ? `${num(count)} ${count === 1 ? 'conversion' : 'conversions'}` : signUps(count);
  return {
    no_view: `${what} without a page view`,
    browser: `${what} from one browser`,
    address: `${what} from one address`,
    network: `${what} from one network`,
    burst: `${what}, far more than usual`,
  }[reason];
}

/**
 * The held sign-ups of one campaign or of all campaigns. A page that shows them above other content waits for them, so
 * that nothing jumps.
 */
export const heldQuery = (campaignId: string | undefined) =>
  queryOptions({
    queryKey: ['held', campaignId ?? ''],
    queryFn: ({ signal }) => api.held.list(campaignId ? { campaign_id: campaignId } : {}, { signal }),
    refetchInterval: 60_000,
  });

/**
 * Sign-ups that look forged and await the agency's decision, for one campaign or for all that the user can see; renders
 * nothing if there are none. `onOpen` opens a campaign.
 */
export function HeldNotice({
  campaignId,
  onOpen,
}: {
  campaignId?: string | undefined;
  onOpen?: (id: string) => void;
}) {
  const cache = useQueryClient();
  const { in_view_mode } = useUser();
  // In view mode, the decision belongs to someone else.
  const mayRelease = useMay('visit.release') && !in_view_mode;
  const mayAsk = useMay('campaign.write');
  const [isWhole, setWhole] = useState(false);
  const [busy, setBusy] = useState('');
  const [trusting, setTrusting] = useState<Held>();
  const { data } = useQuery(heldQuery(campaignId));
  if (!data || data.total === 0) return null;
  const shown = isWhole ? data.data : data.data.slice(0, FEW);

  const act = async (row: Held, what: 'release' | 'discard' | 'ask') => {
    if (
      what !== 'ask' &&
      !(await confirm(
        what === 'release'
          ? {
              title: `Release ${signUps(row.count)}?`,
              body: 'They are matched like any other visit. Resulting leads are charged and delivered.',
              verb: 'Release',
            }
          : {
              title: `Discard ${signUps(row.count)}?`,
              body: 'They never become leads, and nothing is charged. This cannot be undone.',
              verb: 'Discard',
              danger: true,
            },
      ))
    )
      return;
    const { campaign_id, reason, source, last_at: until } = row;
    setBusy(`${what} ${keyOf(row)}`);
    try {
      const { message } = await api.held[what]({ campaign_id, reason, source, until });
      notifyDone(message);
    } catch (error) {
      notifyFailed(error);
    } finally {
      setBusy('');
      for (const key of ['held', 'refusals', 'dashboard']) void cache.invalidateQueries({ queryKey: [key] });
    }
  };

  return (
    <div style={{ marginBottom: 16 }}>
      <Notice
        tone="warn"
        title={`Held: ${signUps(data.total)}`}
        action={
          data.data.length > FEW && (
            <Button variant="default" size="xs" onClick={() => setWhole(!isWhole)}>
              {isWhole ? 'Show fewer' : `Show all ${num(data.data.length)}`}
            </Button>
          )
        }
      >
        <Text size="sm">
          These look automated. They don’t become leads or cost anything until{' '}
          {mayRelease ? 'you release them' : 'the agency releases them'}. They are deleted after 30 days.
        </Text>
        <ul className={classes.held} aria-label="Held sign-ups">
          {shown.map((row) => (
            <li key={keyOf(row)} className={classes.heldRow}>
              <span className={classes.heldWhat}>
                <span className={classes.heldWords}>{heldWords(row)}</span>
                <Text size="xs" c="dimmed" component="span" display="block">
                  {row.source && `${row.source}, `}
                  {row.people > 0 && `${num(row.people)} ${row.people === 1 ? 'email' : 'emails'}, `}
                  last <When at={row.last_at} relative />
                  {row.asked_at && mayRelease && ', the client asked for release'}
                  {row.source && PLACES.has(row.reason) && (mayRelease || mayAsk) && (
                    <>
                      {'. '}
                      <Anchor
                        component="button"
                        type="button"
                        size="xs"
                        aria-label={`Trust this ${placeWord(row)}: ${row.source}, ${row.campaign_name}`}
                        onClick={() => setTrusting(row)}
                      >
                        Trust this {placeWord(row)}
                      </Anchor>
                    </>
                  )}
                </Text>
              </span>
              {!campaignId &&
                (onOpen ? (
                  <Anchor
                    component="button"
                    type="button"
                    size="sm"
                    className={classes.belowCostName}
                    onClick={() => onOpen(row.campaign_id)}
                  >
                    <Clip text={row.campaign_name} max={220} />
                  </Anchor>
                ) : (
                  <Clip text={row.campaign_name} max={220} />
                ))}
              {mayRelease ? (
                <Group gap="xs" wrap="nowrap">
                  <Button
                    variant="default"
                    size="xs"
                    loading={busy === `release ${keyOf(row)}`}
                    onClick={() => void act(row, 'release')}
                  >
                    Release
                  </Button>
                  <Button
                    variant="default"
                    size="xs"
                    loading={busy === `discard ${keyOf(row)}`}
                    onClick={() => void act(row, 'discard')}
                  >
                    Discard
                  </Button>
                </Group>
              ) : mayAsk && row.asked_at ? (
                <Text size="sm" c="dimmed">
                  Release requested
                </Text>
              ) : (
                mayAsk && (
                  <Button
                    variant="default"
                    size="xs"
                    loading={busy === `ask ${keyOf(row)}`}
                    onClick={() => void act(row, 'ask')}
                  >
                    Request release
                  </Button>
                )
              )}
            </li>
          ))}
        </ul>
      </Notice>
      {trusting && (
        <Suspense fallback={null}>
          <TrustedModal
            campaignId={trusting.campaign_id}
            network={trusting.source}
            onClose={() => setTrusting(undefined)}
          />
        </Suspense>
      )}
    </div>
  );
}

const placeWord = ({ reason }: Held): string => (reason === 'network' ? 'network' : 'address');
const keyOf = (row: Held): string => `${row.campaign_id} ${row.reason} ${row.source}`;

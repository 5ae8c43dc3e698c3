import { Anchor, Group, Text, Title } from '@mantine/core';
import type { Client } from '../../../../contract/index.ts';
import { num } from '../../../ui/format.ts';
import { None, When } from '../../../ui/Values.tsx';
import { ageWords, hostOf } from './evidence.ts';
import classes from './LeadDetail.module.css';
import { lowerFirst, matchWords, shareWords } from './match.ts';

type Lead = Awaited<ReturnType<Client['leads']['get']>>;
type Key = Lead['evidence'][number];

/** Why it is this person: the keys or signals that spoke for them, how old and from where, and who else it may have been. */
export function LeadEvidence({ lead }: { lead: Lead }) {
  const at = lead.visited_at ?? lead.created_at;
  if (lead.company)
    return (
      <Text size="sm">
        The visitor came from the network of {lead.company} ({lead.company_domain}), as known from{' '}
        {lead.evidence[0]?.source ?? 'its address'}. The person is not known or may not be named.
      </Text>
    );
  return (
    <>
      <Text size="sm" mb="xs">
        Recognized by {lowerFirst(matchWords(lead.match_type))}, {lead.confidence}% confidence.
      </Text>
      <ul className={classes.list} aria-label="Evidence">
        {lead.evidence.map((one) => (
          <li key={`${one.key} ${one.source} ${one.seen_at}`}>
            <Scale name={matchWords(one.key)} confidence={one.confidence} />
            <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              <Learned one={one} at={at} />; {shareWords(one.people)}
            </Text>
          </li>
        ))}
      </ul>
      {lead.evidence.length === 0 && lead.signals.length === 0 && <None />}
      {lead.signals.length > 0 && <Signals lead={lead} at={at} />}
      <Others lead={lead} at={at} />
    </>
  );
}

/** Where and when a key was learned, as of the match. */
function Learned({ one, at }: { one: Key; at: string }) {
  return (
    <>
      Learned from {one.source === 'visit' ? 'a visit' : one.source}, {ageWords(one.seen_at, at)} (
      <When at={one.seen_at} />)
    </>
  );
}

function Scale({ name, confidence }: { name: string; confidence: number }) {
  return (
    <>
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Text>
        <Text size="sm" className="num">
          {confidence}%
        </Text>
      </Group>
      <meter
        className={classes.meter}
        min={0}
        max={100}
        value={confidence}
        aria-label={`Confidence ${confidence}%`}
      />
    </>
  );
}

/** What the person searched for, newest first: when, where, and how certain it is that it was this person. */
function Signals({ lead, at }: { lead: Lead; at: string }) {
  const more = lead.signal_count - lead.signals.length;
  return (
    <>
      <ul className={classes.list} aria-label="Signals">
        {lead.signals.map((one) => (
          <li key={`${one.keyword} ${one.at}`}>
            <Scale name={one.keyword} confidence={one.confidence} />
            <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {upperFirst(ageWords(one.at, at))} (<When at={one.at} />){one.place && `, in ${one.place}`}
              {one.key
                ? `, identified by ${lowerFirst(matchWords(one.key))}`
                : ', identified by their source ID'}
            </Text>
            {one.url && (
              <Text size="xs">
                On{' '}
                <Anchor
                  href={one.url}
                  target="_blank"
                  rel="noreferrer noopener nofollow"
                  inherit
                  title={one.url}
                  style={{ overflowWrap: 'anywhere' }}
                >
                  {hostOf(one.url)}
                </Anchor>
              </Text>
            )}
          </li>
        ))}
      </ul>
      {more > 0 && (
        <Text size="xs" c="dimmed">
          And {num(more)} more in the previous seven days.
        </Text>
      )}
    </>
  );
}

/** Who else it may have been, without revealing who they are. */
function Others({ lead, at }: { lead: Lead; at: string }) {
  const more = lead.alternatives - lead.others.length;
  return (
    <>
      <Title order={4} mt="md" mb={4}>
        Other possible matches
      </Title>
      {lead.alternatives === 0 ? (
        <Text size="sm" c="dimmed">
          None. Everything known points to this person.
        </Text>
      ) : (
        <>
          {lead.others.length > 0 && (
            <ul className={classes.list} aria-label="Other possible matches">
              {lead.others.map((one, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: they have no name, and their order does not change
                <li key={i}>
                  <Scale name="Another person" confidence={one.confidence} />
                  {one.keys.map((key) => (
                    <Text key={`${key.key} ${key.seen_at}`} size="xs" c="dimmed">
                      Same {lowerFirst(matchWords(key.key))}, seen {ageWords(key.seen_at, at)} (
                      <When at={key.seen_at} />)
                    </Text>
                  ))}
                </li>
              ))}
            </ul>
          )}
          {more > 0 && (
            <Text size="xs" c="dimmed">
              {lead.others.length > 0 ? `And ${num(more)} more.` : othersWords(more)}
            </Text>
          )}
        </>
      )}
    </>
  );
}

const othersWords = (count: number): string =>
  `${num(count)} other ${count === 1 ? 'person' : 'people'}. The keys that led to them were not kept for this lead.`;

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

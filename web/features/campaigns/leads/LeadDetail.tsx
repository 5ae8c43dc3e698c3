import { Anchor, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { leadFacts } from '../../../../contract/audience/person-texts.ts';
import type { Client } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { CopyButton } from '../../../ui/CopyButton.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import { MailLink, Money, None, PhoneLink, When } from '../../../ui/Values.tsx';
import { LeadRefund } from '../../money/credits/LeadRefund.tsx';
import { LeadReturn } from '../returns/LeadReturn.tsx';
import { Journey } from './Journey.tsx';
import { LeadData } from './LeadData.tsx';
import classes from './LeadDetail.module.css';
import { LeadEvidence } from './LeadEvidence.tsx';
import { LeadSkeleton } from './LeadSkeleton.tsx';
import { nameOf } from './match.ts';
import { ScoreReasons } from './Score.tsx';
import { Scrubbed } from './Scrubbed.tsx';

type Lead = Awaited<ReturnType<Client['leads']['get']>>;

/** A full lead: the person, why it matched, the visit, its deliveries. */
export default function LeadDetail({ id }: { id: string }) {
  const query = useQuery({
    queryKey: ['lead', id],
    queryFn: ({ signal }) => api.leads.get({ id }, { signal }),
    // A new lead is still being delivered to the client's tools.
    refetchInterval: ({ state }) =>
      state.data?.deliveries.some((one) => one.state === 'pending') ? 3000 : false,
  });
  if (query.error) {
    return (
      <ErrorState
        error={query.error}
        what="This lead could not be loaded"
        onRetry={() => void query.refetch()}
      />
    );
  }
  const lead = query.data;
  if (!lead) return <LeadSkeleton />;
  const withheld = lead.phones_withheld;
  const place = [lead.city, [lead.state, lead.zip].filter(Boolean).join(' ')].filter(Boolean).join(', ');
  return (
    <Stack gap="lg">
      <div>
        <Group gap="xs">
          <Title order={2}>{nameOf(lead)}</Title>
          {lead.company && (
            <StatusBadge status="company" tone="plain">
              Company
            </StatusBadge>
          )}
          {lead.is_test && <StatusBadge status="test" tone="info" />}
          {lead.converted_at && <StatusBadge status="converted" tone="good" />}
        </Group>
        <Text c="dimmed" size="sm">
          {lead.campaign_name} #{lead.campaign_number} · <When at={lead.created_at} /> ·&nbsp;
          <Money micros={lead.price_micros} unit />
        </Text>
      </div>
      <Section title={lead.company ? 'Company' : 'Person'}>
        <Facts>
          <Fact name="Email" value={lead.email} copy>
            <MailLink address={lead.email} />
          </Fact>
          <Phone
            name="Phone"
            phone={lead.phone}
            isMarked={lead.phone_dnc}
            markedAt={lead.phone_dnc_at}
            scrubbedAt={lead.phone_scrubbed_at}
            source={lead.phone_scrub_source}
            isTest={lead.is_test}
            isWithheld={withheld > 0 && !lead.phone}
          />
          <Phone
            name="Second phone"
            phone={lead.phone2}
            isMarked={lead.phone2_dnc}
            markedAt={lead.phone2_dnc_at}
            scrubbedAt={lead.phone2_scrubbed_at}
            source={lead.phone2_scrub_source}
            isTest={lead.is_test}
            isWithheld={withheld > (lead.phone ? 0 : 1) && !lead.phone2}
          />
          <Fact name="Address" value={[lead.address, place].filter(Boolean).join('\n') || null} copy />
          {leadFacts.map(({ name, label, isLink }) => (
            <Fact key={name} name={label} value={lead[name]} link={isLink} />
          ))}
        </Facts>
      </Section>
      {!lead.is_test && (
        <Section title="Score">
          <ScoreReasons score={lead.score} reasons={lead.score_reasons} />
        </Section>
      )}
      <LeadData fields={lead.information} />
      {!lead.is_test && <LeadReturn id={id} />}
      {!lead.is_test && <LeadRefund lead={lead} />}
      <Section title="Why it matched">
        <LeadEvidence lead={lead} />
      </Section>
      {!lead.is_test && (
        <Section title="Journey">
          <Journey id={id} isLive={lead.deliveries.some((one) => one.state === 'pending')} />
        </Section>
      )}
      {lead.match_type !== 'intent' && (
        <Section title="Visit">
          <Facts>
            <Fact name="Page" value={lead.page_url} link />
            <Fact name="Referrer" value={lead.referrer} link />
            <Fact name="IP address" value={lead.ip} />
            <Fact name="Visited">
              <When at={lead.visited_at} />
            </Fact>
            {lead.converted_at && (
              <Fact name="Thank-you page">
                <When at={lead.converted_at} />
              </Fact>
            )}
          </Facts>
        </Section>
      )}
      <Section title="Deliveries">
        {lead.deliveries.length === 0 ? (
          <Text size="sm" c="dimmed">
            The campaign had no destination when this lead came in.
          </Text>
        ) : (
          <ul className={classes.list}>
            {lead.deliveries.map((one) => (
              <li key={one.id}>
                <Group justify="space-between" wrap="nowrap" gap="sm" align="flex-start">
                  <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                    {one.url}
                  </Text>
                  <StatusBadge status={one.state} />
                </Group>
                <Text size="xs" c="dimmed">
                  {one.attempts} {one.attempts === 1 ? 'attempt' : 'attempts'}
                  {one.last_status !== null && `, last response ${one.last_status}`}
                </Text>
              </li>
            ))}
          </ul>
        )}
      </Section>
      <Group gap={4}>
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          Lead ID {lead.id}
        </Text>
        <CopyButton text={lead.id} what="lead ID" />
      </Group>
    </Stack>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <Title order={3} mb="xs">
        {title}
      </Title>
      {children}
    </section>
  );
}

/**
 * A phone number; a number on a do-not-call list is marked, whether it was delivered or left out. With when and by what
 * it was last compared with such lists.
 */
function Phone(props: {
  name: string;
  phone: string | null;
  isMarked: boolean;
  markedAt: string | null;
  scrubbedAt: string | null;
  source: string | null;
  isTest: boolean;
  isWithheld: boolean;
}) {
  const { name, phone } = props;
  if (!phone && !props.isWithheld) return <Fact name={name} />;
  return (
    <Fact name={name}>
      {phone && (
        <Group component="span" gap={4} wrap="nowrap">
          <PhoneLink phone={phone} isMarked={props.isMarked} />
          <CopyButton text={phone} what={name.toLowerCase()} />
        </Group>
      )}
      {(props.isMarked || props.isWithheld) && (
        <Text component="span" inherit c="dimmed" display="block">
          {props.markedAt ? (
            <>
              Marked do not call on <When at={props.markedAt} />
            </>
          ) : (
            'On a do-not-call list'
          )}
        </Text>
      )}
      {phone && !props.isTest && (props.scrubbedAt !== null || !props.isMarked) && (
        <Scrubbed at={props.scrubbedAt} source={props.source} />
      )}
    </Fact>
  );
}

function Facts({ children }: { children: ReactNode }) {
  return <dl className={classes.facts}>{children}</dl>;
}

function Fact(props: {
  name: string;
  value?: Lead[keyof Lead] & (string | null);
  copy?: boolean;
  link?: boolean;
  children?: ReactNode;
}) {
  const { value } = props;
  const isLink = props.link && value && /^https?:\/\//i.test(value);
  return (
    <div>
      <dt>{props.name}</dt>
      <dd>
        {props.children ? (
          <span>{props.children}</span>
        ) : !value ? (
          <None />
        ) : isLink ? (
          <Anchor href={value} target="_blank" rel="noreferrer noopener nofollow" inherit>
            {value}
          </Anchor>
        ) : (
          value
        )}
        {props.copy && value && <CopyButton text={value} what={props.name.toLowerCase()} />}
      </dd>
    </div>
  );
}

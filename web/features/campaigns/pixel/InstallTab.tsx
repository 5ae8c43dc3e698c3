import { Anchor, Code, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../../../api/client.ts';
import { CopyButton } from '../../../ui/CopyButton.tsx';
import { num } from '../../../ui/format.ts';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import { When } from '../../../ui/Values.tsx';
import { noteAction } from '../../accounts/logs/note.ts';
import classes from '../campaigns/campaigns.module.css';
import { type Campaign, pixelState } from '../campaigns/model.ts';
import { campaignQuery } from '../campaigns/queries.ts';
import { Check } from './Check.tsx';
import { Events } from './Events.tsx';

/** The pixel code, how to put it on the site, and whether it has been found there. */
export function InstallTab({ campaign }: { campaign: Campaign }) {
  const id = campaign.campaign_id;
  // The first visit should appear here while the user is still looking.
  useQuery({ ...campaignQuery(id), refetchInterval: 10_000, notifyOnChangeProps: [] });
  const snippet = useQuery({
    queryKey: ['snippet', id],
    queryFn: ({ signal }) => api.pixel.snippet({ campaign_id: id }, { signal }),
    staleTime: 5 * 60_000,
  });
  if (snippet.error) {
    return (
      <ErrorState
        error={snippet.error}
        what="The pixel code could not be loaded"
        onRetry={() => void snippet.refetch()}
      />
    );
  }
  return (
    <Stack gap="lg">
      <Part title="Pixel code">
        {snippet.data ? (
          <>
            <code className={classes.code}>{snippet.data.tag}</code>
            <Group mt="xs">
              <CopyButton
                text={snippet.data.tag}
                label="Copy code"
                onCopied={() => noteAction('pixel.copied', id)}
              />
            </Group>
          </>
        ) : (
          <Skeleton height={88} />
        )}
      </Part>
      <Part title="Add the pixel to the site">
        <ol className={classes.steps}>
          <li>
            Paste the code before <Code>{'</head>'}</Code> on every page of{' '}
            <Anchor href={campaign.site_url} target="_blank" rel="noreferrer noopener" underline="always">
              {campaign.site_url}
            </Anchor>
            .
          </li>
          <li>
            If you use a tag manager, add it as a custom HTML tag that fires on all pages, then publish.
          </li>
          <li>Open the site once, then check it below.</li>
        </ol>
      </Part>
      <StatusPart campaign={campaign} />
      <ForeignPart id={id} />
      <Part title="Live events">
        <Events id={id} />
      </Part>
      <Part title="If the site has a content security policy">
        <Text size="sm" c="dimmed" mb="xs">
          Add these to the site’s Content-Security-Policy. The pixel needs nothing else.
        </Text>
        <Stack gap={8}>
          {snippet.data?.csp.map((line) => (
            <div key={line} className={classes.line}>
              <code className={classes.code}>{line}</code>
              <CopyButton text={line} what={`policy line ${line.split(' ')[0]}`} />
            </div>
          )) ?? <Skeleton height={76} />}
        </Stack>
      </Part>
      <Part title="Consent and privacy">
        <Text size="sm">
          To wait for the visitor’s consent, add <Code>data-consent="wait"</Code> to the pixel code and call{' '}
          <Code>leadConsent(true)</Code> on each page once the visitor agrees. Nothing is sent or stored
          before then. <Code>leadConsent(false)</Code> stops the pixel and erases what it stored.
        </Text>
        <Text size="sm" mt="xs">
          Visitors whose browsers send Global Privacy Control are counted but never identified. Consent does
          not override it. Email addresses are hashed in the browser and never leave the page as plain text.
        </Text>
      </Part>
    </Stack>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <Title order={3} mb="xs">
        {title}
      </Title>
      {children}
    </section>
  );
}

/** Other hosts whose visits were refused; most often a client's site that was not entered. */
function ForeignPart({ id }: { id: string }) {
  const foreign = useQuery({
    queryKey: ['foreign-hosts', id],
    queryFn: ({ signal }) => api.campaigns.foreignHosts({ campaign_id: id }, { signal }),
  });
  const hosts = foreign.data?.data ?? [];
  if (hosts.length === 0) return null;
  return (
    <Part title="Visits from other sites">
      <Text size="sm" mb="xs">
        These sites sent visits in the last 7 days. The visits were refused because the sites are not part of
        this campaign. If a site is yours, add it to Other domains in the setup.
      </Text>
      <ul className={classes.hosts}>
        {hosts.map(({ host, count, last_at }) => (
          <li key={host} className={classes.hostRow}>
            <span className={classes.host}>{host}</span>
            <span>
              {num(count)} {count === 1 ? 'visit' : 'visits'}, last <When at={last_at} relative />
            </span>
          </li>
        ))}
      </ul>
    </Part>
  );
}

function StatusPart({ campaign }: { campaign: Campaign }) {
  const state = pixelState(campaign, new Date());
  return (
    <Part title="Pixel status">
      <dl className={classes.facts}>
        <div>
          <dt>Pixel</dt>
          <dd>
            <StatusBadge status="pixel" tone={state.tone}>
              {state.words}
            </StatusBadge>
          </dd>
        </div>
        <div>
          <dt>Last visit</dt>
          <dd>{campaign.last_visit_at ? <When at={campaign.last_visit_at} relative /> : 'None yet'}</dd>
        </div>
        <div>
          <dt>Last check</dt>
          <dd>
            {campaign.pixel_checked_at ? <When at={campaign.pixel_checked_at} relative /> : 'Not checked yet'}
          </dd>
        </div>
      </dl>
      <Check id={campaign.campaign_id} siteUrl={campaign.site_url} />
    </Part>
  );
}

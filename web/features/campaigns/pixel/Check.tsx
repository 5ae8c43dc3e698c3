import { Button, Text } from '@mantine/core';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Client } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { wordsOf } from '../../../api/errors.ts';
import { useMay } from '../../../api/user.ts';
import { CopyButton } from '../../../ui/CopyButton.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { When } from '../../../ui/Values.tsx';
import campaign from '../campaigns/campaigns.module.css';
import { useCampaignChanged } from '../campaigns/queries.ts';
import classes from './pixel.module.css';
import { CAUSE_TITLES, wayWords } from './words.ts';

type Report = NonNullable<Awaited<ReturnType<Client['pixel']['report']>>['report']>;

const reportQuery = (id: string) =>
  queryOptions({
    queryKey: ['pixel-report', id],
    queryFn: ({ signal }) => api.pixel.report({ campaign_id: id }, { signal }),
  });

/** Checks the site, and shows what the last check found and what to do about it. */
export function Check({ id, siteUrl }: { id: string; siteUrl: string }) {
  const cache = useQueryClient();
  const changed = useCampaignChanged();
  const last = useQuery(reportQuery(id));
  const check = useMutation({
    mutationFn: () => api.pixel.check({ campaign_id: id }),
    onSettled: async () => {
      // A page that cannot be reached is an error to the call, but its report says why.
      await cache.invalidateQueries({ queryKey: reportQuery(id).queryKey });
      changed(id);
    },
  });
  const report = last.data?.report;
  const isTold = report?.cause === 'unreachable' && wordsOf(check.error) === CAUSE_TITLES.unreachable;
  return (
    <>
      {useMay('campaign.write') && (
        // Disabled in looks only: a button that is disabled loses the focus.
        <Button
          mt="xs"
          variant="default"
          data-disabled={check.isPending || undefined}
          onClick={() => !check.isPending && check.mutate()}
        >
          {check.isPending ? 'Checking…' : 'Check my site'}
        </Button>
      )}
      <div role="status" style={{ marginTop: 12 }}>
        {check.isPending ? (
          <Text size="sm" c="dimmed">
            Checking {siteUrl}. This can take half a minute.
          </Text>
        ) : (
          <>
            {check.error && !isTold && <Notice tone="warn">{wordsOf(check.error)}</Notice>}
            {report && <Found report={report} />}
          </>
        )}
      </div>
    </>
  );
}

function Found({ report: { cause, tone, message, fixes, why_read, checked_at } }: { report: Report }) {
  return (
    <Notice tone={tone} title={CAUSE_TITLES[cause]}>
      <p className={classes.message}>{message}</p>
      {fixes.map(({ label, code }) => (
        <div key={`${label}${code}`} className={classes.fix}>
          <div className={classes.label}>{label}</div>
          <div className={campaign.line}>
            <code className={campaign.code}>{code}</code>
            <CopyButton text={code} what={label} />
          </div>
        </div>
      ))}
      <Text size="xs" c="dimmed" mt="xs">
        {cause !== 'unreachable' && wayWords(why_read)} Checked <When at={checked_at} relative />.
      </Text>
    </Notice>
  );
}

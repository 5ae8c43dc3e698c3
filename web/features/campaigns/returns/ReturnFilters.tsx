import { Button, Popover, Select, Stack } from '@mantine/core';
import { IconFilter } from '@tabler/icons-react';
import { RETURN_REASONS } from '../../../../contract/campaigns/return-rules.ts';
import { REASON_WORDS } from '../../../../contract/money/credits.ts';
import { useUser } from '../../../api/user.ts';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { CampaignSelect } from '../analytics/CampaignSelect.tsx';
import { ClientSelect } from '../campaigns/ClientSelect.tsx';

/** What narrows the list of returns: reason, client, and campaign, all in the address. */
export function ReturnFilters() {
  const user = useUser();
  const [params, set] = useSearchParams();
  const choose = (patch: Record<string, string | undefined>) => set({ ...patch, page: undefined });
  return (
    <Popover position="bottom-end" shadow="md" width={320} trapFocus>
      <Popover.Target>
        <Button variant="default" leftSection={<IconFilter size={16} aria-hidden="true" />}>
          Filter
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Filter returns">
        <Stack gap="sm">
          <Select
            label="Reason"
            placeholder="All reasons"
            clearable
            clearButtonProps={{ 'aria-label': 'All reasons' }}
            comboboxProps={{ withinPortal: false }}
            data={RETURN_REASONS.map((value) => ({ value, label: REASON_WORDS[value] }))}
            value={RETURN_REASONS.find((one) => one === params.reason) ?? null}
            onChange={(next) => choose({ reason: next ?? undefined })}
          />
          {user.company_kind === 'agency' && (
            <ClientSelect
              none="All clients"
              value={params.client ?? ''}
              onChange={(client) => choose({ client: client || undefined, campaign: undefined })}
            />
          )}
          <CampaignSelect
            label="Campaign"
            value={params.campaign}
            onChange={(campaign) => choose({ campaign })}
          />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

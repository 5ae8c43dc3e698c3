import { Select, Stack } from '@mantine/core';
import { RETURN_REASONS } from '../../../../contract/campaigns/return-rules.ts';
import { REASON_WORDS } from '../../../../contract/money/credits.ts';
import { useUser } from '../../../api/user.ts';
import { FilterButton } from '../../../ui/FilterButton.tsx';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { CampaignSelect } from '../analytics/CampaignSelect.tsx';
import { ClientSelect } from '../campaigns/ClientSelect.tsx';

/** What narrows the list of returns: reason, client, and campaign, all in the address. */
export function ReturnFilters() {
  const user = useUser();
  const [params, set] = useSearchParams();
  const choose = (patch: Record<string, string | undefined>) => set({ ...patch, page: undefined });
  return (
    <FilterButton label="Filter returns" width={320}>
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
    </FilterButton>
  );
}

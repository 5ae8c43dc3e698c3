import { Select, Stack } from '@mantine/core';
import type { ModuleName } from '../../../../contract/routing/routing-facts.ts';
import { useUser } from '../../../api/user.ts';
import { FilterButton } from '../../../ui/FilterButton.tsx';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { CampaignSelect } from '../analytics/CampaignSelect.tsx';
import { ClientSelect } from '../campaigns/ClientSelect.tsx';

const PERIODS = [1, 7, 30, 90].map((days) => ({
  value: String(days),
  label: days === 1 ? 'Today' : `Last ${days} days`,
}));

/** The least scores that can be chosen. */
const LEAST_SCORES = [80, 60, 40, 20].map((score) => ({ value: String(score), label: `${score} and up` }));

/** What a lead can be. */
export const KINDS = [
  { value: 'person', label: 'People' },
  { value: 'company', label: 'Companies without a person' },
];

/** What narrows the list of leads: product, client, campaign, period, score, and kind, all in the address. */
export function LeadFilters({ products }: { products: { module: ModuleName; name: string }[] }) {
  const user = useUser();
  const [params, set] = useSearchParams();
  const choose = (patch: Record<string, string | undefined>) => set({ ...patch, page: undefined });
  return (
    <FilterButton label="Filter leads" width={320}>
      <Stack gap="sm">
        {products.length > 1 && (
          <Select
            label="Product"
            placeholder="All products"
            clearable
            clearButtonProps={{ 'aria-label': 'All products' }}
            comboboxProps={{ withinPortal: false }}
            data={products.map(({ module, name }) => ({ value: module, label: name }))}
            value={params.product ?? null}
            onChange={(next) => choose({ product: next ?? undefined, campaign: undefined })}
          />
        )}
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
          module={products.find(({ module }) => module === params.product)?.module}
          onChange={(campaign) => choose({ campaign })}
        />
        <Select
          label="Received"
          placeholder="Any time"
          clearable
          clearButtonProps={{ 'aria-label': 'Any time' }}
          comboboxProps={{ withinPortal: false }}
          data={PERIODS}
          value={PERIODS.some(({ value }) => value === params.days) ? params.days! : null}
          onChange={(days) => choose({ days: days ?? undefined, from: undefined, to: undefined })}
        />
        <Select
          label="Score"
          placeholder="Any score"
          clearable
          clearButtonProps={{ 'aria-label': 'Any score' }}
          comboboxProps={{ withinPortal: false }}
          data={LEAST_SCORES}
          value={LEAST_SCORES.some(({ value }) => value === params.score) ? params.score! : null}
          onChange={(score) => choose({ score: score ?? undefined })}
        />
        <Select
          label="Kind"
          placeholder="People and companies"
          clearable
          clearButtonProps={{ 'aria-label': 'People and companies' }}
          comboboxProps={{ withinPortal: false }}
          data={KINDS}
          value={KINDS.some(({ value }) => value === params.kind) ? params.kind! : null}
          onChange={(kind) => choose({ kind: kind ?? undefined })}
        />
      </Stack>
    </FilterButton>
  );
}

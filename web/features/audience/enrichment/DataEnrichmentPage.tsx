import { SegmentedControl, Skeleton, Stack } from '@mantine/core';
import { IconDatabaseImport } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { api } from '../../../api/client.ts';
import { useMay, useUser } from '../../../api/user.ts';
import { SectionSkeleton } from '../../../ui/FormSection.tsx';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { EmptyState, ErrorState } from '../../../ui/states.tsx';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { ClientSelect } from '../../campaigns/campaigns/ClientSelect.tsx';
import { AgencySelect } from './AgencySelect.tsx';
import { ChoiceForm } from './ChoiceForm.tsx';
import { SourceForm } from './SourceForm.tsx';

/** Only roots have them. */
const Exchanges = lazy(() => import('../../ads/ad-serving/Exchanges.tsx'));

const isId = (text: string | undefined): text is string => /^[0-9a-f-]{36}$/.test(text ?? '');

/** Which data about people a company's campaigns may request, and from which sources (CONF-04). */
export default function DataEnrichmentPage() {
  const { company_id, company_kind } = useUser();
  const isRoot = company_kind === 'root';
  const maySources = useMay('data.source');
  const [params, set] = useSearchParams();
  const isBelow = params.of === 'one';
  const below = isId(params.company) ? params.company : undefined;
  const noun = isRoot ? 'agency' : 'client';
  const companyId = isBelow ? below : company_id;
  return (
    <>
      <PageHeader
        title="Data Enrichment"
        line="Extra data that campaigns can request about their leads, beyond contact details."
      />
      <SegmentedControl
        mb="md"
        aria-label="Data fields for"
        value={isBelow ? 'one' : 'own'}
        data={[
          { value: 'own', label: isRoot ? 'All agencies' : 'Our company' },
          { value: 'one', label: `One ${noun}` },
        ]}
        onChange={(next) => set({ of: next === 'one' ? 'one' : undefined, company: undefined })}
      />
      {isBelow && (
        <div style={{ maxWidth: 400, marginBottom: 16 }}>
          {isRoot ? (
            <AgencySelect value={below ?? ''} onChange={(next) => set({ company: next || undefined })} />
          ) : (
            <ClientSelect
              description="Its campaigns can use these fields."
              value={below ?? ''}
              onChange={(next) => set({ company: next || undefined })}
            />
          )}
        </div>
      )}
      {companyId ? (
        <Stack gap="lg">
          <Choice key={companyId} companyId={companyId} />
          {!isBelow && maySources && <SourceForm />}
          {!isBelow && maySources && (
            <Suspense fallback={<Skeleton height={240} />}>
              <Exchanges />
            </Suspense>
          )}
        </Stack>
      ) : (
        <div className="card">
          <EmptyState
            icon={<IconDatabaseImport size={32} stroke={1.4} />}
            title={`Choose ${isRoot ? 'an agency' : 'a client'}`}
            text={`Its campaigns can use only the fields you select here. Until you select any, they can use everything ${isRoot ? 'all agencies get' : 'you get'}.`}
          />
        </div>
      )}
    </>
  );
}

function Choice({ companyId }: { companyId: string }) {
  const query = useQuery({
    queryKey: ['data-choice', companyId],
    queryFn: async ({ signal }) => (await api.enrichment.choice({ company_id: companyId }, { signal })).data,
    // It fills a form, so it must not change while the form is open.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (query.error)
    return (
      <ErrorState
        error={query.error}
        what="The data fields could not be loaded"
        onRetry={() => void query.refetch()}
      />
    );
  if (!query.data) return <SectionSkeleton fields={6} />;
  return <ChoiceForm known={query.data} />;
}

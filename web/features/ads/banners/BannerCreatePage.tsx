import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { useMay } from '../../../api/user.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { SkeletonRows } from '../../../ui/SkeletonRows.tsx';
import { EmptyState, ErrorState } from '../../../ui/states.tsx';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { BannerStart } from './BannerStart.tsx';
import Editor from './Editor.tsx';
import type { Draft } from './edits.ts';
import type { Banner } from './model.ts';

const keyOf = (id: string) => ['banners', 'one', id];

/** Creates a banner, or changes the one in the address (?id=). */
export default function BannerCreatePage() {
  const [{ id }] = useSearchParams();
  return id ? <Existing key={id} id={id} /> : <New />;
}

function Existing({ id }: { id: string }) {
  const client = useQueryClient();
  const query = useQuery({
    queryKey: keyOf(id),
    queryFn: ({ signal }) => api.banners.details({ id }, { signal }),
    // What someone else saves meanwhile must not replace what is being edited here.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (query.error)
    return (
      <ErrorState
        error={query.error}
        what="The banner could not be loaded"
        onRetry={() => void query.refetch()}
      />
    );
  if (!query.data) return <SkeletonRows />;
  const { name, alt_text, click_url, design } = query.data;
  return (
    <Editor
      banner={query.data}
      start={{ name, alt_text, click_url, design }}
      companyId={query.data.company_id}
      onSaved={() => void client.invalidateQueries({ queryKey: ['banners', 'list'] })}
    />
  );
}

function New() {
  const client = useQueryClient();
  const mayCreate = useMay('banner.create');
  const [, set] = useSearchParams();
  const [begun, setBegun] = useState<{ draft: Draft; companyId: string | undefined }>();
  const saved = async (banner: Banner, leave: () => void) => {
    await client.invalidateQueries({ queryKey: ['banners', 'list'] });
    leave();
    set({ id: banner.id });
  };
  if (!mayCreate)
    return (
      <>
        <PageHeader title="Create banner" line="Banners are designed by agencies and their clients." />
        <div className="card">
          <EmptyState
            title="You cannot create banners"
            text="Open the list of banners to see those of your agencies and clients."
          />
        </div>
      </>
    );
  if (!begun) return <BannerStart onStart={(draft, companyId) => setBegun({ draft, companyId })} />;
  return (
    <Editor
      banner={undefined}
      start={begun.draft}
      companyId={begun.companyId}
      onSaved={(banner, leave) => void saved(banner, leave)}
    />
  );
}

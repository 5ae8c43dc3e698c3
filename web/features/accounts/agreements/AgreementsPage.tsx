import { Tabs } from '@mantine/core';
import { lazy, type ReactNode, Suspense } from 'react';
import { useMay, useUser } from '../../../api/user.ts';
import { PendingPage } from '../../../shell/PendingPage.tsx';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { OwnAgreements } from './OwnAgreements.tsx';

const EditorTab = lazy(() => import('./EditorTab.tsx'));
const AcceptancesTab = lazy(() => import('./AcceptancesTab.tsx'));
const SignatureTab = lazy(() => import('./SignatureTab.tsx'));

/** A company's agreements: those it accepts, and those that it makes with the companies below it (DOC-01). */
export default function AgreementsPage() {
  const user = useUser();
  const [params, set] = useSearchParams();
  const mayRead = useMay('setting.read');
  const isClient = user.company_kind === 'client';
  const below = user.company_kind === 'root' ? 'agencies' : 'clients';
  const tabs: { value: string; label: string; page: ReactNode }[] = [
    ...(user.company_kind === 'root'
      ? []
      : [{ value: 'own', label: 'Your agreements', page: <OwnAgreements /> }]),
    ...(mayRead && !isClient
      ? [
          { value: 'texts', label: `Agreements with ${below}`, page: <EditorTab /> },
          { value: 'accepted', label: 'Who accepted', page: <AcceptancesTab /> },
          { value: 'signature', label: 'Signature', page: <SignatureTab /> },
        ]
      : []),
  ];
  const at = tabs.find(({ value }) => value === params.tab) ?? tabs[0];
  return (
    <>
      <PageHeader
        title="Agreements"
        line={
          isClient
            ? 'What your company has agreed to, with signed files to keep.'
            : 'Your company’s agreements in versions, with signed files of each acceptance.'
        }
      />
      {tabs.length < 2 ? (
        at?.page
      ) : (
        <Tabs value={at!.value} onChange={(value) => set({ tab: value ?? undefined })} keepMounted={false}>
          <Tabs.List mb="lg" style={{ flexWrap: 'nowrap', overflowX: 'auto' }}>
            {tabs.map(({ value, label }) => (
              <Tabs.Tab key={value} value={value} style={{ flexShrink: 0 }}>
                {label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {tabs.map(({ value, page }) => (
            <Tabs.Panel key={value} value={value}>
              <Suspense fallback={<PendingPage />}>{page}</Suspense>
            </Tabs.Panel>
          ))}
        </Tabs>
      )}
    </>
  );
}

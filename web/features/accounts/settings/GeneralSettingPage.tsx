import { Tabs } from '@mantine/core';
import { lazy, type ReactNode, Suspense, useEffect, useRef } from 'react';
import type { Permission } from '../../../../contract/accounts/permissions.ts';
import { userMay, useSetup, useUser } from '../../../api/user.ts';
import { PendingPage } from '../../../shell/PendingPage.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { useSearchParams } from '../../../ui/useSearchParams.ts';

const BrandingTab = lazy(() => import('./BrandingTab.tsx'));
const DefaultsTab = lazy(() => import('./DefaultsTab.tsx'));
const DomainTab = lazy(() => import('./DomainTab.tsx'));
const DunningTab = lazy(() => import('./DunningTab.tsx'));
const EmailTab = lazy(() => import('./EmailTab.tsx'));
const EmbedTab = lazy(() => import('./EmbedTab.tsx'));
const MinimumsTab = lazy(() => import('./MinimumsTab.tsx'));
const ModulesTab = lazy(() => import('./ModulesTab.tsx'));
const PackagesTab = lazy(() => import('./PackagesTab.tsx'));
const PaymentTab = lazy(() => import('./PaymentTab.tsx'));
const ProductsTab = lazy(() => import('./ProductsTab.tsx'));
const RegistrationTab = lazy(() => import('./RegistrationTab.tsx'));
const SecurityTab = lazy(() => import('./SecurityTab.tsx'));
const SidebarTab = lazy(() => import('./SidebarTab.tsx'));
const SubscriptionTab = lazy(() => import('./SubscriptionTab.tsx'));
const ReturnsTab = lazy(() => import('./ReturnsTab.tsx'));
const ThresholdTab = lazy(() => import('./ThresholdTab.tsx'));

interface SettingTab {
  value: string;
  label: string;
  page: ReactNode;
  /** Absent: roots and agencies have it. */
  only?: 'agency' | 'root';
  /** The permission it needs in addition to the page's. */
  needs?: Permission;
  /** Not available in view mode. */
  notInView?: true;
}

const TABS: SettingTab[] = [
  { value: 'branding', label: 'Branding', page: <BrandingTab /> },
  { value: 'domain', label: 'Domain', page: <DomainTab />, only: 'agency' },
  {
    value: 'payment',
    label: 'Payment account',
    page: <PaymentTab />,
    only: 'agency',
    needs: 'account.connect',
  },
  { value: 'embed', label: 'Embed code', page: <EmbedTab />, only: 'agency' },
  { value: 'modules', label: 'Modules', page: <ModulesTab /> },
  { value: 'sidebar', label: 'Sidebar', page: <SidebarTab /> },
  { value: 'threshold', label: 'Billing threshold', page: <ThresholdTab />, only: 'agency' },
  { value: 'returns', label: 'Returns', page: <ReturnsTab /> },
  { value: 'email', label: 'Email', page: <EmailTab /> },
  { value: 'products', label: 'Products', page: <ProductsTab />, only: 'root' },
  { value: 'defaults', label: 'Defaults', page: <DefaultsTab />, only: 'root' },
  { value: 'minimums', label: 'Minimums', page: <MinimumsTab />, only: 'root', needs: 'cost.write' },
  { value: 'packages', label: 'Packages', page: <PackagesTab />, only: 'root', needs: 'cost.write' },
  { value: 'dunning', label: 'Failed payments', page: <DunningTab />, only: 'root' },
  { value: 'registration', label: 'Registration', page: <RegistrationTab /> },
  { value: 'security', label: 'Security', page: <SecurityTab />, notInView: true },
  {
    value: 'subscription',
    label: 'Subscription',
    page: <SubscriptionTab />,
    only: 'agency',
    needs: 'subscription.write',
    notInView: true,
  },
];

/** A root's or an agency's own settings; each tab is saved separately (spec product 2, general-setting). */
export default function GeneralSettingPage() {
  const user = useUser();
  const { white_labelling } = useSetup();
  const [params, set] = useSearchParams();
  const tabs = TABS.filter(
    (tab) =>
      (!tab.only || user.company_kind === tab.only) &&
      (!tab.needs || userMay(user, tab.needs)) &&
      !(tab.notInView && user.in_view_mode),
  );
  const shown = tabs.find((tab) => tab.value === params.tab) ?? tabs[0]!;
  const list = useRef<HTMLDivElement>(null);
  // Where there is no room for all tabs, the one that is shown comes into sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each time another one is shown
  useEffect(() => {
    const active = list.current?.querySelector<HTMLElement>('[aria-selected="true"]');
    active?.scrollIntoView({ inline: 'nearest', block: 'nearest' });
  }, [shown.value]);
  return (
    <>
      <PageHeader
        title="General Settings"
        line={`How ${user.company_name} looks, where users find it, and who can join.`}
      />
      {user.company_kind === 'agency' && white_labelling === 'F' && (
        <div style={{ marginBottom: 16 }}>
          <Notice tone="info" title="White labeling is off for your agency">
            Your users and clients see the platform’s brand, domain, and email sender. Your branding, domain,
            embed code, and mail server are saved and will be used once the platform turns on white labeling.
          </Notice>
        </div>
      )}
      <Tabs
        value={shown.value}
        onChange={(value) =>
          set({ tab: value === 'branding' ? undefined : (value ?? undefined) }, { push: true })
        }
        keepMounted={false}
      >
        <Tabs.List ref={list} mb="lg">
          {tabs.map((tab) => (
            <Tabs.Tab key={tab.value} value={tab.value} style={{ flexShrink: 0 }}>
              {tab.label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map((tab) => (
          <Tabs.Panel key={tab.value} value={tab.value}>
            <Suspense fallback={<PendingPage />}>{tab.page}</Suspense>
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  );
}

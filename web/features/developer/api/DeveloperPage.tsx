import { Button, Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { KeysTab } from './KeysTab.tsx';
import { RequestsTab } from './RequestsTab.tsx';
import { WebhooksTab } from './WebhooksTab.tsx';

const TABS: readonly { value: string; label: string; page: ReactNode }[] = [
  { value: 'keys', label: 'API keys', page: <KeysTab /> },
  { value: 'webhooks', label: 'Webhooks', page: <WebhooksTab /> },
  { value: 'requests', label: 'Requests', page: <RequestsTab /> },
];

/** Everything for the agency's own programs: keys, webhooks, and what was requested (DEV-01). */
export default function DeveloperPage() {
  const [params, set] = useSearchParams();
  const shown = TABS.find((tab) => tab.value === params.tab) ?? TABS[0]!;
  return (
    <>
      <PageHeader
        title="Developer"
        line="API keys let your own programs work with your agency’s data."
        primary={
          <Button component="a" href="/api/reference" target="_blank" variant="default">
            API reference
          </Button>
        }
      />
      <Tabs
        value={shown.value}
        onChange={(value) =>
          // What is filtered or open belongs to the tab that is left.
          set(
            {
              ...Object.fromEntries(Object.keys(params).map((name) => [name, undefined])),
              tab: value === 'keys' ? undefined : (value ?? undefined),
            },
            { push: true },
          )
        }
        keepMounted={false}
      >
        <Tabs.List mb="lg">
          {TABS.map((tab) => (
            <Tabs.Tab key={tab.value} value={tab.value}>
              {tab.label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {TABS.map((tab) => (
          <Tabs.Panel key={tab.value} value={tab.value}>
            {tab.page}
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  );
}

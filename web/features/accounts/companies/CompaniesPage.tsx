import { ActionIcon, Button, Group, Tooltip } from '@mantine/core';
import { IconPackageExport, IconPlus } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { useFacts, useMay } from '../../../api/user.ts';
import { HelpButton } from '../../../ui/HelpModal.tsx';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { AddForm } from './CompanyForms.tsx';
import { CompanyTable } from './CompanyTable.tsx';

const ExportsModal = lazy(() => import('./ExportsModal.tsx'));

/** A list of companies with its header, its help and the inline form to add one. */
export function CompaniesPage(props: {
  kind: 'agency' | 'client';
  title: string;
  line: string;
  help: string;
  film: string;
}) {
  const { kind } = props;
  const mayAdd = useMay('company.create');
  const [isAdding, setAdding] = useState(false);
  const { user } = useFacts();
  // An agency is in no list of its own, so that its export is here.
  const mayExport = useMay('company.export') && user.company_kind === 'agency' && !user.in_view_mode;
  const [isExporting, setExporting] = useState(false);
  return (
    <>
      <PageHeader
        title={props.title}
        line={props.line}
        primary={
          <Group gap="xs" wrap="nowrap">
            <HelpButton title={props.title} video={props.film} description={props.help} />
            {mayExport && (
              <Tooltip label="Full export of your agency and its clients">
                <ActionIcon
                  variant="default"
                  size="input-sm"
                  aria-label="Full export of your agency"
                  onClick={() => setExporting(true)}
                >
                  <IconPackageExport size={18} aria-hidden="true" />
                </ActionIcon>
              </Tooltip>
            )}
            {mayAdd && (
              <Button
                leftSection={<IconPlus size={16} aria-hidden="true" />}
                aria-expanded={isAdding}
                onClick={() => setAdding(!isAdding)}
              >
                {kind === 'agency' ? 'Add agency' : 'Add client'}
              </Button>
            )}
          </Group>
        }
      />
      {isAdding && <AddForm kind={kind} onClose={() => setAdding(false)} />}
      <CompanyTable kind={kind} />
      {isExporting && (
        <Suspense fallback={null}>
          <ExportsModal
            company={{ id: user.company_id, name: user.company_name, kind: 'agency' }}
            onClose={() => setExporting(false)}
          />
        </Suspense>
      )}
    </>
  );
}

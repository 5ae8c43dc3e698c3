import { Button, Group } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useMay } from '../../../api/user.ts';
import { HelpButton } from '../../../ui/HelpModal.tsx';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { AddForm } from './CompanyForms.tsx';
import { CompanyTable } from './CompanyTable.tsx';

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
  return (
    <>
      <PageHeader
        title={props.title}
        line={props.line}
        primary={
          <Group gap="xs" wrap="nowrap">
            <HelpButton title={props.title} video={props.film} description={props.help} />
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
    </>
  );
}

import { Button } from '@mantine/core';
import { IconDownload, IconFileText } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useUser } from '../../../api/user.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { StatusBadge, type Tone } from '../../../ui/StatusBadge.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { Clip, None, When } from '../../../ui/Values.tsx';
import { type Standing, standingsQuery } from './agreements.ts';
import { downloadSigned } from './download.ts';

const STATES: Record<Standing['state'], [words: string, tone: Tone]> = {
  missing: ['Not accepted', 'warn'],
  accepted: ['Accepted', 'good'],
  changing: ['New version', 'warn'],
  expired: ['Accept again', 'bad'],
};

/** The agreements of one's own company, and how far each is accepted. */
export function OwnAgreements() {
  const user = useUser();
  const navigate = useNavigate();
  const query = useQuery(standingsQuery);
  const columns: Column<Standing>[] = [
    { key: 'title', title: 'Agreement', fluid: 30, render: (row) => <Clip text={row.title} max={320} /> },
    {
      key: 'state',
      phone: 'state',
      title: 'State',
      render: (row) => (
        <StatusBadge status={row.state} tone={STATES[row.state][1]}>
          {STATES[row.state][0]}
        </StatusBadge>
      ),
    },
    { key: 'party', phone: 'line', title: 'With', render: (row) => <Clip text={row.party} max={200} /> },
    {
      key: 'version',
      phone: 'line',
      title: 'Version',
      render: (row) =>
        row.accepted_version === null
          ? row.version
          : row.accepted_version === row.version
            ? row.version
            : `${row.accepted_version}, new: ${row.version}`,
    },
    {
      key: 'by',
      phone: false,
      title: 'Accepted by',
      render: (row) => (row.accepted_by ? <Clip text={row.accepted_by} max={200} /> : <None />),
    },
    {
      key: 'at',
      phone: false,
      title: 'Accepted',
      align: 'right',
      render: (row) => (row.accepted_at ? <When at={row.accepted_at} /> : <None />),
    },
    {
      key: 'until',
      phone: 'line',
      title: 'Accept by',
      align: 'right',
      render: (row) => (row.must_accept_by ? <When at={row.must_accept_by} /> : <None />),
    },
    {
      key: 'file',
      phone: 'end',
      title: 'File',
      align: 'right',
      render: (row) =>
        row.accepted_version === null ? (
          <None />
        ) : (
          <Button
            variant="subtle"
            size="compact-sm"
            leftSection={<IconDownload size={14} aria-hidden="true" />}
            aria-label={`Download PDF: ${row.title}`}
            onClick={() => void downloadSigned(user.id, row.document_type)}
          >
            PDF
          </Button>
        ),
    },
  ];
  return (
    <DataTable
      label="Your agreements"
      name="agreements"
      download={{ list: 'agreements' }}
      columns={columns}
      query={query}
      rowKey={(row) => row.document_type}
      onRow={(row) => void navigate({ to: `/configuration/agreements/${row.document_type}` as '/' })}
      empty={
        <EmptyState
          icon={<IconFileText size={32} stroke={1.4} />}
          title="No agreements"
          text="There is nothing for your company to accept."
        />
      }
    />
  );
}

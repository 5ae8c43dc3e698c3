import { Modal } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { EmptyState } from '../../ui/states.tsx';
import { type CompanyItem, named } from './companies.ts';

/** The frame of a company's user log. What is done is recorded already; the table that shows it is built with the logs. */
export function LogsModal({ row, onClose }: { row: CompanyItem; onClose: () => void }) {
  return (
    <Modal
      opened
      onClose={onClose}
      centered
      size="lg"
      title={row.kind === 'agency' ? "Agency User's Logs" : "Client User's Logs"}
    >
      <EmptyState
        icon={<IconHistory size={32} stroke={1.4} />}
        title="The table of the log is not built yet"
        text={`What people of ${named(row.company_name)} do is recorded from the start. It will be shown here, with its filters and its download, as soon as the logs have their page.`}
      />
    </Modal>
  );
}

import { IconBuilding } from '@tabler/icons-react';
import { EmptyState } from '../../../ui/states.tsx';

/** What sales see instead of companies while none are assigned to them. */
export function NothingAssigned() {
  return (
    <EmptyState
      icon={<IconBuilding size={32} stroke={1.4} />}
      title="Nothing is assigned to you yet"
      text="When an administrator assigns companies to you, they appear here. If you expected to see some, ask your administrator."
    />
  );
}

import { Modal, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { ListsPanel } from './ListsPanel.tsx';
import type { Place } from './model.ts';

/** The lists of a client, or of a campaign and its client, above whatever page they were opened from. */
export default function ExclusionModal(props: {
  places: (Place & { label: string })[];
  onClose: () => void;
}) {
  const { places, onClose } = props;
  const [at, setAt] = useState(0);
  const { label: _, ...place } = places[at]!;
  return (
    <Modal opened onClose={onClose} size="xl" centered title="Exclusion List">
      {places.length > 1 && (
        <SegmentedControl
          mb="md"
          aria-label="List for"
          value={String(at)}
          data={places.map(({ label }, i) => ({ value: String(i), label }))}
          onChange={(next) => setAt(Number(next))}
        />
      )}
      <ListsPanel key={place.id} place={place} />
    </Modal>
  );
}

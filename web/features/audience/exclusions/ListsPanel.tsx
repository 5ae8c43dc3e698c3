import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { CustomersPanel } from './CustomersPanel.tsx';
import { ExclusionPanel } from './ExclusionPanel.tsx';
import type { Place } from './model.ts';

/** Which of a place's lists are shown. */
export type Shown = 'exclude' | 'customers';

/** The lists of a client or campaign: who must not become a lead, and who is a customer. Use the place as its React key. */
export function ListsPanel(props: { place: Place; shown?: Shown; onShown?: (next: Shown) => void }) {
  const { place } = props;
  const [own, setOwn] = useState<Shown>('exclude');
  const shown = props.shown ?? own;
  return (
    <>
      <SegmentedControl
        mb="md"
        aria-label="Lists of"
        value={shown}
        data={[
          { value: 'exclude', label: 'Exclusions' },
          { value: 'customers', label: 'Known customers' },
        ]}
        onChange={(next) => (props.onShown ?? setOwn)(next as Shown)}
      />
      {shown === 'customers' ? (
        <CustomersPanel place={{ ...place, use: 'customers' }} />
      ) : (
        <ExclusionPanel place={place} />
      )}
    </>
  );
}

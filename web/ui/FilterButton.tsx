import { Button, Popover } from '@mantine/core';
import { IconFilter } from '@tabler/icons-react';
import type { ReactNode } from 'react';

/** Opens what a list is narrowed by. `label` names it for screen readers: 'Filter leads'. */
export function FilterButton(props: { label: string; width?: number; children: ReactNode }) {
  return (
    <Popover position="bottom-end" shadow="md" width={props.width ?? 'max-content'} trapFocus>
      <Popover.Target>
        <Button variant="default" leftSection={<IconFilter size={16} aria-hidden="true" />}>
          Filter
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={props.label}>{props.children}</Popover.Dropdown>
    </Popover>
  );
}

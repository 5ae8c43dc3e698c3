import { ActionIcon, Group, Menu, Text, Title } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { usePageTitle } from './usePageTitle.ts';

/** The header of every page: title, what the page is for, primary action, the rest in a menu (`Menu.Item`s). */
export function PageHeader(props: { title: string; line: ReactNode; primary?: ReactNode; menu?: ReactNode }) {
  usePageTitle(props.title);
  return (
    <Group justify="space-between" align="flex-start" gap="md" mb="lg" wrap="wrap">
      <div style={{ flex: '1 1 240px', minWidth: 0 }}>
        <Title order={1} style={{ overflowWrap: 'anywhere' }}>
          {props.title}
        </Title>
        <Text c="dimmed" size="sm" style={{ overflowWrap: 'anywhere', textWrap: 'pretty' }}>
          {props.line}
        </Text>
      </div>
      <Group gap="xs" wrap="nowrap">
        {props.primary}
        {props.menu && (
          <Menu position="bottom-end">
            <Menu.Target>
              <ActionIcon variant="default" size={36} aria-label="More actions">
                <IconDots size={18} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>{props.menu}</Menu.Dropdown>
          </Menu>
        )}
      </Group>
    </Group>
  );
}

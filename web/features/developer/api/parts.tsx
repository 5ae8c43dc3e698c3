import { Code, Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyButton } from '../../../ui/CopyButton.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';

/** The HTTP status of a response. */
export function Status({ status }: { status: number }) {
  return (
    <StatusBadge status={String(status)} tone={status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good'}>
      {status}
    </StatusBadge>
  );
}

/** A line of what is known about something. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <Text size="sm" c="dimmed" w={130} style={{ flexShrink: 0 }}>
        {name}
      </Text>
      <Text size="sm" component="div" style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
        {children}
      </Text>
    </Group>
  );
}

/** JSON that can be copied. */
export function Json({ title, text, note }: { title: string; text: string; note?: string }) {
  return (
    <section>
      <Group gap={4} mb={4}>
        <Title order={3} size="h5">
          {title}
        </Title>
        <CopyButton text={text} what={title.toLowerCase()} />
      </Group>
      {note && (
        <Text size="xs" c="dimmed" mb={4}>
          {note}
        </Text>
      )}
      <Code block mah={360} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }} tabIndex={0}>
        {text}
      </Code>
    </section>
  );
}
/** JSON over several lines. */
export const pretty = (json: string): string => JSON.stringify(JSON.parse(json), null, 2);

import { Anchor, Group, Modal, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useFacts } from '../api/user.ts';
import { dayWords } from '../ui/format.ts';
import { StatusBadge } from '../ui/StatusBadge.tsx';
import { newsFor } from './news.ts';
import { markNewsSeen, newsSeen } from './news-seen.ts';

const LONG = { year: 'numeric', month: 'long', day: 'numeric' } as const;

/** What is new in the product, for who may use it. Opening it marks it as seen. */
export default function NewsModal({ onClose }: { onClose: () => void }) {
  const facts = useFacts();
  const [seen] = useState(newsSeen);
  useEffect(markNewsSeen, []);
  return (
    <Modal opened onClose={onClose} title="What’s new" size="lg">
      <Stack component="ul" gap="lg" m={0} p={0} style={{ listStyle: 'none' }}>
        {newsFor(facts).map(({ on, title, text, page }) => (
          <li key={title}>
            <Text size="xs" c="dimmed">
              {dayWords(on, LONG)}
            </Text>
            <Group gap="xs">
              <Title order={3} size="h5">
                {title}
              </Title>
              {on > seen && <StatusBadge status="new" tone="info" />}
            </Group>
            <Text size="sm" mt={2}>
              {text}
            </Text>
            <Anchor component={Link} to={page.path} size="sm" onClick={onClose}>
              {page.label}
            </Anchor>
          </li>
        ))}
      </Stack>
    </Modal>
  );
}

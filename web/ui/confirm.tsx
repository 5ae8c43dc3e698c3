import { Button, Group, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import type { ReactNode } from 'react';
import { overlaysReady } from './overlays.ts';

export interface Question {
  /** The consequence, naming the object: 'Remove "Spring sale"?' */
  title: string;
  body: ReactNode;
  /** The confirm button's label: 'Remove'. */
  verb: string;
  /** The other button's label if 'Cancel' could be misread. */
  dismiss?: string;
  danger?: boolean;
}

/** Asks for confirmation; true if confirmed. For a dangerous action, the focus starts on the cancel button. */
export async function confirm(question: Question): Promise<boolean> {
  await overlaysReady();
  return new Promise((resolve) => {
    let answer = false;
    const id = modals.open({
      title: question.title,
      size: 'sm',
      centered: true,
      onClose: () => resolve(answer),
      children: (
        <>
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {question.body}
          </Text>
          <Group justify="flex-end" mt="lg" gap="xs">
            <Button
              variant="default"
              data-autofocus={question.danger || undefined}
              onClick={() => modals.close(id)}
            >
              {question.dismiss ?? 'Cancel'}
            </Button>
            <Button
              color={question.danger ? 'red.9' : undefined}
              data-autofocus={!question.danger || undefined}
              onClick={() => {
                answer = true;
                modals.close(id);
              }}
            >
              {question.verb}
            </Button>
          </Group>
        </>
      ),
    });
  });
}

/** Shows what the spec calls an alert: a modal with one button. Resolves when closed. */
export async function alertModal(title: string, body: ReactNode, verb = 'OK'): Promise<void> {
  await overlaysReady();
  return new Promise((resolve) => {
    const id = modals.open({
      title,
      size: 'sm',
      centered: true,
      onClose: () => resolve(),
      children: (
        <>
          <Text size="sm">{body}</Text>
          <Group justify="flex-end" mt="lg">
            <Button data-autofocus onClick={() => modals.close(id)}>
              {verb}
            </Button>
          </Group>
        </>
      ),
    });
  });
}

import { Button, Group, Modal, Text } from '@mantine/core';

/** Entries of the profile menu whose work is not built yet. */
export type PlannedEntry = 'developer';

const PLANS: Record<PlannedEntry, { title: string; lines: string[] }> = {
  developer: {
    title: 'Developer',
    lines: [
      'Here you will make keys for the API of this platform.',
      'Keys cannot be made yet. Leads can already be sent to your own systems as signed webhooks: open a campaign and choose Delivery.',
    ],
  },
};

/** Says honestly what an entry of the menu will be for. */
export default function PlannedModal({ entry, onClose }: { entry: PlannedEntry; onClose: () => void }) {
  const plan = PLANS[entry];
  return (
    <Modal opened onClose={onClose} title={plan.title} centered>
      {plan.lines.map((line) => (
        <Text key={line} size="sm" mb="xs">
          {line}
        </Text>
      ))}
      <Group justify="flex-end" mt="lg">
        <Button data-autofocus onClick={onClose}>
          Close
        </Button>
      </Group>
    </Modal>
  );
}

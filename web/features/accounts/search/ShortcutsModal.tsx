import { Kbd, Modal, Table, Text } from '@mantine/core';
import { SHORTCUTS } from '../../../ui/shortcuts.ts';

/** The keyboard shortcuts of the product. */
export default function ShortcutsModal({ onClose }: { onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title="Keyboard shortcuts">
      {SHORTCUTS.map(({ title, keys }) => (
        <Table key={title} mb="md" verticalSpacing={6} horizontalSpacing={0}>
          <caption className="sr-only">{title}</caption>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{title}</Table.Th>
              <Table.Th ta="right">
                <Text inherit className="sr-only">
                  Keys
                </Text>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {keys.map(([pressed, does]) => (
              <Table.Tr key={does}>
                <Table.Td>{does}</Table.Td>
                <Table.Td ta="right">
                  <Kbd>{pressed}</Kbd>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      ))}
    </Modal>
  );
}

import { Stack, Table, Text } from '@mantine/core';
import type { Pushed } from './model.ts';

type Change = Pushed['changes'][number];

/** Fields with what they are and what they become, or were and became. */
export function Changes(props: { label: string; heads: [before: string, after: string]; rows: Change[] }) {
  if (props.rows.length === 0) return null;
  return (
    <Table.ScrollContainer minWidth={420}>
      <Table aria-label={props.label} verticalSpacing={6} layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w="30%">Field</Table.Th>
            {props.heads.map((head) => (
              <Table.Th key={head}>{head}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {props.rows.map((row) => (
            <Table.Tr key={row.field}>
              <Table.Th scope="row" fw={500}>
                {row.label}
              </Table.Th>
              {[row.before, row.after].map((value, i) => (
                <Table.Td key={props.heads[i]} style={{ overflowWrap: 'anywhere' }}>
                  <bdi>{value}</bdi>
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** What a push did to one target, and its rollback. */
export function TargetDetails({ row }: { row: Pushed }) {
  const isEmpty = !row.reason && row.changes.length + row.kept.length + row.undone.length === 0;
  return (
    <Stack gap="sm" p="md" style={{ overflowWrap: 'anywhere' }}>
      {row.reason && <Text size="sm">{row.reason}</Text>}
      <Changes label="Changed by the push" heads={['Before', 'After']} rows={row.changes} />
      {row.kept.length > 0 && (
        <>
          <Text size="sm">Left as they were, because they had been changed since the last push:</Text>
          <Changes label="Left as they were" heads={['Is', 'In the template']} rows={row.kept} />
        </>
      )}
      {row.undone.length > 0 && (
        <ul style={{ margin: 0, paddingInlineStart: 18 }} aria-label="Rollback">
          {row.undone.map((one) => (
            <li key={one.field}>
              <Text size="sm" component="span">
                {one.label}: <bdi>{one.message}</bdi>
              </Text>
            </li>
          ))}
        </ul>
      )}
      {isEmpty && (
        <Text size="sm" c="dimmed">
          {row.state === 'waiting' ? 'The push has not reached it.' : 'It was already as in the template.'}
        </Text>
      )}
    </Stack>
  );
}

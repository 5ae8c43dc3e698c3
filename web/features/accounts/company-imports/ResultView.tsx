import { Stack, Table, Text, Title } from '@mantine/core';
import { money, num, prettyCode } from '../../../ui/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { BALANCES, type Result, sumWords } from './model.ts';

function TodoList({ title, list }: { title: string; list: Result['todo'] }) {
  if (list.length === 0) return null;
  return (
    <div>
      <Title order={3} size="h4" mb={4}>
        {title}
      </Title>
      <ul style={{ margin: 0, paddingInlineStart: 20 }}>
        {list.map(({ what, count, examples }) => (
          <li key={what} style={{ overflowWrap: 'anywhere' }}>
            {num(count)} {what}
            {examples.length > 0 && (
              <Text size="sm" c="dimmed" component="span" display="block">
                {examples.join(', ')}
                {count > examples.length && `, and ${num(count - examples.length)} more`}
              </Text>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

const amount = (unit: string, value: string): string =>
  unit === 'rows'
    ? num(Number(value))
    : money(BigInt(value) * (unit === 'cents' ? 10_000n : 1n), { unit: true });

const Equal = ({ is }: { is: boolean }) => (is ? 'Equal' : <strong>Different</strong>);

/** What an import would make or has made, and how that compares with the archive. */
export function ResultView({ result }: { result: Result }) {
  const held = Object.entries(result.held);
  const differing = result.tables.filter(({ differences }) => differences.length > 0);
  return (
    <Stack gap="md" mt="md">
      {result.new_ids && (
        <Notice tone="info">
          Something of the archive is here already, so everything gets new IDs, and campaigns get new pixels.
        </Notice>
      )}
      <TodoList title="Conflicts" list={result.conflicts} />
      <TodoList title="To do by hand" list={result.todo} />
      {held.length > 0 && (
        <div>
          <Title order={3} size="h4" mb={4}>
            Balances
          </Title>
          {held.map(([kind, micros]) => (
            <Text key={kind}>
              {BALANCES[kind] ?? prettyCode(kind)}: {amount('micros', micros)} in the archive
              {result.opened[kind] && `, ${amount('micros', result.opened[kind])} opened here`}
            </Text>
          ))}
        </div>
      )}
      <div>
        <Title order={3} size="h4" mb={4}>
          Comparison with the archive
        </Title>
        <Text size="sm" c="dimmed" mb="xs">
          {result.is_equal
            ? 'Every row and every sum is as in the archive.'
            : 'Some rows or sums are not as in the archive.'}{' '}
          Documents are kept with the import: money of the past, agreements, visits, and ads. Adapted rows
          were changed on purpose, such as campaigns that are paused.
        </Text>
        <Table.ScrollContainer minWidth={560}>
          <Table aria-label="Rows by table">
            <Table.Thead>
              <Table.Tr>
                {['Table', 'Result', 'Archive', 'Here', 'Documents', 'Adapted'].map((title, at) => (
                  <Table.Th key={title} ta={at > 1 ? 'right' : undefined}>
                    {title}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {result.tables.map((one) => (
                <Table.Tr key={one.name}>
                  <Table.Td>{prettyCode(one.name)}</Table.Td>
                  <Table.Td>
                    <Equal is={one.is_equal} />
                  </Table.Td>
                  {[one.archive, one.here, one.documents, one.adapted].map((count, at) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: the columns are fixed.
                    <Table.Td key={at} ta="right" className="num">
                      {num(count)}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </div>
      {result.sums.length > 0 && (
        <Table.ScrollContainer minWidth={560}>
          <Table aria-label="Sums">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Sum of</Table.Th>
                <Table.Th>Name</Table.Th>
                <Table.Th>Result</Table.Th>
                <Table.Th ta="right">Archive</Table.Th>
                <Table.Th ta="right">Here</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {result.sums.map((one) => (
                <Table.Tr key={`${one.kind} ${one.name} ${one.unit}`}>
                  <Table.Td>{prettyCode(one.kind)}</Table.Td>
                  <Table.Td style={{ overflowWrap: 'anywhere' }}>{sumWords(one)}</Table.Td>
                  <Table.Td>
                    <Equal is={one.is_equal} />
                  </Table.Td>
                  <Table.Td ta="right" className="num">
                    {amount(one.unit, one.archive)}
                  </Table.Td>
                  <Table.Td ta="right" className="num">
                    {amount(one.unit, one.here)}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {differing.map(({ name, differences }) => (
        <div key={name}>
          <Title order={3} size="h4" mb={4}>
            Differences in {prettyCode(name)}
          </Title>
          <ul style={{ margin: 0, paddingInlineStart: 20, overflowWrap: 'anywhere' }}>
            {differences.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
        </div>
      ))}
    </Stack>
  );
}

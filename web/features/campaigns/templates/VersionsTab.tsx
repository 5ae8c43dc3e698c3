import { Button, Group, Select, Stack, Table, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { SkeletonRows } from '../../../ui/SkeletonRows.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { None, When } from '../../../ui/Values.tsx';
import type { Version, Whole } from './model.ts';
import { VersionForm } from './VersionForm.tsx';

/** The versions of a template: what is in each, and two of them compared. */
export function VersionsTab({ whole, mayWrite }: { whole: Whole; mayWrite: boolean }) {
  const [params, set] = useSearchParams();
  const [isAdding, setAdding] = useState(false);
  const { versions, data: template } = whole;
  const shown = versions.find((one) => String(one.number) === params.version) ?? versions[0]!;
  const other = versions.find((one) => String(one.number) === params.with);
  const choices = versions.map((one) => ({ value: String(one.number), label: `Version ${one.number}` }));
  return (
    <Stack gap="md">
      <Group align="flex-end" gap="sm">
        <Select
          label="Version"
          w={160}
          allowDeselect={false}
          data={choices}
          value={String(shown.number)}
          onChange={(version) => set({ version: version ?? undefined })}
        />
        <Select
          label="Compare with"
          w={160}
          placeholder="None"
          clearable
          clearButtonProps={{ 'aria-label': 'Compare with none' }}
          data={choices.filter(({ value }) => value !== String(shown.number))}
          value={other && other !== shown ? String(other.number) : null}
          onChange={(version) => set({ with: version ?? undefined })}
        />
        {mayWrite && (
          <Button
            variant="default"
            leftSection={<IconPlus size={16} aria-hidden="true" />}
            onClick={() => setAdding(true)}
          >
            New version
          </Button>
        )}
      </Group>
      <About version={shown} />
      {other && other !== shown ? (
        <Comparison id={template.id} from={other.number} to={shown.number} />
      ) : (
        <Fields version={shown} />
      )}
      {isAdding && <VersionForm template={template} newest={versions[0]!} onClose={() => setAdding(false)} />}
    </Stack>
  );
}

function About({ version }: { version: Version }) {
  return (
    <div style={{ overflowWrap: 'anywhere' }}>
      <Text size="sm">
        From: <bdi>{version.source}</bdi>
      </Text>
      <Text size="sm" c="dimmed">
        <bdi>{version.author_name}</bdi>, <When at={version.created_at} />
      </Text>
      {version.note && (
        <Text size="sm" mt={4} style={{ whiteSpace: 'pre-wrap' }}>
          <bdi>{version.note}</bdi>
        </Text>
      )}
    </div>
  );
}

function Fields({ version }: { version: Version }) {
  const parts = [...new Set(version.fields.map(({ part }) => part))];
  return (
    <Stack gap="md">
      {parts.map((part) => (
        <section key={part} className="card" style={{ padding: 16 }} aria-label={part}>
          <Text fw={600} mb="xs">
            {part}
          </Text>
          <Table verticalSpacing={6} layout="fixed" aria-label={part}>
            <Table.Tbody>
              {version.fields
                .filter((one) => one.part === part)
                .map((one) => (
                  <Table.Tr key={one.field}>
                    <Table.Th scope="row" fw={500} w="40%">
                      {one.label}
                    </Table.Th>
                    <Table.Td style={{ overflowWrap: 'anywhere' }}>
                      <bdi>{one.value}</bdi>
                    </Table.Td>
                  </Table.Tr>
                ))}
            </Table.Tbody>
          </Table>
        </section>
      ))}
    </Stack>
  );
}

function Comparison(props: { id: string; from: number; to: number }) {
  const query = useQuery({
    queryKey: ['template-compare', props],
    queryFn: ({ signal }) => api.templates.compare(props, { signal }),
  });
  if (query.error)
    return <ErrorState error={query.error} what="the comparison" onRetry={() => void query.refetch()} />;
  if (!query.data) return <SkeletonRows />;
  const differing = query.data.data.filter(({ differs }) => differs);
  if (differing.length === 0) return <Text size="sm">Both versions are the same.</Text>;
  return (
    <section className="card" style={{ padding: 16 }}>
      <Table.ScrollContainer minWidth={420}>
        <Table
          verticalSpacing={6}
          layout="fixed"
          aria-label={`Differences between versions ${props.from} and ${props.to}`}
        >
          <Table.Thead>
            <Table.Tr>
              <Table.Th w="30%">Field</Table.Th>
              <Table.Th>Version {props.from}</Table.Th>
              <Table.Th>Version {props.to}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {differing.map((row) => (
              <Table.Tr key={row.field}>
                <Table.Th scope="row" fw={500}>
                  {row.label}
                </Table.Th>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>
                  {row.before === null ? <None /> : <bdi>{row.before}</bdi>}
                </Table.Td>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>
                  {row.after === null ? <None /> : <bdi>{row.after}</bdi>}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Text size="sm" c="dimmed" mt="xs">
        {query.data.data.length - differing.length} other fields are the same.
      </Text>
    </section>
  );
}

import { Button, Group, Modal, SegmentedControl, Select, Stack, Text, Textarea, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconShieldLock } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { KeywordAllowance } from '../../../../contract/audience/keyword-allowances.ts';
import {
  KEYWORD_THEME_ABOUT,
  KEYWORD_THEME_WORDS,
  KEYWORD_THEMES,
  type KeywordTheme,
} from '../../../../contract/audience/keyword-themes.ts';
import { api } from '../../../api/client.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { focusFirstWrong, showFormError } from '../../../ui/forms.ts';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { EmptyState } from '../../../ui/states.tsx';
import { Clip, None, When } from '../../../ui/Values.tsx';
import { ClientSelect } from '../../campaigns/campaigns/ClientSelect.tsx';
import { AgencySelect } from '../enrichment/AgencySelect.tsx';

const KEY = ['keyword-themes'];
const THEMES = {
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fit, minmax(200px, 1fr))',
  gap: 'var(--mantine-spacing-md)',
} as const;

const whom = (row: KeywordAllowance): string => (row.company_kind === 'root' ? 'Everyone' : row.company_name);

/** Which keywords nobody can search for, and for whom the root makes exceptions (BEY-27). */
export function ThemesTab() {
  const cache = useQueryClient();
  const [isAllowing, setAllowing] = useState(false);
  const query = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => api.keywordThemes.list(undefined, { signal }),
  });
  const refresh = () => void cache.invalidateQueries({ queryKey: KEY });
  const revoke = async (row: KeywordAllowance) => {
    const theme = KEYWORD_THEME_WORDS[row.theme];
    const isSure = await confirm({
      title: `Block ${theme} again?`,
      body: `Allowed for: ${whom(row)}. Campaigns keep such keywords, but no longer look for them.`,
      verb: 'Block',
      danger: true,
    });
    if (!isSure) return;
    try {
      notifyDone((await api.keywordThemes.revoke({ id: row.id })).message);
    } catch (error) {
      notifyFailed(error);
    }
    refresh();
  };
  const block = (row: KeywordAllowance) => (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={`Block ${KEYWORD_THEME_WORDS[row.theme]} for ${whom(row)} again`}
      onClick={() => void revoke(row)}
    >
      Block
    </Button>
  );
  const columns: Column<KeywordAllowance>[] = [
    { key: 'theme', title: 'Theme', render: (row) => KEYWORD_THEME_WORDS[row.theme] },
    { key: 'whom', title: 'Allowed for', fluid: 18, render: (row) => <Clip text={whom(row)} max="cell" /> },
    { key: 'reason', title: 'Reason', fluid: 24, render: (row) => <Clip text={row.reason} max="cell" /> },
    {
      key: 'by',
      title: 'Allowed by',
      from: 1000,
      render: (row) => (row.allowed_by_name ? <Clip text={row.allowed_by_name} max="cell" /> : <None />),
    },
    { key: 'at', title: 'Allowed', from: 900, render: (row) => <When at={row.created_at} /> },
    { key: 'block', title: 'Actions', align: 'right', render: block },
  ];
  return (
    <Stack gap="lg">
      <section aria-labelledby="themes-blocked">
        <Title order={2} size="h4" id="themes-blocked" mb="xs">
          Blocked themes
        </Title>
        <Text size="sm" mb="sm">
          Campaigns and keyword counts cannot use keywords on these themes, whether they are typed, pasted, or
          sent by a program.
        </Text>
        <div style={THEMES}>
          {KEYWORD_THEMES.map((theme) => (
            <div key={theme}>
              <Text size="sm" fw={500}>
                {KEYWORD_THEME_WORDS[theme]}
              </Text>
              <Text size="sm" c="dimmed">
                {KEYWORD_THEME_ABOUT[theme]}
              </Text>
            </div>
          ))}
        </div>
      </section>
      <div>
        <Group justify="space-between" mb="xs">
          <Title order={2} size="h4">
            Exceptions
          </Title>
          <Button variant="default" onClick={() => setAllowing(true)}>
            Allow a theme
          </Button>
        </Group>
        <DataTable
          label="Exceptions"
          name="keyword-themes"
          download={{ list: 'keyword-themes', of: 'keywordThemes.list', query: {} }}
          columns={columns}
          query={query}
          rowKey={(row) => row.id}
          phoneRow={(row) => ({
            title: `${KEYWORD_THEME_WORDS[row.theme]}: ${whom(row)}`,
            line: row.reason,
            end: block(row),
          })}
          empty={
            <EmptyState
              icon={<IconShieldLock size={32} stroke={1.4} aria-hidden="true" />}
              title="No exceptions"
              text="All themes are blocked for everyone. Allow one for a client whose business needs it."
            />
          }
        />
      </div>
      {isAllowing && (
        <AllowModal
          onClose={() => {
            setAllowing(false);
            refresh();
          }}
        />
      )}
    </Stack>
  );
}

function AllowModal({ onClose }: { onClose: () => void }) {
  const form = useForm({
    initialValues: {
      theme: null as KeywordTheme | null,
      level: 'client' as 'client' | 'agency' | 'everyone',
      company_id: '',
      reason: '',
    },
    validate: {
      theme: (theme) => (theme ? null : 'Choose a theme'),
      company_id: (id, { level }) => (id || level === 'everyone' ? null : `Choose the ${level}`),
      reason: (reason) => (reason.trim() ? null : 'Say why'),
    },
  });
  const { level } = form.values;
  const send = async ({ theme, company_id, reason }: typeof form.values) => {
    try {
      const { message } = await api.keywordThemes.allow({
        ...{ theme: theme!, reason },
        ...(level === 'everyone' ? {} : { company_id }),
      });
      notifyDone(message);
      onClose();
    } catch (error) {
      showFormError(form, error);
    }
  };
  return (
    <Modal opened onClose={onClose} centered title="Allow a theme">
      <form noValidate onSubmit={form.onSubmit(send, (errors) => focusFirstWrong(form, errors))}>
        <Stack gap="md">
          <Select
            label="Theme"
            withAsterisk
            data={KEYWORD_THEMES.map((value) => ({ value, label: KEYWORD_THEME_WORDS[value] }))}
            {...form.getInputProps('theme')}
          />
          <SegmentedControl
            aria-label="Allowed for"
            data={[
              { value: 'client', label: 'A client' },
              { value: 'agency', label: 'An agency' },
              { value: 'everyone', label: 'Everyone' },
            ]}
            {...form.getInputProps('level')}
            onChange={(next) => form.setValues({ level: next as typeof level, company_id: '' })}
          />
          {level === 'client' && (
            <ClientSelect
              description="Only this client’s campaigns and counts."
              {...form.getInputProps('company_id')}
            />
          )}
          {level === 'agency' && (
            <AgencySelect description="All of its clients." {...form.getInputProps('company_id')} />
          )}
          <Textarea
            label="Reason"
            description="Kept with the exception, for whoever reviews it."
            withAsterisk
            autosize
            minRows={2}
            maxRows={6}
            maxLength={500}
            {...form.getInputProps('reason')}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={form.submitting}>
              Allow
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

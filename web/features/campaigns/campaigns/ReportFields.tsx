import { Fieldset, NumberInput, Select, Stack, Text, Textarea, Title } from '@mantine/core';
import { useMay } from '../../../api/user.ts';
import type { Campaign, CampaignFormState } from './model.ts';
import { REPORT_TYPE_WORDS, REPORT_WORDS } from './more.ts';

/** Who is notified of a campaign's leads, and who gets them as a file. */
export function ReportFields({ form }: { form: CampaignFormState }) {
  const { report, report_type: reportType, notify_every } = form.values;
  const mayRead = useMay('lead.read');
  return (
    <Fieldset variant="unstyled" p={0} m={0} disabled={!mayRead}>
      <Title order={3} mb="sm">
        Lead notifications
      </Title>
      {!mayRead && (
        <Text c="dimmed" size="sm" mb="sm">
          Your role does not include leads, so you cannot change who receives them.
        </Text>
      )}
      <Stack gap="md">
        <NumberInput
          label="Email after this many leads"
          description="Leave blank for no emails. Emails show how many leads came in, not who they are."
          placeholder="No emails"
          min={1}
          max={1_000_000}
          allowDecimal={false}
          allowNegative={false}
          thousandSeparator=","
          hideControls
          {...form.getInputProps('notify_every')}
        />
        {notify_every !== '' && (
          <Textarea
            label="Notification recipients"
            description="Email addresses, one per line, up to 10."
            withAsterisk
            autosize
            minRows={2}
            maxRows={6}
            {...form.getInputProps('notify_to')}
          />
        )}
        <Select
          label="Lead report"
          description="An email shortly after leads come in, or at the end of an hour, day, week, or month. Nothing is sent if no leads came in."
          data={Object.entries(REPORT_WORDS).map(([value, label]) => ({ value, label }))}
          allowDeselect={false}
          {...form.getInputProps('report')}
        />
        {report !== 'none' && (
          <Select
            label="What it contains"
            description={
              reportType === 'link'
                ? 'How many leads came in, and a link for people who can sign in.'
                : 'Contains people’s names and addresses. Enter only recipients who are allowed to get it.'
            }
            data={Object.entries(REPORT_TYPE_WORDS).map(([value, label]) => ({ value, label }))}
            allowDeselect={false}
            {...form.getInputProps('report_type')}
          />
        )}
        {report !== 'none' && (
          <Textarea
            label="Report recipients"
            description="Email addresses, one per line, up to 10. Every email has a link to unsubscribe."
            withAsterisk
            autosize
            minRows={2}
            maxRows={6}
            {...form.getInputProps('report_to')}
          />
        )}
      </Stack>
    </Fieldset>
  );
}

/** The same as text, for users with read-only access. */
export function reportFacts(campaign: Campaign): [string, string][] {
  const { notify_every: every, notify_to, report_to } = campaign;
  return [
    ['Lead notifications', every === null ? 'No one' : `${notify_to.join(', ')}, each time ${every} come in`],
    [
      'Reports',
      campaign.report_type === 'none'
        ? REPORT_WORDS.none
        : `${REPORT_TYPE_WORDS[campaign.report_type]}, ${REPORT_WORDS[campaign.report_every].toLowerCase()}, to ${report_to.join(', ')}`,
    ],
  ];
}

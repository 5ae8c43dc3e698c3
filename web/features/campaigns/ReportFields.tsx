import { NumberInput, Select, Stack, Textarea, Title } from '@mantine/core';
import type { Campaign, CampaignFormState } from './model.ts';
import { REPORT_WORDS } from './more.ts';

/** Who is told of a campaign's leads, and who gets them as a file. */
export function ReportFields({ form }: { form: CampaignFormState }) {
  const { report, leadsAmountNotification } = form.values;
  return (
    <>
      <Title order={3} mb="sm">
        Who is told of leads
      </Title>
      <Stack gap="md">
        <NumberInput
          label="Mail each time so many leads have come"
          description="Empty: no mails. They say how many, not who."
          placeholder="No mails"
          min={1}
          max={1_000_000}
          allowDecimal={false}
          allowNegative={false}
          thousandSeparator=","
          hideControls
          maw={320}
          {...form.getInputProps('leadsAmountNotification')}
        />
        {leadsAmountNotification !== '' && (
          <Textarea
            label="Told are"
            description="E-mail addresses, one a line, at most 10."
            withAsterisk
            autosize
            minRows={2}
            maxRows={6}
            {...form.getInputProps('adminNotifyTo')}
          />
        )}
        <Select
          label="Report of the leads"
          description="A CSV file by e-mail when a day, week or month is over; none where no lead has come."
          data={Object.entries(REPORT_WORDS).map(([value, label]) => ({ value, label }))}
          allowDeselect={false}
          maw={320}
          {...form.getInputProps('report')}
        />
        {report !== 'none' && (
          <Textarea
            label="Reports go to"
            description="E-mail addresses, one a line, at most 10. The file holds names and addresses of people: enter only whom they may go to."
            withAsterisk
            autosize
            minRows={2}
            maxRows={6}
            {...form.getInputProps('reportSentTo')}
          />
        )}
      </Stack>
    </>
  );
}

/** The same in words, for who may only read. */
export function reportFacts(campaign: Campaign): [string, string][] {
  const { leadsAmountNotification: every, adminNotifyTo, reportSentTo } = campaign;
  const report = campaign.reportType === 'none' ? 'none' : campaign.reportFreq;
  return [
    [
      'Told of leads',
      every === null ? 'Nobody' : `${adminNotifyTo.join(', ')}, each time ${every} have come`,
    ],
    [
      'Reports',
      report === 'none' ? REPORT_WORDS.none : `${REPORT_WORDS[report]}, to ${reportSentTo.join(', ')}`,
    ],
  ];
}

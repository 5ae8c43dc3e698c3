import { Input, MultiSelect, NumberInput, Select, Slider, Switch, TagsInput, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { isOpen, ruleInputsIn } from '../../../../contract/campaigns/campaign-rules.ts';
import { api } from '../../../api/client.ts';
import { useMay } from '../../../api/user.ts';
import classes from './campaigns.module.css';
import type { CampaignFormState } from './model.ts';

/** The inputs of the rules in a part of the form. */
export function RuleInputsIn({
  part,
  form,
}: {
  part: 'needs' | 'fits' | 'which' | 'scores';
  form: CampaignFormState;
}) {
  return ruleInputsIn(part, form.values.module).map(([field, rule]) => {
    const shared = {
      label: rule.label,
      description: rule.hint,
    };
    if (field === 'min_confidence') return <Confidence key={field} form={form} {...shared} />;
    if (rule.kind === 'flag')
      return <Switch key={field} {...shared} {...form.getInputProps(field, { type: 'checkbox' })} />;
    if (rule.kind === 'choice')
      return (
        <Select
          key={field}
          {...shared}
          allowDeselect={false}
          data={Object.entries(rule.choices).map(([value, label]) => ({ value, label }))}
          {...form.getInputProps(field)}
        />
      );
    if (rule.kind === 'list') {
      const entered = form.values[field] as string[];
      const list = { ...shared, placeholder: entered.length === 0 ? 'Any' : undefined, clearable: true };
      return isOpen(rule.entries) ? (
        <TagsInput
          key={field}
          {...list}
          acceptValueOnBlur
          splitChars={[',', ';', '\n']}
          maxTags={rule.entries.most}
          data={[...rule.entries.suggested]}
          {...form.getInputProps(field)}
        />
      ) : (
        <MultiSelect
          key={field}
          {...list}
          searchable
          hidePickedOptions
          nothingFoundMessage="No matches"
          data={Object.entries(rule.entries).map(([value, label]) => ({ value, label }))}
          {...form.getInputProps(field)}
        />
      );
    }
    return (
      <NumberInput
        key={field}
        {...shared}
        min={rule.least}
        max={rule.most}
        clampBehavior="none"
        allowDecimal={false}
        allowNegative={false}
        suffix={rule.unit}
        {...form.getInputProps(field)}
      />
    );
  });
}

/** A slider beside the number, and what the agency's own floor makes of it. */
function Confidence({ form, ...shared }: { form: CampaignFormState; label: string; description: string }) {
  const { value, error, ...input } = form.getInputProps('min_confidence');
  const mayPrice = useMay('campaign.price');
  const floor = useQuery({
    queryKey: ['least-confidence'],
    queryFn: ({ signal }) => api.leads.least({}, { signal }),
  }).data?.least_confidence;
  return (
    <Input.Wrapper {...shared} labelElement="div" error={error}>
      <div className={classes.confidence} style={{ marginTop: 4 }}>
        <Slider
          thumbLabel="Minimum confidence in percent"
          label={(at) => `${at}%`}
          value={Number(value) || 0}
          onChange={(next) => form.setFieldValue('min_confidence', next)}
          step={5}
        />
        <NumberInput
          aria-label="Minimum confidence in percent"
          min={0}
          max={100}
          allowDecimal={false}
          allowNegative={false}
          suffix="%"
          value={value}
          error={Boolean(error)}
          {...input}
        />
      </div>
      {floor !== undefined && floor > 0 && (
        <Text size="xs" c="dimmed" mt={4}>
          {mayPrice ? 'You don’t bill' : 'Your agency doesn’t bill'} matches below {floor}%
          {Number(value) < floor ? ', so that is also the minimum confidence of this campaign.' : '.'}
        </Text>
      )}
    </Input.Wrapper>
  );
}

import { Checkbox, NumberInput, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import {
  MOST_RETURN_DAYS,
  PROVABLE_REASONS,
  RETURN_DAYS,
} from '../../../../contract/campaigns/return-rules.ts';
import { REASON_WORDS } from '../../../../contract/money/credits.ts';
import { useMay, useUser } from '../../../api/user.ts';
import type { Setting } from './model.ts';
import { SaveBar, SettingLoader, useSettingSave } from './SettingForm.tsx';
import classes from './settings.module.css';

/** How long clients can return leads, and which returns an agency has approved at once. */
export default function ReturnsTab() {
  return (
    <SettingLoader name="lead_returns">
      {(setting, reload) => <ReturnsForm setting={setting} onReload={reload} />}
    </SettingLoader>
  );
}

function ReturnsForm(props: { setting: Setting<'lead_returns'>; onReload: () => void }) {
  const { setting } = props;
  const mayWrite = useMay('setting.write');
  const isRoot = useUser().company_kind === 'root';
  const form = useForm<{ window_days: number | string; automatic: string[] }>({
    initialValues: { window_days: setting.data.window_days ?? '', automatic: setting.data.automatic },
    validateInputOnBlur: true,
    validate: {
      window_days: (value) =>
        value === '' ||
        (Number.isInteger(Number(value)) && Number(value) >= 0 && Number(value) <= MOST_RETURN_DAYS)
          ? null
          : `Enter a whole number from 0 to ${MOST_RETURN_DAYS}`,
    },
  });
  const state = useSettingSave({
    setting,
    form,
    toValue: ({ window_days, automatic }) => ({
      window_days: window_days === '' ? null : Number(window_days),
      automatic: PROVABLE_REASONS.filter((one) => automatic.includes(one)),
    }),
    labels: { window_days: 'days to return a lead', automatic: 'reasons approved if proven' },
  });
  return (
    <form onSubmit={state.save} noValidate>
      <fieldset disabled={!mayWrite} className={classes.fields}>
        <NumberInput
          label="Days to return a lead"
          description={`Counted from when the lead came in. Enter 0 to turn off returns. Leave blank for ${isRoot ? `${RETURN_DAYS} days. Agencies can set their own.` : 'what the platform allows.'}`}
          placeholder={isRoot ? String(RETURN_DAYS) : undefined}
          min={0}
          max={MOST_RETURN_DAYS}
          clampBehavior="none"
          allowDecimal={false}
          allowNegative={false}
          styles={{ wrapper: { maxWidth: 360 } }}
          {...form.getInputProps('window_days')}
        />
        {!isRoot && (
          <Checkbox.Group
            label="Approve automatically when proven"
            description="A return for one of these reasons is approved automatically if what is known about the lead proves it. The credit comes out of your revenue. Once that was 20% of a client’s leads in 30 days, you decide about the rest."
            {...form.getInputProps('automatic')}
          >
            <Stack gap="xs" mt="xs">
              {PROVABLE_REASONS.map((value) => (
                <Checkbox key={value} value={value} label={REASON_WORDS[value]} disabled={!mayWrite} />
              ))}
            </Stack>
          </Checkbox.Group>
        )}
        <SaveBar state={state} isSaving={form.submitting} onReload={props.onReload} mayWrite={mayWrite} />
      </fieldset>
    </form>
  );
}

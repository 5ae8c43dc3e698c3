import { Button } from '@mantine/core';
import { useForm } from '@mantine/form';
import { messages } from '../../../../contract/messages.ts';
import { api } from '../../../api/client.ts';
import { useMay, useUser } from '../../../api/user.ts';
import { focusFirstWrong, showFormError } from '../../../ui/forms.ts';
import { notifyDone } from '../../../ui/notify.ts';
import { SaveBar } from '../../../ui/SaveBar.tsx';
import { useLeaveGuard } from '../../../ui/useLeaveGuard.ts';
import { CampaignFields, RULES } from './CampaignForm.tsx';
import { ClientSelect } from './ClientSelect.tsx';
import { type CampaignValues, NEW_VALUES, newInputOf } from './model.ts';
import { LEAVING, LOST, useCampaignChanged } from './queries.ts';

/** Creates a campaign; an agency says for which client. */
export function NewCampaign(props: {
  module: CampaignValues['module'];
  onDone: (id: string) => void;
  onCancel: () => void;
}) {
  const user = useUser();
  const changed = useCampaignChanged();
  const mayPrice = useMay('campaign.price');
  const needsClient = user.company_kind !== 'client';
  const form = useForm<CampaignValues>({
    initialValues: { ...NEW_VALUES, module: props.module },
    validateInputOnBlur: true,
    validate: {
      ...RULES,
      company_id: (value) => (needsClient && !value ? 'Choose a client' : null),
    },
  });
  const free = useLeaveGuard(form.isDirty(), LOST, LEAVING);
  const save = async (values: CampaignValues) => {
    try {
      const { data } = await api.campaigns.create({
        ...newInputOf(values, mayPrice),
        module: values.module,
        ...(needsClient ? { company_id: values.company_id } : {}),
      });
      changed(data.campaign_id, data);
      notifyDone(messages.added);
      free();
      props.onDone(data.campaign_id);
    } catch (error) {
      showFormError(form, error);
    }
  };
  return (
    <form noValidate onSubmit={form.onSubmit(save, (errors) => focusFirstWrong(form, errors))}>
      <CampaignFields form={form} isNew>
        {needsClient && <ClientSelect {...form.getInputProps('company_id')} />}
      </CampaignFields>
      <SaveBar>
        <Button variant="default" onClick={props.onCancel}>
          Cancel
        </Button>
        <Button type="submit" loading={form.submitting}>
          Create campaign
        </Button>
      </SaveBar>
    </form>
  );
}

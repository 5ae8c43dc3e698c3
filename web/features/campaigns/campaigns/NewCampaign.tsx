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
  module: CampaignValues['leadspeekType'];
  onDone: (id: string) => void;
  onCancel: () => void;
}) {
  const user = useUser();
  const changed = useCampaignChanged();
  const mayPrice = useMay('campaign.price');
  const needsClient = user.company_kind !== 'client';
  const form = useForm<CampaignValues>({
    initialValues: { ...NEW_VALUES, leadspeekType: props.module },
    validateInputOnBlur: true,
    validate: {
      ...RULES,
      companyID: (value) => (needsClient && !value ? 'Choose a client' : null),
    },
  });
  const free = useLeaveGuard(form.isDirty(), LOST, LEAVING);
  const save = async (values: CampaignValues) => {
    try {
      const { data } = await api.campaigns.create({
        ...newInputOf(values, mayPrice),
        leadspeekType: values.leadspeekType,
        ...(needsClient ? { companyID: values.companyID } : {}),
      });
      changed(data.leadspeekID, data);
      notifyDone(messages.added);
      free();
      props.onDone(data.leadspeekID);
    } catch (error) {
      showFormError(form, error);
    }
  };
  return (
    <form noValidate onSubmit={form.onSubmit(save, (errors) => focusFirstWrong(form, errors))}>
      <CampaignFields form={form} isNew>
        {needsClient && <ClientSelect {...form.getInputProps('companyID')} />}
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

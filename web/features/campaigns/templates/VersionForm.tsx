import {
  Button,
  Group,
  Modal,
  MultiSelect,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import {
  TEMPLATE_PARTS,
  type TemplateField,
  type TemplateKind,
  templateFields,
} from '../../../../contract/campaigns/template-fields.ts';
import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { focusFirstWrong, showFormError } from '../../../ui/forms.ts';
import { notifyDone } from '../../../ui/notify.ts';
import { SearchSelect, type SearchSelectField } from '../../../ui/SearchSelect.tsx';
import { readCompanies } from '../../accounts/companies/companies.ts';
import { campaignQuery } from '../campaigns/queries.ts';
import { kindWords, type Template, type Version } from './model.ts';

/** Selects the campaign that a version is taken from. */
function CampaignPicker(props: SearchSelectField & { module?: Template['module'] | undefined }) {
  const { module, ...field } = props;
  return (
    <SearchSelect
      {...field}
      label="Campaign"
      description="Its settings as they are now. Later changes of the campaign do not change the template."
      queryKey={['campaigns', 'choice', module ?? 'any']}
      find={async (search, signal) => {
        const { data } = await api.campaigns.list(
          { page: 1, per_page: 50, ...(search ? { search } : {}), ...(module ? { module } : {}) },
          { signal },
        );
        return data.map((one) => ({
          value: one.campaign_id,
          label: `#${one.campaign_number} ${one.campaign_name} (${one.company_name})`,
        }));
      }}
    />
  );
}

/** Selects the company whose branding a version is taken from: a root's own, or one of its agencies'. */
function CompanyPicker(props: SearchSelectField) {
  const user = useUser();
  return (
    <SearchSelect
      {...props}
      label="Company"
      description="Its colors, font, and tagline as they are now."
      queryKey={['branding', 'choice']}
      find={async (search, signal) => {
        const { data } = await readCompanies(
          api,
          user,
          { kind: 'agency', page: 1, per_page: 50, search },
          { signal },
        );
        return [
          { value: user.company_id, label: `${user.company_name} (your own)` },
          ...data.map((one) => ({ value: one.company_id, label: one.company_name })),
        ];
      }}
    />
  );
}

const grouped = (fields: TemplateField[]) =>
  Object.entries(TEMPLATE_PARTS).flatMap(([part, group]) => {
    const items = fields
      .filter((one) => one.part === part)
      .map(({ field, label }) => ({ value: field, label }));
    return items.length > 0 ? [{ group, items }] : [];
  });

/** Creates a template or, with one, its next version. */
export function VersionForm(props: { template?: Template; newest?: Version; onClose: () => void }) {
  const { template, newest, onClose } = props;
  const user = useUser();
  const cache = useQueryClient();
  const navigate = useNavigate();
  const isRoot = user.company_kind === 'root';
  const form = useForm({
    initialValues: {
      kind: (template?.kind ?? (isRoot ? 'branding' : 'campaign')) as TemplateKind,
      name: '',
      source_id: !isRoot && template?.kind === 'branding' ? user.company_id : '',
      fields: null as string[] | null,
      note: '',
    },
    validate: {
      name: (name) => (template || name.trim() ? null : 'Enter a name'),
      source_id: (id, { kind }) =>
        id || (kind === 'branding' && !isRoot)
          ? null
          : kind === 'campaign'
            ? 'Choose a campaign'
            : 'Choose a company',
      fields: (fields) => (fields?.length === 0 ? 'Choose at least one field' : null),
    },
  });
  const { kind, source_id } = form.values;
  const source = useQuery({ ...campaignQuery(source_id), enabled: kind === 'campaign' && source_id !== '' });
  const module = template?.module ?? source.data?.module ?? null;
  const isKnown = kind === 'branding' || module !== null;
  const all = isKnown ? templateFields(kind, module) : [];
  const usual = newest
    ? newest.fields.map(({ field }) => field)
    : all.filter(({ part }) => part !== 'prices').map(({ field }) => field);
  const chosen = (form.values.fields ?? usual).filter((name) => all.some(({ field }) => field === name));

  const save = async ({ name, note }: typeof form.values) => {
    const given = {
      source_id: kind === 'branding' && !isRoot ? user.company_id : source_id,
      fields: chosen,
      note,
    };
    try {
      if (template) {
        const { message } = await api.templates.addVersion({
          id: template.id,
          ...given,
          base: template.versions,
        });
        notifyDone(message);
        await cache.invalidateQueries({ queryKey: ['template', template.id] });
      } else {
        const { message, id } = await api.templates.create({ kind, name, ...given });
        notifyDone(message);
        void cache.invalidateQueries({ queryKey: ['templates'] });
        await navigate({ to: `/configuration/templates/${id}` as '/' });
      }
      onClose();
    } catch (error) {
      showFormError(form, error);
    }
  };
  return (
    <Modal
      opened
      centered
      size="lg"
      onClose={onClose}
      title={template ? `New version of ${template.name}` : 'New template'}
    >
      <form noValidate onSubmit={form.onSubmit(save, (errors) => focusFirstWrong(form, errors))}>
        <Stack gap="md">
          {!template && !isRoot && (
            <SegmentedControl
              aria-label="Kind of template"
              w="fit-content"
              maw="100%"
              value={kind}
              data={[
                { value: 'campaign', label: 'Campaign' },
                { value: 'branding', label: 'Branding' },
              ]}
              onChange={(value) => {
                form.setFieldValue('kind', value as TemplateKind);
                form.setFieldValue('fields', null);
              }}
            />
          )}
          {!template && (
            <TextInput label="Name" withAsterisk maxLength={255} {...form.getInputProps('name')} />
          )}
          {kind === 'campaign' ? (
            <CampaignPicker module={template?.module} {...form.getInputProps('source_id')} />
          ) : isRoot ? (
            <CompanyPicker {...form.getInputProps('source_id')} />
          ) : (
            <Text size="sm">Taken from your own branding as it is now.</Text>
          )}
          <MultiSelect
            label="Fields"
            description={
              isKnown
                ? 'A push changes only these. Names, sites, dates, recipients, fees, and automatic purchases are never in a template.'
                : 'Choose a campaign first.'
            }
            disabled={!isKnown}
            withAsterisk
            searchable
            clearable
            hidePickedOptions
            maxDropdownHeight={260}
            data={grouped(all)}
            {...form.getInputProps('fields')}
            value={chosen}
            onChange={(value) => form.setFieldValue('fields', value)}
          />
          <Textarea
            label="Note"
            description="What this version is for, or what is different."
            autosize
            minRows={2}
            maxRows={5}
            maxLength={500}
            {...form.getInputProps('note')}
          />
          {template && (
            <Text size="sm" c="dimmed">
              {kindWords(template)}. Nothing changes anywhere until you push this version.
            </Text>
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={form.submitting} disabled={!isKnown}>
              {template ? 'Add version' : 'Create template'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

import { Checkbox, Input, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { INFORMATION_TYPES } from '../../../../contract/audience/enrichment-fields.ts';
import { money } from '../../../ui/format.ts';
import { SkeletonRows } from '../../../ui/SkeletonRows.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import classes from './campaigns.module.css';
import type { CampaignFormState } from './model.ts';
import { leadPriceOf, resourceQuery } from './resource.ts';

/** The data fields that a campaign requests about its leads, with what a lead costs with them. */
export function InformationFields({ form, client }: { form: CampaignFormState; client: string }) {
  const { module } = form.values;
  const type = module === 'b2b' ? 'b2b' : 'advanced';
  const field = type === 'b2b' ? 'b2b_information' : 'advance_information';
  const query = useQuery(resourceQuery(client, module));
  const resource = query.data;
  const chosen = form.values[field];
  const label = `${INFORMATION_TYPES[type]} data`;
  if (!client)
    return (
      <Text size="sm" c="dimmed">
        Choose a client first. The available data fields depend on the client.
      </Text>
    );
  if (query.error)
    return (
      <ErrorState
        error={query.error}
        what="The data fields could not be loaded"
        onRetry={() => void query.refetch()}
      />
    );
  if (!resource) return <SkeletonRows />;
  const offered = resource.information.filter((one) => one.type === type);
  const price = leadPriceOf(form.values, resource);
  const plain = leadPriceOf({ ...form.values, advance_information: [], b2b_information: [] }, resource);
  return (
    <Checkbox.Group
      label={label}
      description="What a lead includes besides name, email, phone, and address, if known."
      value={chosen.map(String)}
      onChange={(ids) => form.setFieldValue(field, ids.map(Number))}
      error={form.errors[field]}
    >
      {offered.length === 0 ? (
        <Text size="sm" mt="xs">
          This client has no data fields available.
        </Text>
      ) : (
        <div className={classes.fieldChoice}>
          {offered.map((one) => (
            <Checkbox key={one.id} value={String(one.id)} label={one.name} />
          ))}
        </div>
      )}
      <Input.Description aria-live="polite" className="num" mt="sm">
        {!resource.is_priced
          ? 'Your agency sets the price of a lead'
          : price === 0
            ? 'A lead is free'
            : `A lead costs ${money(price, { unit: true })}`}
        {price !== plain && chosen.length > 0 && ` with this data, ${money(plain, { unit: true })} without`}.
      </Input.Description>
    </Checkbox.Group>
  );
}

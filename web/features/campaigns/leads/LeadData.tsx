import { Anchor, Stack, Text, Title } from '@mantine/core';
import { INFORMATION_TYPES, type InformationType } from '../../../../contract/audience/enrichment-fields.ts';
import type { Client } from '../../../../contract/index.ts';
import { CopyButton } from '../../../ui/CopyButton.tsx';
import { None } from '../../../ui/Values.tsx';
import classes from './LeadDetail.module.css';

type Field = Awaited<ReturnType<Client['leads']['get']>>['information'][number];
const TYPES = Object.keys(INFORMATION_TYPES) as InformationType[];

/** The data fields that the campaign requested about a lead's person; renders nothing if it requested none. */
export function LeadData({ fields }: { fields: Field[] }) {
  if (fields.length === 0) return null;
  const known = fields.filter((field) => field.value !== null).length;
  return (
    <section aria-labelledby="lead-data">
      <Title order={3} id="lead-data">
        Data
      </Title>
      <Text size="xs" c="dimmed" mb="xs">
        {known === fields.length
          ? 'Fields this campaign requests.'
          : `${known} of the ${fields.length} fields this campaign requests are known.`}
      </Text>
      <Stack gap="sm">
        {TYPES.map((type) => {
          const some = fields.filter((field) => field.type === type);
          return some.length === 0 ? null : (
            <div key={type}>
              <Text size="sm" fw={500} component="h4" m={0}>
                {INFORMATION_TYPES[type]}
              </Text>
              <dl className={classes.facts}>
                {some.map((field) => (
                  <div key={field.id}>
                    <dt>{field.name}</dt>
                    <dd>
                      <Value field={field} />
                    </dd>
                  </div>
                ))}
              </dl>
            </div>
          );
        })}
      </Stack>
    </section>
  );
}

const COPIED = new Set(['business_email', 'company_phone']);

/** How sources say yes and no. */
const WORDS: Partial<Record<string, string>> = { Y: 'Yes', N: 'No' };

function Value({ field: { key, name, value } }: { field: Field }) {
  if (value === null) return <None />;
  // A source's value becomes a link only if it already is a full URL.
  if (key === 'linkedin' && /^https?:\/\//i.test(value))
    return (
      <Anchor href={value} target="_blank" rel="noreferrer noopener nofollow" inherit>
        {value}
      </Anchor>
    );
  return (
    <>
      {WORDS[value] ?? value}
      {COPIED.has(key) && <CopyButton text={value} what={name.toLowerCase()} />}
    </>
  );
}

import { Checkbox, Group, Stack, Textarea, TextInput } from '@mantine/core';
import { AD_SIZES, type AdSize, MOST_ALT_TEXT } from '../../../../contract/ads/ad-rules.ts';
import type { Draft } from './edits.ts';
import { Color } from './LayerFields.tsx';

/** What belongs to the banner as a whole. */
export function BannerFields(props: {
  draft: Draft;
  swatches: string[];
  errors: Record<string, string>;
  onChange: (patch: Partial<Draft>, step: string) => void;
}) {
  const { draft, swatches, errors, onChange } = props;
  const { design } = draft;
  const text = (field: 'name' | 'alt_text' | 'click_url') => ({
    value: draft[field],
    error: errors[field],
    onChange: (event: { currentTarget: { value: string } }) =>
      onChange({ [field]: event.currentTarget.value }, field),
  });
  const look = (patch: Partial<Draft['design']>) =>
    onChange({ design: { ...design, ...patch } }, Object.keys(patch).join());
  return (
    <Stack gap="sm">
      <TextInput label="Name" required maxLength={255} {...text('name')} />
      <Textarea
        label="Alternative text"
        description="What the banner says, for people who cannot see it."
        autosize
        maxLength={MOST_ALT_TEXT}
        {...text('alt_text')}
      />
      <TextInput
        label="Click address"
        description="Where a click leads."
        placeholder="https://"
        maxLength={2000}
        {...text('click_url')}
      />
      <Color
        label="Background"
        swatches={swatches}
        value={design.background}
        onChange={(background) => background && look({ background })}
      />
      <Color
        label="Border color"
        none="Border"
        swatches={['#c9ccd3', ...swatches]}
        value={design.border}
        onChange={(border) => look({ border })}
      />
      <Checkbox.Group
        label="Sizes"
        value={design.sizes}
        onChange={(sizes) =>
          // In the order of the list, so that none moves when another is added.
          sizes.length > 0 && look({ sizes: AD_SIZES.filter((size) => sizes.includes(size)) as AdSize[] })
        }
      >
        <Group gap="sm" mt={6}>
          {AD_SIZES.map((size) => (
            <Checkbox key={size} value={size} label={size} />
          ))}
        </Group>
      </Checkbox.Group>
    </Stack>
  );
}

import { ColorInput, Select, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { FONT_THEMES, type FontTheme } from '../../../contract/fonts.ts';
import { useMay } from '../../api/user.ts';
import { useBrand } from '../../brand/brand.ts';
import { BrandPreview } from './BrandPreview.tsx';
import { COLOURS, type ColourField, colourOf, type Setting, type SettingValue } from './model.ts';
import { type Picture, PictureField } from './PictureField.tsx';
import { SaveBar, SettingLoader, useBrandChanged, useSettingSave } from './SettingForm.tsx';
import classes from './settings.module.css';

type Values = Record<ColourField, string> & {
  name: string;
  tagline: string;
  font_theme: string;
  logo: string;
  favicon: string;
};

const LABELS: Record<string, string> = {
  name: 'Name',
  tagline: 'Tagline',
  font_theme: 'Font',
  logo: 'Logo',
  favicon: 'Tab icon',
  ...Object.fromEntries(COLOURS.map(({ field, label }) => [field, label])),
};

const FONTS = Object.entries(FONT_THEMES).map(([value, { label }]) => ({ value, label }));

function toValue(values: Values): SettingValue<'branding'> {
  return {
    name: values.name.trim(),
    tagline: values.tagline.trim() || null,
    ...(Object.fromEntries(COLOURS.map(({ field }) => [field, colourOf(values[field]) ?? null])) as Record<
      ColourField,
      string | null
    >),
    font_theme: (values.font_theme || null) as FontTheme | null,
    logo: values.logo || null,
    favicon: values.favicon || null,
  };
}

/** Name, pictures, colours and font of the company, with what they look like while they are chosen. */
export default function BrandingTab() {
  return (
    <SettingLoader name="branding">
      {(setting, reload) => <BrandingForm setting={setting} onReload={reload} />}
    </SettingLoader>
  );
}

function BrandingForm({ setting, onReload }: { setting: Setting<'branding'>; onReload: () => void }) {
  const brand = useBrand();
  const brandChanged = useBrandChanged();
  const mayWrite = useMay('setting.write');
  const { data } = setting;
  /** Pictures by their id, as far as they are known here: the saved ones, and what has just been uploaded. */
  const [pictures, setPictures] = useState<Record<string, Picture>>(() => ({
    ...(data.logo && brand.company_logo ? { [data.logo]: { id: data.logo, ...brand.company_logo } } : {}),
    ...(data.favicon && brand.favicon
      ? { [data.favicon]: { id: data.favicon, url: brand.favicon, width: 32, height: 32 } }
      : {}),
  }));
  const form = useForm<Values>({
    initialValues: {
      name: data.name,
      tagline: data.tagline ?? '',
      font_theme: data.font_theme ?? '',
      logo: data.logo ?? '',
      favicon: data.favicon ?? '',
      ...(Object.fromEntries(COLOURS.map(({ field }) => [field, data[field] ?? ''])) as Record<
        ColourField,
        string
      >),
    },
    validateInputOnBlur: true,
    validate: {
      name: (value) =>
        !value.trim() ? 'Enter a name' : value.trim().length > 255 ? 'Use at most 255 characters' : null,
      ...(Object.fromEntries(
        COLOURS.map(({ field }) => [
          field,
          (value: string) =>
            colourOf(value) === undefined ? 'Enter a colour such as #1a73e8, or leave it empty' : null,
        ]),
      ) as Record<ColourField, (value: string) => string | null>),
    },
  });
  const state = useSettingSave({ setting, form, toValue, labels: LABELS, onSaved: brandChanged });
  const value = toValue(form.values);
  const picture = (field: 'logo' | 'favicon') => ({
    purpose: field,
    picture: form.values[field] ? (pictures[form.values[field]] ?? null) : null,
    error: form.errors[field],
    onChange: (next: Picture | null) => {
      if (next) setPictures((all) => ({ ...all, [next.id]: next }));
      form.setFieldValue(field, next?.id ?? '');
      form.clearFieldError(field);
    },
  });

  return (
    <form onSubmit={state.save} noValidate className={classes.split}>
      <fieldset disabled={!mayWrite} className={classes.fields}>
        <Stack gap="md">
          <TextInput
            label="Name"
            description="Stands in the browser’s tab, in mails and beside the logo."
            withAsterisk
            maxLength={255}
            {...form.getInputProps('name')}
          />
          <TextInput
            label="Tagline"
            description="One line on the login page."
            maxLength={255}
            {...form.getInputProps('tagline')}
          />
          <PictureField
            label="Logo"
            help="PNG, JPEG, WebP or SVG, at most 2 MB. Shown at most 125 pixels wide."
            {...picture('logo')}
          />
          <PictureField
            label="Tab icon"
            help="A square picture for the browser’s tab. Empty: the logo, where it is square, or the first letter of the name."
            {...picture('favicon')}
          />
        </Stack>
        <section className={classes.section}>
          <Title order={2} size="h3">
            Colours
          </Title>
          <Text c="dimmed" size="sm" mb="sm">
            Empty: the product’s own. What could not be read is made darker or lighter; the preview says
            where.
          </Text>
          <div className={classes.two}>
            {COLOURS.map(({ field, label, help }) => (
              <ColorInput
                key={field}
                label={label}
                description={help}
                placeholder="The product’s own"
                fixOnBlur={false}
                withEyeDropper={false}
                eyeDropperButtonProps={{ 'aria-label': 'Pick a colour' }}
                {...form.getInputProps(field)}
              />
            ))}
          </div>
        </section>
        <section className={classes.section}>
          <Select
            label="Font"
            description="Families that devices bring along, so nothing has to be loaded."
            data={FONTS}
            placeholder="System"
            clearable
            clearButtonProps={{ 'aria-label': 'Clear the font' }}
            renderOption={({ option }) => (
              <span style={{ fontFamily: FONT_THEMES[option.value as FontTheme].stack }}>{option.label}</span>
            )}
            maw={320}
            {...form.getInputProps('font_theme')}
            value={form.values.font_theme || null}
            onChange={(next) => form.setFieldValue('font_theme', next ?? '')}
          />
        </section>
        <SaveBar state={state} isSaving={form.submitting} onReload={onReload} mayWrite={mayWrite} />
      </fieldset>
      <BrandPreview
        brand={{
          ...value,
          name: value.name || 'Name',
          company_logo: pictures[form.values.logo] ?? null,
        }}
      />
    </form>
  );
}

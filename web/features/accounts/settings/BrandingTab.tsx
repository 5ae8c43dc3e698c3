import { ColorInput, Select, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { DEFAULT_FONT, FONT_THEMES, type FontTheme, fontStack } from '../../../../contract/accounts/fonts.ts';
import { useMay } from '../../../api/user.ts';
import { useBrand } from '../../../brand/brand.ts';
import { offerFont } from '../../../brand/font.ts';
import { Fields } from '../../../ui/Fields.tsx';
import { BrandPreview } from './BrandPreview.tsx';
import { COLORS, type ColorField, colorOf, type Setting, type SettingValue } from './model.ts';
import { type Picture, PictureField } from './PictureField.tsx';
import { SaveBar, SettingLoader, useBrandChanged, useSettingSave } from './SettingForm.tsx';
import classes from './settings.module.css';

type Values = Record<ColorField, string> & {
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
  ...Object.fromEntries(COLORS.map(({ field, label }) => [field, label])),
};

const FONTS = Object.entries(FONT_THEMES).map(([value, { label }]) => ({ value: value as FontTheme, label }));

function toValue(values: Values): SettingValue<'branding'> {
  return {
    name: values.name.trim(),
    tagline: values.tagline.trim() || null,
    ...(Object.fromEntries(COLORS.map(({ field }) => [field, colorOf(values[field]) ?? null])) as Record<
      ColorField,
      string | null
    >),
    font_theme: (values.font_theme || null) as FontTheme | null,
    logo: values.logo || null,
    favicon: values.favicon || null,
  };
}

/** Name, pictures, colors, and font of the company, with a live preview. */
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
      ...(Object.fromEntries(COLORS.map(({ field }) => [field, data[field] ?? ''])) as Record<
        ColorField,
        string
      >),
    },
    validateInputOnBlur: true,
    validate: {
      name: (value) =>
        !value.trim() ? 'Enter a name' : value.trim().length > 255 ? 'Use up to 255 characters' : null,
      ...(Object.fromEntries(
        COLORS.map(({ field }) => [
          field,
          (value: string) =>
            colorOf(value) === undefined ? 'Enter a color such as #1a73e8, or leave it blank' : null,
        ]),
      ) as Record<ColorField, (value: string) => string | null>),
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
            description="Shown in the browser tab, in emails, and next to the logo."
            withAsterisk
            maxLength={255}
            {...form.getInputProps('name')}
          />
          <TextInput
            label="Tagline"
            description="One line on the sign-in page."
            maxLength={255}
            {...form.getInputProps('tagline')}
          />
          <PictureField
            label="Logo"
            help="PNG, JPEG, WebP, or SVG, up to 2 MB. Shown up to 125 pixels wide."
            {...picture('logo')}
          />
          <PictureField
            label="Tab icon"
            help="A square picture for the browser tab. Leave blank to use the logo if it is square, or the first letter of the name."
            {...picture('favicon')}
          />
        </Stack>
        <section className={classes.section}>
          <Title order={2} size="h3">
            Colors
          </Title>
          <Text c="dimmed" size="sm" mb="sm">
            Leave blank for the product default. Unreadable colors are made darker or lighter. The preview
            shows where.
          </Text>
          <Fields>
            {COLORS.map(({ field, label, help }) => (
              <ColorInput
                key={field}
                label={label}
                description={help}
                placeholder="Product default"
                fixOnBlur={false}
                withEyeDropper={false}
                eyeDropperButtonProps={{ 'aria-label': 'Pick a color' }}
                {...form.getInputProps(field)}
              />
            ))}
          </Fields>
        </section>
        <section className={classes.section}>
          <Select
            label="Font"
            description="Looks the same on every device."
            data={FONTS}
            placeholder={FONT_THEMES[DEFAULT_FONT].label}
            onDropdownOpen={() => FONTS.forEach(({ value }) => void offerFont(value).catch(() => undefined))}
            clearable
            clearButtonProps={{ 'aria-label': 'Clear font' }}
            renderOption={({ option }) => (
              <span style={{ fontFamily: fontStack(option.value as FontTheme) }}>{option.label}</span>
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

import { Button, Group, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useState } from 'react';
import type { AdSize } from '../../../../contract/ads/ad-rules.ts';
import {
  designOf,
  TEMPLATES,
  type TemplateColors,
  type TemplateName,
} from '../../../../contract/ads/banner-templates.ts';
import { useUser } from '../../../api/user.ts';
import { useBrand } from '../../../brand/brand.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { ClientSelect } from '../../campaigns/campaigns/ClientSelect.tsx';
import classes from './Editor.module.css';
import type { Draft } from './edits.ts';
import { loadFonts, pngOf } from './files.ts';
import { templateColors } from './model.ts';

const SHOWN: AdSize = '300x250';
const NAMES = Object.keys(TEMPLATES) as TemplateName[];

/** The beginning of a new banner: its name, whom it is for, and a template in the brand's colors. */
export function BannerStart({ onStart }: { onStart: (draft: Draft, companyId: string | undefined) => void }) {
  const user = useUser();
  const colors = templateColors(useBrand());
  const [name, setName] = useState('');
  const [fault, setFault] = useState<string>();
  const [client, setClient] = useState('');
  const [template, setTemplate] = useState<TemplateName>('bold');
  const [pictures, setPictures] = useState<Partial<Record<TemplateName, string>>>({});
  const key = JSON.stringify(colors);
  useEffect(() => {
    const used: TemplateColors = JSON.parse(key);
    let isOver = false;
    const urls: string[] = [];
    void (async () => {
      await loadFonts(designOf('bold', used));
      for (const one of NAMES) {
        const url = URL.createObjectURL(await pngOf(designOf(one, used), SHOWN, new Map(), 2));
        urls.push(url);
        if (isOver) return URL.revokeObjectURL(url);
        setPictures((old) => ({ ...old, [one]: url }));
      }
    })();
    return () => {
      isOver = true;
      for (const url of urls) URL.revokeObjectURL(url);
    };
  }, [key]);
  const start = (event: FormEvent) => {
    event.preventDefault();
    if (!name.trim()) return setFault('Enter a name');
    onStart(
      { name: name.trim(), alt_text: '', click_url: '', design: designOf(template, colors) },
      client || undefined,
    );
  };
  return (
    <>
      <PageHeader title="Create banner" line="Choose a template. You can change everything afterwards." />
      <form className="card" style={{ padding: 'var(--mantine-spacing-md)' }} noValidate onSubmit={start}>
        <Stack gap="md">
          <TextInput
            label="Name"
            required
            maxLength={255}
            maw={420}
            value={name}
            error={fault}
            onChange={(event) => {
              setName(event.currentTarget.value);
              setFault(undefined);
            }}
          />
          {user.company_kind !== 'client' && (
            <div style={{ maxWidth: 420 }}>
              <ClientSelect
                value={client}
                onChange={setClient}
                none="Your own company"
                description="Who the banner is for. Its images belong to the same company."
              />
            </div>
          )}
          <ul className={classes.picks} aria-label="Templates">
            {NAMES.map((one) => (
              <li key={one}>
                <button
                  type="button"
                  className={classes.pick}
                  aria-pressed={one === template}
                  onClick={() => setTemplate(one)}
                >
                  {pictures[one] ? <img src={pictures[one]} alt="" /> : <div style={{ height: 120 }} />}
                  {TEMPLATES[one]}
                </button>
              </li>
            ))}
          </ul>
          <Group justify="end">
            <Button type="submit">Start designing</Button>
          </Group>
        </Stack>
      </form>
    </>
  );
}

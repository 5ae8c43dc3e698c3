import { Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { AdSize } from '../../../../contract/ads/ad-rules.ts';
import { api } from '../../../api/client.ts';
import { wordsOf } from '../../../api/errors.ts';
import { formOf, upload } from '../../../api/upload.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone } from '../../../ui/notify.ts';
import { SearchSelect } from '../../../ui/SearchSelect.tsx';
import type { Draft } from './edits.ts';
import { pngOf } from './files.ts';
import type { Images } from './paint.ts';

/** Adds the sizes of a banner to an ad campaign as its creatives. */
export function UseInCampaign(props: {
  draft: Draft;
  images: Images;
  /** The client whose campaigns can be chosen; absent: all that the person sees. */
  companyId: string | undefined;
  onClose: () => void;
}) {
  const { draft, images, companyId } = props;
  const client = useQueryClient();
  const [campaign, setCampaign] = useState('');
  const [chosen, setChosen] = useState<readonly AdSize[]>(draft.design.sizes);
  const [done, setDone] = useState<readonly AdSize[]>([]);
  const [faults, setFaults] = useState<readonly string[]>([]);
  const [isBusy, setBusy] = useState(false);
  const left = chosen.filter((size) => !done.includes(size));
  const add = async () => {
    setBusy(true);
    setFaults([]);
    const failed: string[] = [];
    const added: AdSize[] = [];
    for (const size of left) {
      try {
        const file = new File([await pngOf(draft.design, size, images)], `banner-${size}.png`, {
          type: 'image/png',
        });
        await upload(
          '/ads/creatives',
          formOf('inputs.creativeForm', {
            campaign_id: campaign,
            name: `${draft.name.slice(0, 240)} ${size}`,
            alt_text: draft.alt_text.trim(),
            click_url: draft.click_url.trim(),
            file,
          }),
        );
        added.push(size);
      } catch (error) {
        failed.push(`${size}: ${wordsOf(error)}`);
      }
    }
    setDone([...done, ...added]);
    setFaults(failed);
    setBusy(false);
    await client.invalidateQueries({ queryKey: ['ads'] });
    if (failed.length > 0) return;
    notifyDone(
      `${added.length} ${added.length === 1 ? 'creative was' : 'creatives were'} added to the campaign.`,
    );
    props.onClose();
  };
  return (
    <Modal opened onClose={props.onClose} title="Use in an ad campaign" centered>
      <Stack gap="md">
        <SearchSelect
          label="Ad campaign"
          description="It shows these images as soon as it is active."
          queryKey={['ads', 'choice', companyId ?? '']}
          value={campaign}
          onChange={(id) => {
            setCampaign(id);
            setDone([]);
          }}
          find={async (search, signal) => {
            const { data } = await api.adCampaigns.list(
              {
                page: 1,
                per_page: 50,
                ...(companyId ? { company_id: companyId } : {}),
                ...(search ? { search } : {}),
              },
              { signal },
            );
            return data.map((one) => ({
              value: one.campaign_id,
              label: companyId ? one.campaign_name : `${one.campaign_name} (${one.company_name})`,
            }));
          }}
        />
        <Checkbox.Group label="Sizes" value={[...chosen]} onChange={(sizes) => setChosen(sizes as AdSize[])}>
          <Group gap="sm" mt={6}>
            {draft.design.sizes.map((size) => (
              <Checkbox
                key={size}
                value={size}
                label={done.includes(size) ? `${size} (added)` : size}
                disabled={isBusy || done.includes(size)}
              />
            ))}
          </Group>
        </Checkbox.Group>
        {faults.length > 0 && (
          <Notice tone="bad" title="Some sizes could not be added" live="alert">
            {faults.map((text) => (
              <Text key={text} size="sm">
                {text}
              </Text>
            ))}
          </Notice>
        )}
        <Group justify="end">
          <Button variant="default" onClick={props.onClose}>
            Cancel
          </Button>
          <Button loading={isBusy} disabled={!campaign || left.length === 0} onClick={() => void add()}>
            Add {left.length} {left.length === 1 ? 'creative' : 'creatives'}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

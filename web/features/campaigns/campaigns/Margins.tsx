import { ActionIcon, Anchor, Button, Group, Modal, Radio, Stack, Text, Tooltip } from '@mantine/core';
import { IconShieldDollar } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Client } from '../../../../contract/index.ts';
import { MARGIN_RULES } from '../../../../contract/money/margins.ts';
import { api } from '../../../api/client.ts';
import { useMay, useUser } from '../../../api/user.ts';
import { num } from '../../../ui/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { Clip, When } from '../../../ui/Values.tsx';
import classes from './campaigns.module.css';

type Margins = Awaited<ReturnType<Client['margins']['margins']>>;
type Rule = Margins['rule'];

const RULES: Record<Rule, { label: string; description: string }> = {
  hold: {
    label: 'Pause the campaign',
    description: 'No leads are sold until you change the price.',
  },
  raise: {
    label: 'Raise the price to your cost',
    description:
      'Your client pays the new price from then on. A campaign whose maximum price per lead is below your cost is paused.',
  },
  sell: {
    label: 'Keep selling at a loss',
    description: 'Campaigns keep running, and you pay the difference.',
  },
};
/** The number of campaigns listed before the user asks for the rest. */
const FEW = 5;

const useMargins = () =>
  useQuery({
    queryKey: ['margins'],
    queryFn: ({ signal }) => api.margins.margins(undefined, { signal }),
    enabled: useMay('campaign.price'),
  });

/** What an agency needs to know about prices below its cost; renders nothing if there are none. */
export function MarginsNotice() {
  const { data } = useMargins();
  const [, set] = useSearchParams();
  const [isWhole, setWhole] = useState(false);
  const campaigns = data?.campaigns ?? [];
  if (!data || campaigns.length === 0) return null;
  const shown = isWhole ? campaigns : campaigns.slice(0, FEW);
  return (
    <div style={{ marginBottom: 16 }}>
      <Notice
        tone="warn"
        title={
          campaigns.length === 1
            ? 'Your cost is above the price of one campaign'
            : `Your cost is above the price of ${num(campaigns.length)} campaigns`
        }
        action={
          <Group gap="xs">
            <RuleButton rule={data.rule} />
            {campaigns.length > FEW && (
              <Button variant="default" size="xs" onClick={() => setWhole(!isWhole)}>
                {isWhole ? 'Show fewer' : `Show all ${num(campaigns.length)}`}
              </Button>
            )}
          </Group>
        }
      >
        <ul className={classes.belowCost} aria-label="Campaigns priced below cost">
          {shown.map((one) => (
            <li key={one.id} className={classes.belowCostRow}>
              <Anchor
                component="button"
                type="button"
                className={classes.belowCostName}
                size="sm"
                fw={500}
                onClick={() => set({ campaign: one.id, new: undefined }, { push: true })}
              >
                <Clip text={one.name} max={260} />
              </Anchor>
              <span>
                <Clip text={one.company_name} max={200} />
              </span>
              <span className="num">
                Price ${one.price}, your cost ${one.cost}
              </span>
              <span>
                {one.from ? (
                  <>
                    From <When at={one.from} />
                  </>
                ) : one.held ? (
                  'On hold'
                ) : one.sells ? (
                  'Selling at a loss'
                ) : (
                  'Not selling'
                )}
              </span>
            </li>
          ))}
        </ul>
      </Notice>
    </div>
  );
}

/** Opens the price protection choice when there is nothing to report. */
export function MarginsButton() {
  const { data } = useMargins();
  return data ? <RuleButton rule={data.rule} isSmall /> : null;
}

function RuleButton({ rule, isSmall }: { rule: Rule; isSmall?: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const user = useUser();
  // In view mode, the choice belongs to someone else.
  if (user.in_view_mode) return null;
  return (
    <>
      {isSmall ? (
        <Tooltip label="Price protection">
          <ActionIcon variant="default" size={36} aria-label="Price protection" onClick={() => setOpen(true)}>
            <IconShieldDollar size={18} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
      ) : (
        <Button variant="default" size="xs" onClick={() => setOpen(true)}>
          Price protection
        </Button>
      )}
      {isOpen && <RuleModal rule={rule} onClose={() => setOpen(false)} />}
    </>
  );
}

function RuleModal({ rule, onClose }: { rule: Rule; onClose: () => void }) {
  const cache = useQueryClient();
  const [chosen, setChosen] = useState<Rule>(rule);
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      const { message, data } = await api.margins.setMarginRule({ rule: chosen });
      cache.setQueryData(['margins'], data);
      await cache.invalidateQueries({ queryKey: ['campaigns'] });
      notifyDone(message);
      onClose();
    } catch (error) {
      notifyFailed(error);
      setBusy(false);
    }
  };
  return (
    <Modal opened onClose={onClose} title="Price protection" centered>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <Stack gap="md">
          <Radio.Group
            label="If your cost rises above a campaign’s price"
            description="Your cost per lead is set by the platform. We email you whenever this happens."
            value={chosen}
            onChange={(value) => setChosen(value as Rule)}
          >
            <Stack gap="sm" my="sm">
              {MARGIN_RULES.map((one) => (
                <Radio key={one} value={one} {...RULES[one]} />
              ))}
            </Stack>
          </Radio.Group>
          <Text size="sm" c="dimmed">
            Prices you set below your cost yourself stay as they are.
          </Text>
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isBusy}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

import { ActionIcon, Menu, Switch, Tooltip } from '@mantine/core';
import {
  IconArrowsLeftRight,
  IconCreditCardOff,
  IconDots,
  IconDownload,
  IconEye,
  IconGift,
  IconHistory,
  IconKey,
  IconLogout,
  IconMail,
  IconPackageExport,
  IconPencil,
  IconPigMoney,
  IconReceipt,
  IconTag,
  IconTrash,
  IconUsers,
} from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { apiIcon } from '../../../../contract/accounts/company-rules.ts';
import { OFFBOARDING_NEEDS, TRANSFER_NEEDS } from '../../../../contract/accounts/permissions.ts';
import type { RowAction } from '../../../../contract/accounts/row-actions.ts';
import { useMay } from '../../../api/user.ts';
import classes from './companies.module.css';
import type { CompanyItem } from './companies.ts';
import { OnboardingPopover } from './OnboardingPopover.tsx';

/** What a row's menu entry triggers. */
export type Doing =
  | Exclude<RowAction, 'manualBill' | 'apiKey' | 'onboardingCharge'>
  | 'priceSetup'
  | 'offboard'
  | 'transfer'
  | 'invite';

/** A row's actions: switch and icons next to each other, the rest in a menu (spec product 2, Row actions). */
export function RowActions(props: {
  row: CompanyItem;
  offered: RowAction[];
  /** Resolves to whether the switch keeps its new position. */
  onManualBill: (on: boolean) => Promise<boolean>;
  onDo: (what: Doing) => void;
}) {
  const { row, offered, onDo } = props;
  // The switch moves at once and goes back on a cancel or a failure.
  const [wanted, setWanted] = useState<boolean>();
  const isOn = wanted ?? row.manual_bill === 'T';
  const sign = apiIcon(row);
  const has = (action: RowAction) => offered.includes(action);
  const item = (what: Doing, label: string, icon: ReactNode, color?: string) => (
    <Menu.Item leftSection={icon} {...(color ? { color } : {})} onClick={() => onDo(what)}>
      {label}
    </Menu.Item>
  );
  const size = 16;
  const mayPrice = useMay('campaign.read');
  const mayInvite = useMay('person.write');
  const mayOffboard = useMay(...OFFBOARDING_NEEDS);
  const mayTransfer = useMay(...TRANSFER_NEEDS);
  return (
    <div className={classes.actions}>
      {has('manualBill') && (
        <Tooltip label={isOn ? 'Direct payment is on' : 'Direct payment is off'}>
          <Switch
            size="md"
            onLabel="ON"
            offLabel="OFF"
            // The label of a switch that is off is text, so it needs to be readable as text.
            {...(isOn ? {} : { styles: { trackLabel: { color: 'var(--mantine-color-text)' } } })}
            aria-label={`Manual bill for ${row.company_name}`}
            checked={isOn}
            disabled={wanted !== undefined}
            onChange={async (event) => {
              const on = event.currentTarget.checked;
              setWanted(on);
              await props.onManualBill(on);
              // The row shows the result, whatever it is.
              setWanted(undefined);
            }}
          />
        </Tooltip>
      )}
      {has('apiKey') && (
        <Tooltip label={sign.words} events={{ hover: true, focus: true, touch: true }}>
          <span
            className={classes.icon}
            data-color={sign.color}
            role="img"
            // Its color means something: who has no mouse reads it, too.
            // biome-ignore lint/a11y/noNoninteractiveTabindex: its words are in the tooltip
            tabIndex={0}
            aria-label={`API developer: ${sign.words}`}
          >
            <IconKey size={18} aria-hidden="true" />
          </span>
        </Tooltip>
      )}
      {has('edit') && (
        <Tooltip label="Edit">
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Edit ${row.company_name}`}
            onClick={() => onDo('edit')}
          >
            <IconPencil size={18} aria-hidden="true" />
          </ActionIcon>
        </Tooltip>
      )}
      {offered.length > 0 && (
        <Menu position="bottom-end" withinPortal>
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${row.company_name}`}>
              <IconDots size={18} aria-hidden="true" />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {has('viewAs') &&
              row.id &&
              item('viewAs', `View as ${row.kind}`, <IconEye size={size} aria-hidden="true" />)}
            {has('setSales') &&
              item('setSales', 'Set sales person', <IconUsers size={size} aria-hidden="true" />)}
            {has('setCost') && item('setCost', 'Set cost', <IconTag size={size} aria-hidden="true" />)}
            {has('grantCredit') &&
              item('grantCredit', 'Grant credit', <IconGift size={size} aria-hidden="true" />)}
            {row.kind === 'client' &&
              mayPrice &&
              item('priceSetup', 'Price setup', <IconReceipt size={size} aria-hidden="true" />)}
            {has('agreement') &&
              item('agreement', 'Download agreement file', <IconDownload size={size} aria-hidden="true" />)}
            {has('minimumSpendExclusion') &&
              item(
                'minimumSpendExclusion',
                row.excluded_minimum_spend ? 'Include in minimum spend' : 'Exclude from minimum spend',
                <IconPigMoney size={size} aria-hidden="true" />,
              )}
            {has('edit') &&
              mayInvite &&
              row.id &&
              item('invite', 'Resend invitation', <IconMail size={size} aria-hidden="true" />)}
            {has('logs') && item('logs', 'User logs', <IconHistory size={size} aria-hidden="true" />)}
            {has('export') &&
              item('export', 'Full export', <IconPackageExport size={size} aria-hidden="true" />)}
            {has('remove') && (
              <>
                <Menu.Divider />
                {row.kind === 'client' &&
                  mayTransfer &&
                  item('transfer', 'Transfer', <IconArrowsLeftRight size={size} aria-hidden="true" />)}
                {row.kind === 'client' &&
                  mayOffboard &&
                  item('offboard', 'Offboard', <IconLogout size={size} aria-hidden="true" />)}
                {item('remove', 'Remove', <IconTrash size={size} aria-hidden="true" />, 'red')}
              </>
            )}
          </Menu.Dropdown>
        </Menu>
      )}
      {/* Last, so that what each row has stands one below the other. */}
      {has('paymentFailed') && (
        <Tooltip label="Payment failed. Clear it">
          <ActionIcon
            variant="light"
            color="red"
            aria-label={`Failed payment for ${row.company_name}`}
            onClick={() => onDo('paymentFailed')}
          >
            <IconCreditCardOff size={18} aria-hidden="true" />
          </ActionIcon>
        </Tooltip>
      )}
      {has('onboardingCharge') && <OnboardingPopover row={row} />}
    </div>
  );
}

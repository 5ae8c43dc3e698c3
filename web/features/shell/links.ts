import {
  IconAd2,
  IconAddressBook,
  IconApi,
  IconArrowMerge,
  IconBuilding,
  IconBuildingSkyscraper,
  IconBuildingStore,
  IconChartHistogram,
  IconChartLine,
  IconClipboardList,
  IconCode,
  IconCoins,
  IconCreditCard,
  IconCreditCardRefund,
  IconDatabaseImport,
  IconFileInvoice,
  IconGauge,
  IconLayoutDashboard,
  IconLifebuoy,
  IconLock,
  IconMailbox,
  IconPhotoPlus,
  IconPlugConnected,
  IconReceipt,
  IconReceiptTax,
  IconReportMoney,
  IconRotateClockwise,
  IconScale,
  IconSettings,
  IconShieldCheck,
  IconShieldLock,
  IconShieldOff,
  IconSpeakerphone,
  IconTarget,
  IconTicket,
  IconTool,
  IconUserCircle,
  IconUserShield,
  IconUsers,
  IconUsersGroup,
  IconWallet,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';
import type { SignedIn } from '../../../contract/routing-facts.ts';
import { type ProfileEntry, sidebar } from '../../../contract/routing-menu.ts';
import type { PageId } from '../../../contract/routing-pages.ts';
import type { FrameSection } from '../../ui/AppFrame.tsx';

type Icon = ComponentType<{ size?: number; stroke?: number }>;

const ICONS: Partial<Record<PageId, Icon>> = {
  dashboard: IconLayoutDashboard,
  'module-dashboard': IconChartLine,
  'profile-setup': IconClipboardList,
  'card-setting': IconCreditCard,
  'campaign-management': IconTarget,
  client: IconAddressBook,
  campaign: IconSpeakerphone,
  'campaign-setup': IconTool,
  audience: IconUsersGroup,
  'banner-create': IconPhotoPlus,
  'banner-list': IconAd2,
  'root-list': IconBuildingSkyscraper,
  'agency-list': IconBuilding,
  'client-management': IconBuildingStore,
  'administrator-list': IconUserShield,
  'sales-account-list': IconReportMoney,
  'role-list': IconShieldLock,
  'general-setting': IconSettings,
  'data-enrichment': IconDatabaseImport,
  'opt-out-list': IconShieldOff,
  'exclusion-lists': IconShieldOff,
  'report-analytics': IconChartHistogram,
  'sales-connect-account': IconCreditCard,
  statement: IconReceipt,
  invoices: IconFileInvoice,
  margins: IconScale,
  taxes: IconReceiptTax,
  limits: IconGauge,
  'minimum-spend': IconCoins,
  coupons: IconTicket,
  payments: IconCreditCardRefund,
  'background-jobs': IconRotateClockwise,
  outbox: IconMailbox,
  'people-import': IconUsers,
  'people-merge': IconArrowMerge,
};

/** Returns a user's sidebar sections, based on the table of pages. */
export function sectionsOf(facts: SignedIn): FrameSection[] {
  const sections: FrameSection[] = sidebar(facts).map(({ title, links }) => ({
    title,
    links: links.map(({ page, label, to, module }) => ({
      label,
      ...(module ? { hint: `${title}: ${label}` } : {}),
      to,
      icon: ICONS[page] ?? IconTarget,
    })),
  }));
  if (facts.user.grade === 'root.owner' || facts.user.grade === 'root.administrator') {
    sections
      .find(({ title }) => title === 'Configuration')
      ?.links.push({
        label: 'API reference',
        to: '/api/reference',
        icon: IconApi,
        external: true,
      });
  }
  return sections;
}

/** The labels and icons of the profile menu's entries (NAV-02). */
export const ENTRIES: Record<Exclude<ProfileEntry, 'logout'>, { label: string; icon: Icon }> = {
  profile: { label: 'Profile', icon: IconUserCircle },
  cardSetting: { label: 'Card Setting', icon: IconCreditCard },
  dataWallet: { label: 'Data Wallet', icon: IconWallet },
  integrations: { label: 'Integrations', icon: IconPlugConnected },
  developer: { label: 'Developer', icon: IconCode },
  exclusionList: { label: 'Exclusion List', icon: IconShieldOff },
  changePassword: { label: 'Change Password', icon: IconLock },
  twoFactor: { label: 'Two Factor Authentication', icon: IconShieldLock },
  sessions: { label: 'Security', icon: IconShieldCheck },
  support: { label: 'Support', icon: IconLifebuoy },
};

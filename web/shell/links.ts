import {
  IconBuilding,
  IconBuildingStore,
  IconClipboardList,
  IconCode,
  IconCoins,
  IconCreditCard,
  IconDatabase,
  IconHome,
  IconLifebuoy,
  IconListCheck,
  IconLock,
  IconPlugConnected,
  IconSettings,
  IconShieldCheck,
  IconShieldLock,
  IconShieldOff,
  IconTarget,
  IconUserCircle,
  IconUserSearch,
  IconWallet,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';
import type { SignedIn } from '../../contract/routing/routing-facts.ts';
import { type ProfileEntry, sidebar } from '../../contract/routing/routing-menu.ts';
import type { FrameSection } from '../ui/SideLinks.tsx';

type Icon = ComponentType<{ size?: number; stroke?: number }>;

/** The icons of the sidebar's entries, by title. */
const ICONS: Record<string, Icon> = {
  Home: IconHome,
  'Set up': IconClipboardList,
  Agencies: IconBuilding,
  Clients: IconBuildingStore,
  Leads: IconUserSearch,
  Campaigns: IconTarget,
  Data: IconDatabase,
  Money: IconCoins,
  'Connect your account': IconCreditCard,
  Lists: IconListCheck,
  Settings: IconSettings,
};

/** Returns a user's sidebar, based on the table of pages. */
export function sectionsOf(facts: SignedIn): FrameSection[] {
  const sections: FrameSection[] = sidebar(facts).map(({ title, links }) => ({
    title,
    icon: ICONS[title] ?? IconTarget,
    links: links.map(({ label, to }) => ({ label, to })),
  }));
  if (facts.user.grade === 'root.owner' || facts.user.grade === 'root.administrator') {
    sections
      .find(({ title }) => title === 'Settings')
      ?.links.push({ label: 'API reference', to: '/api/reference', external: true });
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

import {
  IconApi,
  IconBuilding,
  IconDevices,
  IconLayoutDashboard,
  IconLock,
  IconReceipt,
  IconSettings,
  IconShieldLock,
  IconTarget,
  IconUserPlus,
  IconUsers,
} from '@tabler/icons-react';
import { Outlet } from '@tanstack/react-router';
import { useState } from 'react';
import { logout } from '../../api/client.ts';
import { userMay, useUser } from '../../api/user.ts';
import { BrandMark } from '../../brand/BrandMark.tsx';
import { useBrand } from '../../brand/brand.ts';
import { AppFrame, type FrameAction, type FrameLink } from '../../ui/AppFrame.tsx';
import { ChangePasswordModal, ReferralModal, TwoFactorModals } from '../access/modals.tsx';
import { ViewBanner } from '../access/ViewBanner.tsx';

/** The frame around every page behind the login, with the links that the person's role has. */
export default function Frame() {
  const user = useUser();
  const brand = useBrand();
  const isRoot = user.company_kind === 'root';
  const links: FrameLink[] = [{ label: 'Dashboard', to: '/dashboard', icon: IconLayoutDashboard }];
  if (userMay(user, 'campaign.read') && user.leadlocalurl) {
    links.push({
      label: user.leadlocalname,
      to: `/${encodeURIComponent(user.leadlocalurl)}/campaign-management`,
      icon: IconTarget,
    });
  }
  if (userMay(user, 'company.list')) {
    links.push(
      user.systemuser
        ? { label: 'Agency List', to: '/configuration/agency-list', icon: IconBuilding }
        : { label: 'Client Management', to: '/configuration/client-management', icon: IconBuilding },
    );
  }
  if (userMay(user, 'statement.read'))
    links.push({ label: 'Statement', to: '/configuration/statement', icon: IconReceipt });
  if (userMay(user, 'people.import')) {
    links.push({ label: 'People data', to: '/configuration/people-import', icon: IconUsers });
    if (isRoot) links.push({ label: 'API reference', to: '/api/reference', icon: IconApi, external: true });
  }
  if (userMay(user, 'setting.read'))
    links.push({ label: 'General settings', to: '/configuration/general-setting', icon: IconSettings });
  const [modal, setModal] = useState<'password' | 'factor' | 'referral'>();
  const close = () => setModal(undefined);
  const menu: FrameAction[] = [
    { label: 'Change Password', icon: IconLock, onClick: () => setModal('password') },
    { label: 'Two Factor Authentication', icon: IconShieldLock, onClick: () => setModal('factor') },
    { label: 'Devices', icon: IconDevices, to: '/user/sessions' },
  ];
  if (userMay(user, 'referral.read'))
    menu.push({ label: 'Referral link', icon: IconUserPlus, onClick: () => setModal('referral') });
  return (
    <AppFrame
      mark={(folded) => <BrandMark brand={brand} folded={folded} />}
      home="/dashboard"
      links={links}
      person={{ name: user.name, email: user.email, company: user.company_name }}
      menu={menu}
      onLogout={() => void logout()}
    >
      <ViewBanner />
      <Outlet />
      <ChangePasswordModal opened={modal === 'password'} onClose={close} />
      <TwoFactorModals opened={modal === 'factor'} onClose={close} />
      <ReferralModal opened={modal === 'referral'} onClose={close} />
    </AppFrame>
  );
}

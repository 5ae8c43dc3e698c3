import { SetupWizard } from './SetupWizard.tsx';

/** /user/profile-setup (spec product 2 and 4, Wizard). */
export default function ProfileSetupPage() {
  return <SetupWizard withCard />;
}

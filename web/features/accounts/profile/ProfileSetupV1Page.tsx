import { SetupWizard } from './SetupWizard.tsx';

/** /user/profile-setup-v1: the same without the card; the routing table decides who gets it. */
export default function ProfileSetupV1Page() {
  return <SetupWizard withCard={false} />;
}

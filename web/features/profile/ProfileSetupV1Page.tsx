import { SetupWizard } from './SetupWizard.tsx';

/** /user/profile-setup-v1: the same without the card; who comes here is decided by the routing table. */
export default function ProfileSetupV1Page() {
  return <SetupWizard withCard={false} />;
}

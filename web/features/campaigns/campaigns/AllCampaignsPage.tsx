import { CampaignList } from './CampaignsPage.tsx';

/** The campaigns of all modules (spec product 2: /campaign). */
export default function AllCampaignsPage() {
  return <CampaignList title="Campaigns" />;
}

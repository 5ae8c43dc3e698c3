import { CampaignList } from './CampaignsPage.tsx';

/** The campaigns as a compact table (spec product 2: campaign-management-v1). */
export default function CampaignsCompactPage() {
  return <CampaignList isCompact />;
}

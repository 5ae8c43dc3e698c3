import { StaffPage } from './StaffPage.tsx';

/** Who sells for the platform (spec product 2, sales-account-list). */
export default function SalesAccountListPage() {
  return (
    <StaffPage
      type="sales"
      title="Sales Rep & AE List"
      line="Sales representatives and account executives. You put agencies into their care in the agency list."
      noun="sales account"
      empty="Add somebody who sells for you; they get an invitation by e-mail and connect their own payment account."
    />
  );
}

import { StaffPage } from './StaffPage.tsx';

/** The people who sell for the platform (spec product 2, sales-account-list). */
export default function SalesAccountListPage() {
  return (
    <StaffPage
      type="sales"
      title="Sales Rep & AE List"
      line="Sales representatives and account executives. Assign agencies to them in the agency list."
      noun="sales account"
      empty="Add someone who sells for you. They get an invitation by email and connect their own payment account."
    />
  );
}

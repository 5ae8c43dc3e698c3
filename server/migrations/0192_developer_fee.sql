-- What the developer's API costs once is an event, an invoice and a line of its own.
alter table transfer drop constraint transfer_kind_check;
alter table transfer add constraint transfer_kind_check check (kind in (
  'lead', 'lead_return', 'top_up', 'prepaid_top_up', 'prepaid_refund', 'prepaid_move',
  'wallet_top_up', 'wallet_grant', 'wallet_charge', 'wallet_expiry', 'wallet_refund', 'client_grant',
  'invoice', 'credit_note', 'payment', 'refund', 'dispute', 'dispute_reversal',
  'platform_fee', 'monthly_fee', 'minimum_spend', 'onboarding', 'developer_fee', 'coupon',
  'supplier_cost', 'provider_fee', 'write_off', 'adjustment'));
alter table invoice drop constraint invoice_kind_check;
alter table invoice add constraint invoice_kind_check
  check (kind in ('period', 'to_date', 'receipt', 'onboarding', 'developer', 'minimum_spend', 'subscription'));
alter table invoice_line drop constraint invoice_line_kind_check;
alter table invoice_line add constraint invoice_line_kind_check
  check (kind in ('leads', 'returns', 'platform_fee', 'monthly_fee', 'onboarding', 'developer_fee', 'minimum_spend', 'coupon', 'top_up', 'wholesale_unpaid', 'adjustment', 'rounding'));

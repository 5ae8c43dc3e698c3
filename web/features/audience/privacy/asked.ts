import type { PrivacyKind } from '../../../../contract/audience/privacy-rules.ts';

/** What is asked of whoever makes a request, on the public page or at the desk. */
export const ASKED = {
  kind: 'opt_out' as PrivacyKind,
  asked_by: 'self' as 'self' | 'agent',
  agent_name: '',
  name: '',
  email: '',
  phone: '',
  address: '',
  state_code: '',
  details: '',
};

/** The rules that are the same wherever a request is made. */
export const ASKED_RULES = {
  name: (name: string) => (name.trim() ? null : 'Enter the name'),
  details: (details: string, { kind }: { kind: PrivacyKind }) =>
    kind !== 'correct' || details.trim() ? null : 'Say what to correct',
  state_code: (code: string) => (/^([a-z]{2})?$/i.test(code.trim()) ? null : 'Enter two letters, such as CA'),
};

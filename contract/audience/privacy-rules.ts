// Plain lists shared by server and browser.

/** What people can ask about their own data. */
export const PRIVACY_KINDS = ['opt_out', 'access', 'delete', 'correct'] as const;
export type PrivacyKind = (typeof PRIVACY_KINDS)[number];

/** Where a request stands. 'unproven': the code sent to its address has not come back. */
export const PRIVACY_STATES = ['open', 'completed', 'refused'] as const;
export type PrivacyState = (typeof PRIVACY_STATES)[number];

/** How a request came in. All but 'web' are entered by hand. */
export const CAME_BY = ['web', 'email', 'mail', 'phone', 'in_person'] as const;
export type CameBy = (typeof CAME_BY)[number];
export const BY_HAND = ['mail', 'phone', 'email', 'in_person'] as const satisfies CameBy[];

export const CAME_BY_WORDS: Record<CameBy, string> = {
  web: 'Public page',
  email: 'Email',
  mail: 'Mail',
  phone: 'Phone',
  in_person: 'In person',
};

/** What an open request waits for next: that receipt is confirmed, or its answer. */
export const STEPS = ['acknowledge', 'answer'] as const;
export type Step = (typeof STEPS)[number];

/** Why a request can be refused. */
export const REFUSALS = ['household', 'not_verified', 'agent_unproven', 'exempt', 'other'] as const;
export type PrivacyRefusal = (typeof REFUSALS)[number];

/** How near a request's deadline is. */
export const URGENCIES = ['late', 'soon', 'fine', 'done'] as const;
export type Urgency = (typeof URGENCIES)[number];

/** What happens to a request. */
export const PRIVACY_EVENTS = [
  'received',
  'proven',
  'acknowledged',
  'duplicate',
  'extended',
  'completed',
  'refused',
] as const;

export const KIND_WORDS: Record<PrivacyKind, string> = {
  opt_out: 'Opt out of sale',
  access: 'See the data',
  delete: 'Delete the data',
  correct: 'Correct the data',
};

export const REFUSAL_WORDS: Record<PrivacyRefusal, string> = {
  household: 'About a household, not one person',
  not_verified: 'Identity not verified',
  agent_unproven: 'Agent without permission',
  exempt: 'Exempt by law',
  other: 'Other',
};

/** Six digits, sent to the address that a request names. */
export const CODE_MINUTES = 30;

/** Messages about the choice of data fields, in our own wording. Only the server uses them. */
export const enrichmentMessages = {
  setByRoot: 'is set by the platform',
  setByAgency: 'is set by the agency of this client',
  unknownField: (id: number) => `includes the field ${id}, which does not exist`,
  notOffered: (name: string) => `includes ${name}, which is not available to this company`,
  inUse: (name: string, campaigns: number, numbers: readonly number[]) =>
    `removes ${name}, which is used by ${campaigns === 1 ? 'a campaign' : `${campaigns} campaigns`}: ` +
    `${numbers.map((one) => `#${one}`).join(', ')}${campaigns > numbers.length ? ' and more' : ''}. Remove it there first`,
  saved: 'Setting has been saved.',
} as const;

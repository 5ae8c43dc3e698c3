/** Messages about the choice of data fields, in our own wording. Only the server uses them. */
export const enrichmentMessages = {
  setByRoot: 'is set by the platform',
  setByAgency: 'is set by the agency of this client',
  unknownField: (id: number) => `includes the field ${id}, which does not exist`,
  notOffered: (name: string) => `includes ${name}, which is not available to this company`,
  inUse: (name: string, campaigns: number, numbers: readonly number[]) =>
    `removes ${name}, which ${campaigns === 1 ? 'a campaign asks' : `${campaigns} campaigns ask`} for: ` +
    `${numbers.map((one) => `#${one}`).join(', ')}${campaigns > numbers.length ? ' and more' : ''}. Take it out of ${campaigns === 1 ? 'it' : 'them'} first`,
  saved: 'Setting has been saved.',
} as const;

import { expect, test } from 'vitest';
import { connectionWords, found, initials, type Vendor } from './words.ts';

test('[INTG-01] the gallery finds a service by name, purpose and category', () => {
  const vendors = [
    { name: 'HubSpot', summary: 'Creates a contact for each lead.', category: 'CRM' },
    { name: 'Slack', summary: 'Posts a card for each lead.', category: 'Chat' },
  ] as Vendor[];
  const names = (words: string, category: string | null) =>
    found(vendors, words, category).map(({ name }) => name);
  expect(names('', null)).toEqual(['HubSpot', 'Slack']);
  expect(names(' CONTACT ', null)).toEqual(['HubSpot']);
  expect(names('', 'Chat')).toEqual(['Slack']);
  expect(names('contact', 'Chat')).toEqual([]);
});

test('[INTG-04] a connection that does not work says that nothing is lost', () => {
  expect(connectionWords({ state: 'connected', state_reason: null, waiting: 0 }).line).toBe('');
  expect(connectionWords({ state: 'paused', state_reason: null, waiting: 1 }).line).toMatch(
    /1 lead is waiting/,
  );
  expect(connectionWords({ state: 'broken', state_reason: 'It said no.', waiting: 1200 })).toMatchObject({
    tone: 'bad',
    line: expect.stringMatching(/It said no\. 1,200 leads are waiting\.$/),
  });
  expect(connectionWords({ state: 'broken', state_reason: 'expired or revoked', waiting: 1 }).line).toMatch(
    /expired or revoked\. 1 lead is waiting\.$/,
  );
});

test('a tile has two letters', () => {
  expect(['HubSpot', 'Slack', 'GoHighLevel', 'Google Sheets'].map(initials)).toEqual([
    'HS',
    'Sl',
    'GH',
    'GS',
  ]);
});

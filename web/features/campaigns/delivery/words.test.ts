import { describe, expect, it } from 'vitest';
import { aboutWords, disabledWords, durationWords, webhookFault } from './words.ts';

describe('[INTG-05] words of a webhook', () => {
  it('says why it is disabled, unless a person knows', () => {
    expect(disabledWords({ state: 'disabled', state_reason: 'gone' })).toMatch(/410 Gone/);
    expect(disabledWords({ state: 'disabled', state_reason: 'person' })).toBe('');
    expect(disabledWords({ state: 'disabled', state_reason: 'too many failures' })).toBe('too many failures');
    expect(disabledWords({ state: 'enabled', state_reason: 'gone' })).toBe('');
  });
  it('names whom a delivery is about', () => {
    expect(aboutWords({ lead_name: 'Ann Lee', lead_id: 'x', is_test: false })).toBe('Ann Lee');
    expect(aboutWords({ lead_name: null, lead_id: 'x', is_test: false })).toBe('Unnamed person');
    expect(aboutWords({ lead_name: null, lead_id: null, is_test: false })).toBe('Erased person');
    expect(aboutWords({ lead_name: null, lead_id: null, is_test: true })).toBe('Test lead');
  });
  it('shortens durations', () => {
    expect(durationWords(85)).toBe('85 ms');
    expect(durationWords(2345)).toBe('2.3 s');
  });
  it('wants a web address', () => {
    expect(webhookFault('example.com/hook')).toMatch(/https/);
    expect(webhookFault('ftp://example.com')).toMatch(/https/);
    expect(webhookFault(` https://example.com/${'a'.repeat(2048)}`)).toMatch(/2,048/);
    expect(webhookFault(' https://example.com/hook ')).toBeNull();
  });
});

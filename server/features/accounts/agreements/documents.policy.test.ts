import { describe, expect, test } from 'vitest';
import { LEGAL_NAMES, legalDocument } from '../../../../contract/accounts/legal.ts';
import { DocumentType } from '../../../../contract/accounts/setup.ts';
import { documentHtml, templateOf } from './documents.policy.ts';

describe('[ROUT-10] documents in a tenant’s name', () => {
  test.each(LEGAL_NAMES)('%s names the tenant, and no one else', (name) => {
    const { title, sections } = legalDocument(name, 'Acme Leads');
    const words = JSON.stringify(sections);
    expect(title).not.toBe('');
    expect(sections.length).toBeGreaterThan(1);
    expect(words).toContain('Acme Leads');
    const html = documentHtml(templateOf(name, 'Acme Leads'));
    for (const { heading } of sections) expect(html).toContain(heading);
    expect(html).toContain('Template wording.');
  });
  test('a name cannot bring markup along', () => {
    const html = documentHtml(templateOf('privacy-policy', '<script>alert(1)</script> & "Sons"'));
    expect(html).not.toContain('<script');
    expect(html).toContain('&#60;script&#62;');
  });
  test('every document that a company can accept can be read', () => {
    for (const name of DocumentType.options) expect(LEGAL_NAMES).toContain(name);
  });
});

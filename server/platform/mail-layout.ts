import type { MailText } from './mail.ts';
import { unlinked } from './mail-name.ts';

/** Whose email it is: what the reader sees of the tenant. */
export interface MailBrand {
  name: string;
  /** The tenant's accent, #rrggbb; anything else falls back to a neutral one. */
  accent: string | null;
  /** Shown instead of the name, at most 125 px wide. */
  logo?: { bytes: Buffer; type: string; width: number; height: number } | undefined;
}

/** An email's content: paragraphs, then a code or a button, then the text below. */
export interface MailContent {
  subject: string;
  lines: string[];
  code?: string;
  action?: { label: string; url: string };
  after?: string[];
  /** Addresses in the lines that readers are meant to open. Anything else there that looks like a link is broken. */
  links?: string[];
  /** Where its recipient stops such emails. */
  unsubscribe?: string;
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (c) => entities[c]!);

/** Black or white, whichever reads better on a color. */
function onColor(hex: string): string {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? '#000000' : '#ffffff';
}

/** The logo, with the name beside it if it is square; the name alone if there is no logo. */
function head({ name, logo }: MailBrand): string {
  const start = '<p style="margin:0 0 24px;font-size:18px;font-weight:600">';
  if (!logo) return `${start}${escaped(name)}</p>`;
  const ratio = logo.width / logo.height;
  const width = Math.round(Math.min(125, 40 * ratio));
  const height = Math.max(1, Math.round(width / ratio));
  const image = `<img src="cid:logo" width="${width}" height="${height}" alt="${escaped(name)}" style="vertical-align:middle;border:0">`;
  return `${start}${image}${ratio > 1.6 ? '' : `<span style="vertical-align:middle;margin-left:8px">${escaped(name)}</span>`}</p>`;
}

/**
 * Lays out an email in the tenant's brand, as text and as HTML. Everything is escaped; nothing is loaded from external
 * sources. Names and notes in it are other people's words, so only its button and its `links` can be opened. `why`: the
 * reason its recipient gets it, as in "You’re getting this email because …".
 */
export function layOut(brand: MailBrand, content: MailContent, why: string): MailText {
  const { code, action, links, unsubscribe } = content;
  const subject = unlinked(content.subject, links);
  const lines = content.lines.map((line) => unlinked(line, links));
  const after = (content.after ?? []).map((line) => unlinked(line, links));
  const reason = unlinked(`You’re getting this email because ${why}.`);
  const accent = /^#[0-9a-f]{6}$/i.test(brand.accent ?? '') ? brand.accent! : '#1f2937';
  const paragraph = (text: string, style = ''): string =>
    `<p style="margin:0 0 16px;${style}">${escaped(text)}</p>`;
  const button = action
    ? `<p style="margin:0 0 16px"><a href="${escaped(action.url)}" style="display:inline-block;padding:12px 20px;border-radius:6px;background:${accent};color:${onColor(accent)};text-decoration:none;font-weight:600">${escaped(action.label)}</a></p>` +
      paragraph(action.url, 'font-size:12px;color:#4b5563;word-break:break-all')
    : '';
  const html = [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light">',
    `<title>${escaped(subject)}</title></head>`,
    '<body style="margin:0;padding:24px;background:#f3f4f6;font:16px/1.5 system-ui,sans-serif;color:#111827">',
    `<div style="max-width:520px;margin:0 auto;padding:32px;background:#ffffff;border-top:4px solid ${accent};border-radius:8px">`,
    head(brand),
    ...lines.map((text) => paragraph(text)),
    code
      ? `<p style="margin:0 0 16px;font-size:32px;font-weight:600;letter-spacing:6px">${escaped(code)}</p>`
      : '',
    button,
    ...after.map((text) => paragraph(text, 'font-size:14px;color:#4b5563')),
    '</div>',
    `<p style="max-width:520px;margin:16px auto 0;padding:0 32px;font-size:12px;color:#4b5563">${escaped(reason)}${unsubscribe ? ` <a href="${escaped(unsubscribe)}" style="color:#4b5563">Unsubscribe</a>` : ''}</p>`,
    '</body></html>',
  ].join('\n');
  const text = [
    ...lines,
    ...(code ? [code] : []),
    ...(action ? [`${action.label}: ${action.url}`] : []),
    ...after,
    reason,
    ...(unsubscribe ? [`Unsubscribe: ${unsubscribe}`] : []),
    `-- \n${brand.name}`,
  ].join('\n\n');
  return {
    subject,
    text,
    html,
    ...(brand.logo ? { logo: brand.logo } : {}),
    ...(unsubscribe ? { unsubscribe } : {}),
  };
}

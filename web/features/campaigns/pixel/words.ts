import type { PixelCause, WhyRead } from '../../../../contract/campaigns/pixel.ts';
import { messages } from '../../../../contract/messages.ts';

/** What a check found, as a title. */
export const CAUSE_TITLES: Record<PixelCause, string> = {
  tag: 'Pixel found',
  tag_manager: 'Pixel found in a tag manager',
  consent: 'The pixel waits for consent',
  delayed: 'The pixel is delayed',
  duplicate: 'The pixel is on the page more than once',
  blocked: 'The pixel is blocked on the page',
  comment: 'The pixel is inside a comment',
  csp: 'The content security policy blocks the pixel',
  curly_quotes: 'The pixel has curly quotation marks',
  missing: 'The pixel is missing',
  no_tag_in_manager: 'The pixel is not in the tag manager',
  not_fired: 'The tag manager does not load the pixel',
  noscript: 'The pixel is inside a noscript element',
  other_host: 'The pixel has the wrong host',
  other_key: 'The pixel belongs to another campaign',
  other_site: 'The site redirects to another one',
  shown_as_text: 'The pixel code is shown as text',
  single_page: 'The app does not run the pixel',
  status: 'The page was not found',
  unreachable: messages.crawlBlocked,
};

const WHY: Record<WhyRead, string> = {
  off: 'browsers are turned off on this server',
  no_browser: 'there is no browser on this server',
  no_sandbox: 'the browser on this server has no sandbox to open it in',
  busy: 'other pages were being opened at that time',
  failed: 'the browser on this server could not open it',
};

/** How the page was looked at. */
export const wayWords = (why: WhyRead | null): string =>
  why === null
    ? 'The page was opened in a browser.'
    : `The page was read but not opened in a browser, because ${WHY[why]}. Problems that occur only when its scripts run are not found this way.`;

/** What the pixel reported. */
export const EVENT_TITLES = { view: 'Page view', identify: 'Email entered', thanks: 'Goal reached' } as const;

/** The path of a page for a list; the whole address if it has none. */
export function pathOf(url: string | null): string | null {
  const parsed = url ? URL.parse(url) : null;
  return parsed ? `${parsed.host}${parsed.pathname}` : url;
}

import { fontStack, fontTheme } from '../../contract/accounts/fonts.ts';
import type { Brand } from '../brand/brand.ts';
import { offerFont } from '../brand/font.ts';
import { brandTokens, SURFACES, type Tokens } from '../brand/tokens.ts';

// The API reference (/api/reference): Scalar's viewer and console in the colors of the host's tenant. It is a page of its
// own, not of the web app: its viewer is larger than all of that.

declare const Scalar: { createApiReference: (where: string, config: object) => unknown };

const brand = JSON.parse(document.getElementById('brand')!.textContent) as Brand;
const tokens = brandTokens(brand);
const font = fontTheme(brand.font_theme);
void offerFont(font);

/** The viewer's colors from those of the web app. */
const colors = (
  theme: 'light' | 'dark',
  { accent, onAccent, link, wash, sidebar, onSidebar, ...of }: Tokens,
) => {
  const { page, raised, text } = SURFACES[theme];
  // The viewer's own are too pale for code on its ground.
  const code =
    theme === 'light'
      ? '--scalar-color-3:#667085;--scalar-color-orange:#b54708;--scalar-color-green:#087443;'
      : '';
  return `.${theme}-mode{${code}--scalar-background-1:${page};--scalar-background-2:${raised};--scalar-background-accent:${wash};
--scalar-color-1:${text};--scalar-color-accent:${link};--scalar-link-color:${link};--scalar-link-color-hover:${link};
--scalar-button-1:${accent};--scalar-button-1-hover:${of.accentHover};--scalar-button-1-color:${onAccent};
--scalar-sidebar-background-1:${sidebar};--scalar-sidebar-color-1:${onSidebar};--scalar-sidebar-color-2:${of.onSidebarDim};
--scalar-sidebar-color-active:${onSidebar};--scalar-sidebar-item-active-background:${of.sidebarActive};
--scalar-sidebar-item-hover-background:${of.sidebarActive};--scalar-sidebar-item-hover-color:${onSidebar};
--scalar-sidebar-border-color:${of.sidebarBorder}}`;
};

Scalar.createApiReference('#app', {
  sources: [
    { title: 'API', slug: 'api', url: '/api/developer.json', default: true },
    { title: 'All calls', slug: 'calls', url: '/api/openapi.json' },
  ],
  // Nothing is fetched from elsewhere, and nothing is told to anyone.
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  externalUrls: { dashboardUrl: '', registryUrl: '', proxyUrl: '', apiBaseUrl: '' },
  // Keys are not left behind in the browser.
  persistAuth: false,
  hideModels: true,
  authentication: { preferredSecurityScheme: 'bearer' },
  theme: 'none',
  documentDownloadType: 'json',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  hiddenClients: { c: true, clojure: true, ocaml: true, objc: true, r: true, swift: true, dart: true },
  customCss: `:root{--scalar-font:${fontStack(font)};--scalar-font-code:ui-monospace,monospace}
a[href^="https://scalar.com"]{display:none}
${colors('light', tokens.light)}${colors('dark', tokens.dark)}`,
});

// Code that is wider than its box scrolls, so that it has to be reachable by keyboard. The viewer shows parts as they are
// scrolled to.
let waiting = false;
const reach = () => {
  if (waiting) return;
  waiting = true;
  setTimeout(() => {
    waiting = false;
    for (const box of document.querySelectorAll<HTMLElement>('code.custom-scroll'))
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  }, 200);
};
new MutationObserver(reach).observe(document.body, { childList: true, subtree: true });
addEventListener('resize', reach);

import type { PixelCause } from '../../contract/campaigns/pixel.ts';

/** A page with a fault of its pixel, or with none, and what the check has to say of it. */
export interface PixelPage {
  status?: number;
  headers?: Record<string, string>;
  html: string;
  /** What is found by reading, and what in a browser. */
  read: PixelCause;
  opened: PixelCause;
  /** What one of the lines to paste has to contain. */
  paste?: string;
}

export const KEY = 'abcdefgh23456789wxyz';
const OTHER_KEY = 'zzzzzzzz22222222zzzz';

/**
 * One page for each fault of a pixel, by its path.
 * @param agency the origin that serves the pixel
 * @param shop the origin of the pages themselves, which also serves `/tool.js`, `/manager.js` and `/old.js`
 */
export function pixelPages(agency: string, shop: string): Record<string, PixelPage> {
  const src = `${agency}/p/v1/${KEY}.js`;
  const tag = `<script async src="${src}"></script>`;
  const page = (head: string, body = '<h1>Boots for every road</h1>'): string =>
    `<!doctype html><html><head><meta charset="utf-8"><title>Boots</title>${head}</head><body>${body}</body></html>`;
  const both = (cause: PixelCause, html: string, more: Partial<PixelPage> = {}): PixelPage => ({
    html,
    read: cause,
    opened: cause,
    ...more,
  });
  const add = `var s=document.createElement('script');s.async=true;s.src='${src}';document.head.appendChild(s)`;
  const policy = (text: string) => ({ headers: { 'content-security-policy': text } });
  return {
    '/tag': both('tag', page(tag)),
    '/single-quotes': both('tag', page(`<script defer data-x='a>b' src='${src}'></script>`)),
    '/bare': both('tag', page(`<SCRIPT SRC=${src} ASYNC></SCRIPT>`)),
    '/injected': both('tag', page(`<script>${add.replaceAll('/', '\\/')}</script>`)),
    '/in-body': both('tag', page('', `<p title="a<b">Don't</p>${tag}`)),
    '/missing': both('missing', page(''), { paste: tag }),
    '/text-only': both('missing', page('', `<p>Copy ${src}</p>`)),
    '/404': both('status', page(tag), { status: 404 }),
    '/comment': both('comment', page(`<!-- ${tag} -->`), { paste: tag }),
    '/script-comment': both('missing', page(`<script>\n// s.src='${src}'\n</script>`)),
    '/noscript': both('noscript', page(`<noscript>${tag}</noscript>`), { paste: tag }),
    '/curly': both('curly_quotes', page(`<script async src=”${src}”></script>`), { paste: tag }),
    '/shown': both('shown_as_text', page('', `<p>&lt;script async src="${src}"&gt;&lt;/script&gt;</p>`), {
      paste: tag,
    }),
    '/other-key': both('other_key', page(`<script async src="${agency}/p/v1/${OTHER_KEY}.js"></script>`), {
      paste: tag,
    }),
    '/other-host': both('other_host', page(`<script async src="${shop}/p/v1/${KEY}.js"></script>`), {
      paste: tag,
    }),
    '/relative': both('other_host', page(`<script async src="/p/v1/${KEY}.js"></script>`), { paste: tag }),
    '/duplicate': both('duplicate', page(tag + tag), { paste: tag }),
    '/pinned': both(
      'blocked',
      page(`<script async integrity="sha384-AAAA" crossorigin src="${src}"></script>`),
      {
        paste: tag,
      },
    ),
    '/csp-script': both('csp', page(tag), {
      ...policy("default-src 'self'; script-src 'self' 'unsafe-inline'; connect-src *"),
      paste: `script-src 'self' 'unsafe-inline' ${agency}`,
    }),
    '/csp-connect': both('csp', page(tag), {
      ...policy(`script-src ${agency}; connect-src 'none'`),
      paste: `connect-src ${agency}`,
    }),
    '/csp-default': both('csp', page(tag), {
      ...policy("default-src 'self'"),
      paste: `connect-src 'self' ${agency}`,
    }),
    '/csp-meta': both(
      'csp',
      page(`<meta http-equiv="Content-Security-Policy" content="script-src 'self'">${tag}`),
      { paste: `script-src 'self' ${agency}` },
    ),
    '/csp-nonce': both('csp', page(tag), {
      ...policy("script-src 'nonce-abc' 'strict-dynamic' https:"),
      paste: 'nonce="NONCE"',
    }),
    '/csp-fine': both(
      'tag',
      page(tag),
      policy(`default-src 'none'; script-src ${agency}; connect-src ${agency}`),
    ),
    '/consent-wait': both('consent', page(tag.replace('async', 'async data-consent="wait"')), {
      paste: "lead('consent', true)",
    }),
    '/consent-held': both(
      'consent',
      page(`<script type="text/plain" data-cookieconsent="marketing" src="${src}"></script>`),
      { paste: 'data-cookieconsent="ignore"' },
    ),
    // A consent tool that takes the type of scripts away while the page is still coming in.
    '/consent-auto': {
      html: page(`<script>new MutationObserver(function(all){all.forEach(function(one){one.addedNodes.forEach(function(node){
        if(node.src&&node.src.includes('/p/v1/')){node.type='text/plain';node.className='optanon-category-C0004'}})})})
        .observe(document.documentElement,{childList:true,subtree:true})</script>
        <script src="${shop}/slow.js"></script>${tag.replace('async ', '')}`),
      read: 'tag',
      opened: 'consent',
      paste: 'OneTrustGroupsUpdated',
    },
    // It runs once the visitor moves; the browser of the check does.
    '/delayed': {
      html: page(`<script type="rocketlazyloadscript" data-rocket-src="${src}"></script>
        <script>addEventListener('mousemove',function(){var d=document.querySelector('[data-rocket-src]');if(!d)return;
        var s=document.createElement('script');s.src=d.getAttribute('data-rocket-src');d.replaceWith(s)},{once:true})</script>`),
      read: 'delayed',
      opened: 'delayed',
      paste: '/p/v1/',
    },
    // A privacy tool of the site that lets no script of others send.
    '/no-sending': {
      html: page(
        `<script>window.fetch=function(){return new Promise(function(){})};navigator.sendBeacon=function(){return false}</script>${tag}`,
      ),
      read: 'tag',
      opened: 'blocked',
      paste: src,
    },
    // One that removes them before they run.
    '/removed': {
      html: page(`<script>new MutationObserver(function(all){all.forEach(function(one){one.addedNodes.forEach(function(node){
        if(node.src&&node.src.includes('/p/v1/')){node.type='text/none';node.remove()}})})})
        .observe(document.documentElement,{childList:true,subtree:true})</script>
        <script src="${shop}/slow.js"></script>${tag.replace('async ', '')}`),
      read: 'tag',
      opened: 'blocked',
    },
    '/spa-without': both(
      'single_page',
      page(
        '<script type="module">document.getElementById("root").textContent="Boots"</script>',
        '<div id="root"></div>',
      ),
      { paste: tag },
    ),
    '/spa-inserted': {
      html: page(
        `<script type="module">document.getElementById("root").innerHTML='<h1>Boots</h1>'+atob('${btoa(tag)}')</script>`,
        '<div id="root"></div>',
      ),
      read: 'single_page',
      opened: 'single_page',
      paste: tag,
    },
    '/spa-data': both(
      'single_page',
      page(
        `<script type="application/json">{"head":${JSON.stringify(tag).replaceAll('<', '\\u003c')}}</script>`,
        '<div id="root"></div>',
      ),
      { paste: tag },
    ),
    // An app that adds the tag well, which cannot be read.
    '/spa-well': {
      html: page(
        `<script type="module">${add.replace(src, "'+atob('").replace("';document", `${btoa(src)}');document`)}</script>`,
        '<div id="root"></div>',
      ),
      read: 'single_page',
      opened: 'tag',
    },
    '/gtm-without': both(
      'no_tag_in_manager',
      page(`<script>(function(w,d,s,l,i){})(window,document,'script','dataLayer','GTM-ABC123')</script>`),
      { paste: tag },
    ),
    '/tealium-without': both(
      'no_tag_in_manager',
      page("<script>var a='//tags.tiqcdn.com/utag/acme/main/prod/utag.js'</script>"),
      { paste: "createElement('script')" },
    ),
    '/adobe-without': both(
      'no_tag_in_manager',
      page(
        '<script type="text/plain" data-src="//assets.adobedtm.com/0a1b/2c3d/launch-4e5f.min.js"></script>',
      ),
      { paste: "createElement('script')" },
    ),
    // Another script of the site loads it; whether it does cannot be read.
    '/by-tool': {
      html: page(`<script async src="${shop}/tool.js"></script>`),
      read: 'missing',
      opened: 'tag',
    },
  };
}

/** The scripts that the pages load from their own site. */
export function pixelScripts(agency: string): Record<string, string> {
  return {
    '/tool.js': `var s=document.createElement('script');s.src='${agency}/p/v1/${KEY}.js';document.head.appendChild(s)`,
    '/slow.js': '/* observers run before what comes after it */',
  };
}

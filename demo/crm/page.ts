/** What a service can be told to do, in the words of the page. */
export const MODES = {
  works: 'Works',
  refuses: 'Refuses the credentials',
  fails: 'Answers with errors',
  slow: 'Takes 4 seconds',
  loses: 'Saves, but loses the response',
} as const;
export type Mode = keyof typeof MODES;

/** A service as the page shows it. */
export interface Shown {
  id: string;
  name: string;
  noun: string;
  mode: Mode;
  credentials: Readonly<Record<string, string>>;
  records: readonly { id: string; fields: Record<string, string> }[];
}

const LONGEST = 200;
const safe = (text: unknown): string =>
  String(text)
    .slice(0, LONGEST)
    .replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

const titleOf = ({ fields }: Shown['records'][number]): string =>
  [
    fields.firstname ?? fields.first_name ?? fields.firstName,
    fields.lastname ?? fields.last_name ?? fields.lastName,
  ]
    .filter(Boolean)
    .join(' ') ||
  fields.email ||
  Object.values(fields)[0] ||
  'No name';

/** The services, and the records of the chosen one, newest first. */
export function crmPage(services: readonly Shown[], chosen?: string): string {
  const one =
    services.find(({ id }) => id === chosen) ??
    [...services].sort((a, b) => b.records.length - a.records.length)[0];
  const links = services
    .map(
      ({ id, name, records, mode }) =>
        `<a href="/?of=${id}"${id === one?.id ? ' aria-current="page"' : ''}>${safe(name)} <span>${records.length}${mode === 'works' ? '' : ' !'}</span></a>`,
    )
    .join('\n');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Demo CRM</title>
<link rel="stylesheet" href="/style.css">
</head>
<body>
<header><h1>Demo CRM</h1><p>A stand-in for the services that leads can be delivered to. It answers their API calls, keeps what arrives until the server stops, and exists only in the demo.</p></header>
<div class="columns"><nav aria-label="Services">${links}</nav><main>${one ? serviceOf(one) : ''}</main></div>
</body>
</html>`;
}

function serviceOf(one: Shown): string {
  const keys = Object.entries(one.credentials)
    .map(([key, value]) => `<dt>${safe(key)}</dt><dd><code>${safe(value)}</code></dd>`)
    .join('');
  const modes = Object.entries(MODES)
    .map(
      ([mode, words]) =>
        `<button name="mode" value="${mode}"${mode === one.mode ? ' aria-pressed="true"' : ''}>${words}</button>`,
    )
    .join(' ');
  const records = [...one.records]
    .reverse()
    .map(
      (record) => `<article><div class="top"><h3>${safe(titleOf(record))}</h3>
<form method="post" action="/switch"><input type="hidden" name="service" value="${one.id}"><button name="remove" value="${safe(record.id)}" aria-label="Delete ${safe(titleOf(record))}">Delete</button></form></div>
<dl>${Object.entries(record.fields)
        .slice(0, 60)
        .map(([key, value]) => `<dt>${safe(key)}</dt><dd>${safe(value)}</dd>`)
        .join('')}</dl></article>`,
    )
    .join('\n');
  return `<div class="top"><h2>${safe(one.name)}</h2><a class="button" href="/?of=${one.id}">Reload</a></div>
<p>To connect, use:</p><dl class="keys">${keys}</dl>
<form method="post" action="/switch" class="modes" aria-label="Behavior"><input type="hidden" name="service" value="${one.id}">${modes}</form>
${records || `<p class="empty">No ${safe(one.noun)} has arrived yet.</p>`}`;
}

export const STYLE = `:root{color-scheme:light dark;--line:light-dark(#e3e5ea,#30343c);--soft:light-dark(#5d6472,#9aa3b2);--card:light-dark(#fff,#1b1e24);--on:light-dark(#e6ecff,#263252)}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1080px;padding:32px 16px;font:15px/1.5 system-ui,sans-serif;background:light-dark(#f6f7f9,#121418);color:light-dark(#1a1d23,#e8eaee)}
h1{font-size:24px;margin:0}h2{font-size:20px;margin:0}h3{font-size:16px;margin:0;overflow-wrap:anywhere}
header p,dt,.empty{color:var(--soft)}
.columns{display:grid;grid-template-columns:200px minmax(0,1fr);gap:24px}
nav a{display:flex;justify-content:space-between;gap:8px;padding:8px 12px;border-radius:6px;color:inherit;text-decoration:none}
nav a[aria-current],button[aria-pressed]{background:var(--on)}nav span{color:var(--soft)}
.top{display:flex;justify-content:space-between;align-items:center;gap:16px}
article{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:16px;margin:16px 0}
dl{display:grid;grid-template-columns:minmax(96px,auto) 1fr;gap:2px 14px;margin:8px 0;font-size:14px}dd{margin:0;overflow-wrap:anywhere}
code{font:13px/1.45 ui-monospace,monospace;overflow-wrap:anywhere}
.modes{display:flex;flex-wrap:wrap;gap:6px}
button,.button{padding:6px 12px;border:1px solid var(--line);border-radius:6px;background:var(--card);color:inherit;font:inherit;font-size:14px;text-decoration:none;cursor:pointer}
@media(max-width:640px){.columns{grid-template-columns:1fr}nav{display:flex;flex-wrap:wrap}}`;

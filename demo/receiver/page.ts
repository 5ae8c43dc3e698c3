/** One message as it arrived. */
export interface Received {
  at: Date;
  name: string;
  id: string;
  /** Whether the signature is valid: true, false, or null if no secret is known for this name. */
  signed: boolean | null;
  why: string;
  /** How many times this webhook-id has arrived before. */
  repeats: number;
  answered: number;
  body: unknown;
}

const safe = (text: unknown): string =>
  String(text).replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

const shell = (title: string, main: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="/style.css">
</head>
<body><main>${main}</main></body>
</html>`;

function personOf(body: unknown): string {
  const person = (body as { data?: { person?: Record<string, unknown> } } | null)?.data?.person;
  const name = [person?.first_name, person?.last_name].filter(Boolean).join(' ');
  return name || 'Unnamed person';
}

function mailOf(body: unknown): string {
  return String((body as { data?: { person?: { email?: unknown } } } | null)?.data?.person?.email ?? '');
}

const verdict = ({ signed, why }: Received): string =>
  signed === null
    ? '<span class="tag">No signing secret</span>'
    : signed
      ? '<span class="tag good">Signature verified</span>'
      : `<span class="tag bad" title="${safe(why)}">Invalid signature</span>`;

/** The list of messages, newest first. */
export function messagesPage(messages: Received[], origin: string): string {
  const items = messages.map(
    (message, i) => `<article>
<header><h2>${safe(personOf(message.body))}</h2><p>${safe(mailOf(message.body))}</p></header>
<p class="facts">${verdict(message)} <span class="tag">Response ${message.answered}</span>
${message.repeats ? `<span class="tag">Attempt ${message.repeats + 1} of this id</span>` : ''}
${(message.body as { data?: { test?: boolean } } | null)?.data?.test ? '<span class="tag">Test</span>' : ''}</p>
<dl><dt>webhook-id</dt><dd><code>${safe(message.id)}</code></dd>
<dt>Sent to</dt><dd><code>/hooks/${safe(message.name)}</code></dd>
<dt>Received</dt><dd><time datetime="${message.at.toISOString()}">${message.at.toISOString().slice(0, 19).replace('T', ' ')} UTC</time></dd></dl>
<details${i === 0 ? ' open' : ''}><summary>JSON</summary><pre tabindex="0" role="region" aria-label="Message body">${safe(JSON.stringify(message.body, null, 2))}</pre></details>
</article>`,
  );
  const empty = `<section class="empty"><h2>Nothing has arrived yet</h2>
<p>Add a webhook with the URL <code>${safe(origin)}/hooks/demo</code> to a campaign and click its test button.</p></section>`;
  return shell(
    'Demo receiver',
    `<div class="top"><h1>Demo receiver</h1><span><a class="button" href="/">Reload</a> <a class="button" href="/secrets">Signing secrets</a></span></div>
<p class="lead">Stands in for a client's own system. It accepts leads at <code>${safe(origin)}/hooks/&lt;name&gt;</code>, verifies
their signatures, and shows the last 50. <code>/hooks/&lt;name&gt;/410</code> and <code>/500</code> reject them, and
<code>/slow?ms=20000</code> makes the sender wait.</p>
${items.join('\n') || empty}`,
  );
}

/** The form for entering the secret for a name. */
export function secretsPage(names: string[], note = ''): string {
  const known = names.length
    ? `<p>Saved for: ${names.map((name) => `<code>${safe(name)}</code>`).join(', ')}</p>`
    : '<p>No secrets saved yet.</p>';
  return shell(
    'Signing secrets',
    `<div class="top"><h1>Signing secrets</h1><a class="button" href="/">Messages</a></div>
<p class="lead">The secret is shown once, when a webhook is created. Paste it here to verify messages to its name.</p>
${note ? `<p role="status" class="note">${safe(note)}</p>` : ''}${known}
<form method="post" action="/secrets"><label>Name in the URL<input name="name" value="demo" required pattern="[a-z0-9\\-]{1,40}"></label>
<label>Signing secret<input name="secret" required placeholder="whsec_…" autocomplete="off"></label>
<button class="button">Save</button></form>`,
  );
}

export const STYLE = `:root{color-scheme:light dark;--line:light-dark(#e3e5ea,#30343c);--soft:light-dark(#5d6472,#9aa3b2);--card:light-dark(#fff,#1b1e24)}
*{box-sizing:border-box}
body{margin:0;font:15px/1.5 system-ui,sans-serif;background:light-dark(#f6f7f9,#121418);color:light-dark(#1a1d23,#e8eaee)}
main{max-width:760px;margin:0 auto;padding:32px 16px}
h1{font-size:24px;margin:0}h2{font-size:17px;margin:0}
.top{display:flex;justify-content:space-between;align-items:center;gap:16px}
.lead,dt,header p{color:var(--soft)}
header p{margin:0;overflow-wrap:anywhere}
article,form,.empty{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:16px;margin:16px 0}
.facts{display:flex;flex-wrap:wrap;gap:6px;margin:10px 0}
.tag{border:1px solid var(--line);border-radius:99px;padding:1px 10px;font-size:13px}
.good{background:light-dark(#dff3e4,#17391f);border-color:transparent}.bad{background:light-dark(#fde4e2,#4a1d1a);border-color:transparent}
dl{display:grid;grid-template-columns:auto 1fr;gap:2px 14px;margin:8px 0;font-size:14px}dd{margin:0;overflow-wrap:anywhere}
code,pre{font:13px/1.45 ui-monospace,monospace}pre{overflow:auto;margin:8px 0 0}summary{cursor:pointer}code{overflow-wrap:anywhere}
label{display:block;margin:0 0 12px}input{display:block;width:100%;padding:8px 10px;margin-top:4px;font:inherit;border:1px solid var(--line);border-radius:6px;background:transparent;color:inherit}
.button{display:inline-block;padding:8px 14px;border:1px solid var(--line);border-radius:6px;background:var(--card);color:inherit;font:inherit;text-decoration:none;white-space:nowrap;cursor:pointer}
.note{padding:8px 12px;border:1px solid var(--line);border-radius:6px}`;

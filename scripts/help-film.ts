// node_modules/.bin/node scripts/help-film.ts [NAME]: renders the help films (or the named one) in a browser and stores
// each next to its page. They name no tenant, so that every tenant can show them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { launchChromium } from './chromium.ts';

/** Three steps each: a title and an explanation. Keyed by the film's file, under web/features. */
const FILMS = {
  'money/payments/connect-account': [
    ['Connect your payment account', 'Choose where your commissions are paid.'],
    ['Complete the form', 'Enter your details and bank account with the payment provider.'],
    ['Verification', 'The provider verifies what you entered. Then you can continue.'],
  ],
  'accounts/companies/agency-list': [
    ['Find an agency', 'Search, filter, or sort by any column.'],
    ['View its clients', "Click the arrow next to the agency's name."],
    ['Take action', 'The switch, key, and menu are at the end of the row.'],
  ],
  'accounts/companies/client-list': [
    ['Add a client', 'Its owner gets an email invitation.'],
    ['Edit it', 'Click the pencil to edit the row.'],
    ['Set prices and salespeople', 'Find these and everything else in the menu at the end of the row.'],
  ],
};

/** Runs in the page: three steps of four seconds each, 25 frames per second; returns the film as base64. */
const draw = (film: string[][]) => `(async () => {
  const canvas = Object.assign(document.createElement('canvas'), { width: 960, height: 540 });
  const g = canvas.getContext('2d');
  const steps = ${JSON.stringify(film)};
  const ease = (t) => 1 - (1 - Math.min(1, Math.max(0, t))) ** 3;
  const box = (x, y, w, h, r) => { g.beginPath(); g.roundRect(x, y, w, h, r); };
  const frame = (s) => {
    g.fillStyle = '#f6f7f9'; g.fillRect(0, 0, 960, 540);
    const at = Math.min(2, Math.floor(s / 4));
    const t = s - at * 4;
    steps.forEach(([title, text], i) => {
      const y = 70 + i * 140, seen = i < at ? 1 : i === at ? ease(t / 0.6) : 0;
      g.globalAlpha = 0.3 + 0.7 * seen;
      g.fillStyle = '#fff'; box(120, y, 720, 116, 12); g.fill();
      g.strokeStyle = i === at ? '#3f51b5' : '#e5e7eb'; g.lineWidth = i === at ? 3 : 1.5; g.stroke();
      const done = i < at || (i === at && t > 3.2);
      g.fillStyle = done ? '#15713a' : i === at ? '#3f51b5' : '#8b929e';
      g.beginPath(); g.arc(176, y + 58, 24, 0, 7); g.fill();
      g.fillStyle = g.strokeStyle = '#fff'; g.textAlign = 'center'; g.textBaseline = 'middle';
      if (done) {
        g.lineWidth = 4; g.beginPath(); g.moveTo(165, y + 58); g.lineTo(173, y + 66); g.lineTo(188, y + 50); g.stroke();
      } else { g.font = '600 22px sans-serif'; g.fillText(i + 1, 176, y + 59); }
      g.textAlign = 'left'; g.fillStyle = '#1b1d22'; g.font = '600 24px sans-serif'; g.fillText(title, 224, y + 42);
      g.fillStyle = '#5c6370'; g.font = '18px sans-serif'; g.fillText(text, 224, y + 76);
      if (i === at && !done) {
        g.fillStyle = '#e5e7eb'; box(224, y + 98, 580, 4, 2); g.fill();
        g.fillStyle = '#3f51b5'; box(224, y + 98, 580 * ease(t / 3.2), 4, 2); g.fill();
      }
      g.globalAlpha = 1;
    });
  };
  frame(0);
  const recorder = new MediaRecorder(canvas.captureStream(25), { mimeType: 'video/webm', videoBitsPerSecond: 250000 });
  const parts = [];
  recorder.ondataavailable = ({ data }) => parts.push(data);
  const stopped = new Promise((done) => (recorder.onstop = done));
  recorder.start();
  const begin = performance.now();
  await new Promise((done) => {
    const next = () => {
      const s = (performance.now() - begin) / 1000;
      frame(Math.min(s, 11.99));
      if (s < 12.5) setTimeout(next, 40); else done();
    };
    next();
  });
  recorder.stop();
  await stopped;
  const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
})()`;

const browser = await launchChromium();
try {
  for (const [name, film] of Object.entries(FILMS)) {
    if (process.argv[2] && !name.endsWith(`/${process.argv[2]}`)) continue;
    const page = await browser.newPage();
    const bytes = Buffer.from((await page.evaluate(draw(film))) as string, 'base64');
    const target = join(import.meta.dirname, `../web/features/${name}.webm`);
    writeFileSync(target, bytes);
    console.log(`${target}: ${bytes.length} bytes`);
    await page.close();
  }
} finally {
  await browser.close();
}

import { renderAsync } from '@resvg/resvg-js';

/**
 * Draws the SVG on stdin as a PNG on stdout whose longer side has argv[3] pixels ('width' or 'height': argv[2]). A process
 * of its own (platform/svg.ts), since nothing can stop the renderer once it draws.
 */
const MOST_BYTES = 512 * 1024 * 1024;

// The renderer draws on another thread, so this one is free to look at what it takes.
setInterval(() => {
  if (process.memoryUsage.rss() > MOST_BYTES) process.kill(process.pid, 'SIGKILL');
}, 10).unref();

const parts: Buffer[] = [];
for await (const part of process.stdin) parts.push(part as Buffer);
const [mode, side] = process.argv.slice(2);
const drawn = await renderAsync(Buffer.concat(parts), {
  fitTo: { mode: mode === 'width' ? 'width' : 'height', value: Number(side) },
  font: { loadSystemFonts: true, defaultFontFamily: 'sans-serif' },
  logLevel: 'off',
});
process.stdout.write(drawn.asPng());

import { PictureFault, type PictureRules, redraw } from './picture.ts';

/**
 * Redraws the picture on stdin by the rules in argv[2] (JSON), and writes to stdout a line of JSON: { type, width,
 * height } followed by the bytes of the new picture, or { fault } in words. Runs in its own process
 * (picture-process.ts), since a decoder cannot be stopped once it is running.
 */
const MOST_BYTES = 512 * 1024 * 1024;

// Decoders run on other threads, so this one is free to watch their memory use.
setInterval(() => {
  if (process.memoryUsage.rss() > MOST_BYTES) process.kill(process.pid, 'SIGKILL');
}, 10).unref();

const parts: Buffer[] = [];
for await (const part of process.stdin) parts.push(part as Buffer);
const rules = JSON.parse(process.argv[2]!) as PictureRules;
try {
  const { bytes, ...picture } = await redraw(Buffer.concat(parts), rules);
  process.stdout.write(`${JSON.stringify(picture)}\n`);
  process.stdout.write(bytes);
} catch (error) {
  if (!(error instanceof PictureFault)) throw error;
  process.stdout.write(`${JSON.stringify({ fault: error.message })}\n`);
}

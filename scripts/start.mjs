// npm start: sets up, builds what changed, then runs the server until Ctrl-C.
import { runNode } from './child.mjs';
import { setup } from './setup.mjs';

const node = setup();
const built = await runNode(node, ['scripts/build.ts', '--if-needed']);
if (built !== 0) process.exit(built);
process.exit(await runNode(node, ['server/main.ts', ...process.argv.slice(2)]));

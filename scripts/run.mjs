// node scripts/run.mjs FILE [arguments]: sets up, then runs a script under the project's own Node.
import { runNode } from './child.mjs';
import { fail, setup } from './setup.mjs';

const [file, ...rest] = process.argv.slice(2);
if (!file) fail('Usage: node scripts/run.mjs FILE [arguments]');
process.exit(await runNode(setup(), [file, ...rest]));

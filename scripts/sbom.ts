// npm run sbom [-- FILE]: writes a software bill of materials of what runs in production, as CycloneDX JSON.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { runNpm } from './npm.ts';
import { root } from './setup.mjs';

const file = resolve(root, process.argv[2] ?? 'reports/sbom.cdx.json');
// Only the lock file is read, because installed packages differ from platform to platform.
const { code, said, complained } = await runNpm([
  'sbom',
  '--sbom-format=cyclonedx',
  '--omit=dev',
  '--package-lock-only',
]);
if (code !== 0) {
  console.error(complained || said);
  process.exit(1);
}
const document = JSON.parse(said) as { bomFormat?: string; components?: unknown[] };
if (document.bomFormat !== 'CycloneDX' || !document.components?.length) {
  console.error('npm wrote no CycloneDX document.');
  process.exit(1);
}
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, `${JSON.stringify(document, null, 2)}\n`);
console.log(`${document.components.length} components in ${relative(process.cwd(), file)}`);

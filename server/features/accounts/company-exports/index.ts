export { FORMAT, type Manifest, type Part, type TableInManifest } from './archive.ts';
export { EXPORTED } from './tables.ts';

export { FORMAT, type Manifest, type TableInManifest } from './archive.ts';
export { EXPORTED } from './tables.ts';

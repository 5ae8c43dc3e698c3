import { join } from 'node:path';

const dist = join(import.meta.dirname, '../../dist');

/** What `npm run build` makes: the web app, the visitor script, the tag of house ads, the client of the developer API, and its reference. */
export const webFolder = join(dist, 'web');
export const pixelFile = join(dist, 'pixel/v1/pixel.js');
export const adTagFile = join(dist, 'pixel/v1/ad.js');
export const clientFile = join(dist, 'sdk/client.tgz');
export const referenceFolder = join(dist, 'reference');

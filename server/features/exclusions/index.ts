export { createExclusions, type Exclusions, type Identity } from './service.ts';

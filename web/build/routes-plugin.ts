import type { Plugin } from 'vite';
import { callTable } from './routes.ts';

const id = 'virtual:routes';

/** Serves `virtual:routes`, the table of calls made from the contract at build time. */
export function routesPlugin(): Plugin {
  return {
    name: 'contract-routes',
    resolveId: (source) => (source === id ? `\0${id}` : undefined),
    load: (source) => (source === `\0${id}` ? `export default ${JSON.stringify(callTable())}` : undefined),
  };
}

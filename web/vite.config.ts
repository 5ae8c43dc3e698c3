import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { fontsPlugin } from './build/fonts-plugin.ts';
import { routesPlugin } from './build/routes-plugin.ts';

const server = process.env.DEV_SERVER ?? 'http://localhost:8080';
const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The web app: `vite -c web/vite.config.ts` serves it in front of a running server, `vite build` creates dist/web. */
export default defineConfig({
  root: at('.'),
  base: '/',
  plugins: [react(), routesPlugin(), fontsPlugin()],
  server: {
    proxy: Object.fromEntries(
      // Except the modules of web/api, which Vite itself serves below /api.
      ['/api', '/v', '/p'].map((path) => [
        `^${path}(/|$|\\?)(?!\\w+\\.ts(\\?|$))`,
        { target: server, changeOrigin: false },
      ]),
    ),
  },
  build: {
    outDir: at('../dist/web'),
    emptyOutDir: true,
    manifest: true,
    target: 'es2023',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        // The first load lists every file that a page may need later; the manifest maps their names.
        chunkFileNames: 'assets/[hash:7].js',
        assetFileNames: ({ names: [name] }) =>
          name?.endsWith('.css') ? 'assets/[hash:7].css' : 'assets/[name]-[hash][extname]',
        // The first load should need few files: everything the entry imports, the login, and the frame with the
        // dashboard.
        codeSplitting: {
          groups: [
            { name: 'start', tags: ['$initial'], priority: 3 },
            { name: 'login', test: /LoginPage\.tsx$/, priority: 2 },
            {
              name: 'desk',
              test: /(Frame|Overlays|DashboardPage|RangePicker|DayChart)\.tsx$/,
              priority: 1,
            },
            // What most pages share is one file, not twenty of a few hundred bytes each.
            { name: 'shared', test: /[\\/](web|contract)[\\/]|mantine/, minShareCount: 20 },
          ],
        },
      },
    },
  },
});

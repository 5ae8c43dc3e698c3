import type { Plugin } from 'vite';
import { FONT_LIST, FONT_THEMES, type FontRules, type FontTheme } from '../../contract/accounts/fonts.ts';
import { webFont } from './fonts.ts';

/** Builds the offered fonts into assets, and FONT_LIST with the style rules that load them. */
export function fontsPlugin(): Plugin {
  return {
    name: 'fonts',
    apply: 'build',
    async generateBundle() {
      const list: Record<string, FontRules> = {};
      for (const theme of Object.keys(FONT_THEMES) as FontTheme[])
        list[theme] = await webFont(theme, (name, bytes) => {
          const file = this.emitFile({ type: 'asset', name, source: bytes });
          return `/${this.getFileName(file)}`;
        });
      this.emitFile({ type: 'asset', fileName: FONT_LIST, source: JSON.stringify(list) });
    },
  };
}

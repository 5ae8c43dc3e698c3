import { KEYWORD_THEME_WORDS } from '../../../../contract/audience/keyword-themes.ts';
import { contract } from '../../../../contract/index.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { list } from '../../../platform/http/export-columns.ts';

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  list('keyword-themes', contract.keywordThemes.list, [
    ['Theme', (row) => KEYWORD_THEME_WORDS[row.theme]],
    ['Allowed for', (row) => (row.company_kind === 'root' ? 'Everyone' : row.company_name)],
    ['Reason', (row) => row.reason],
    ['Allowed by', (row) => row.allowed_by_name],
    ['Allowed', (row) => row.created_at],
    ['ID', (row) => row.id],
  ]),
];

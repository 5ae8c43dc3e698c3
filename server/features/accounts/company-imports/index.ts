export type { Comparison } from './compare.ts';
export { comparisonHtml, comparisonText, resultText } from './report.ts';
export type { CompanyImports, ImportResult, Progress } from './service.ts';

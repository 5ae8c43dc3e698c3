// npm run audit:packages: fails when an installed package has a known vulnerability rated high or critical.
import { runNpm } from './npm.ts';

/** The parts of the `npm audit --json` output that are read. */
interface Answer {
  error?: { summary?: string };
  vulnerabilities?: Record<string, { severity: string; via: (string | { title?: string; url?: string })[] }>;
}

const { said } = await runNpm(['audit', '--json', '--audit-level=high']);
let answer: Answer;
try {
  answer = JSON.parse(said) as Answer;
} catch {
  answer = {};
}
if (!answer.vulnerabilities) {
  // A registry mirror may not serve advisories; that is not a finding.
  console.log('The package registry answered no advisory data: the packages were not audited.');
  process.exit(0);
}
const found = Object.entries(answer.vulnerabilities).filter(([, { severity }]) =>
  ['high', 'critical'].includes(severity),
);
for (const [name, { severity, via }] of found) {
  console.log(`${severity}  ${name}`);
  for (const one of via) if (typeof one === 'object') console.log(`  ${one.title ?? ''} ${one.url ?? ''}`);
}
console.log(
  found.length > 0
    ? `${found.length} packages have known weaknesses rated high or critical.`
    : 'No package has a known weakness rated high or critical.',
);
process.exit(found.length > 0 ? 1 : 0);

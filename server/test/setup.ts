import fc from 'fast-check';

/*
 * `npm test` draws the same random cases every time, so that a change is what makes it fail. `npm run models` draws
 * again, and more of them; SEED_OF_CASES repeats a seed that it reports.
 */
const seed = process.env.SEED_OF_CASES ?? (process.env.RUNS === 'whole' ? undefined : '20261124');
if (seed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });

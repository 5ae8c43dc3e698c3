/**
 * How many random cases a test that works on the database for each of them tries. All of them are tried by `npm run models`;
 * `npm test` tries a quarter, others each time, since fast-check draws anew.
 */
export const runs = (many: number): number => (process.env.RUNS === 'whole' ? many : Math.ceil(many / 4));

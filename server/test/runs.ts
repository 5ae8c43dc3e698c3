/**
 * How many random cases are tried by a test that uses the database for each of them. `npm run models` tries all of
 * them; `npm test` tries a quarter, different ones each time, since fast-check draws anew.
 */
export const runs = (many: number): number => (process.env.RUNS === 'whole' ? many : Math.ceil(many / 4));

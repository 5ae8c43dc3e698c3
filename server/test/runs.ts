/**
 * How many random cases are tried by a test that uses the database for each of them. `npm run models` tries all of
 * them, drawn again; `npm test` tries a quarter, the same ones every time (setup.ts).
 */
export const runs = (many: number): number => (process.env.RUNS === 'whole' ? many : Math.ceil(many / 4));

import { US_STATES } from '../../../../contract/choices.ts';
import { citiesOf, stateOfZip } from '../../../platform/places.ts';

/** The maximum number of results of each kind. */
const MOST = 50;

/**
 * Returns the states, cities and zip codes that a text may mean: a state's name or code or their beginning, the
 * beginning of a city's name (also as 'Austin, TX'), a whole zip code. Without a text, all states. `state` narrows all
 * of it.
 */
export function lookUp(search: string, state: string | undefined) {
  const text = search.toLowerCase();
  const states = Object.entries(US_STATES)
    .filter(([code]) => state === undefined || code === state)
    .map(([code, name]) => ({ code, name }));
  if (text === '') return { states, cities: [], zips: [] };
  const [name = '', within = ''] = text.split(',').map((part) => part.trim());
  const cities = states
    .filter(({ code }) => code.toLowerCase().startsWith(within))
    .flatMap(({ code }) =>
      name.length < 2
        ? []
        : citiesOf(code)
            .filter((city) => city.toLowerCase().startsWith(name))
            .map((city) => ({ name: `${city}, ${code}`, state: code })),
    )
    // The shortest is what was typed whole.
    .sort((a, b) => a.name.length - b.name.length || a.name.localeCompare(b.name));
  const of = stateOfZip(text);
  return {
    states: states.filter(
      (one) => one.code.toLowerCase() === text || one.name.toLowerCase().startsWith(text),
    ),
    cities: cities.slice(0, MOST),
    zips: of && (state === undefined || of === state) ? [{ zip: text, state: of }] : [],
  };
}

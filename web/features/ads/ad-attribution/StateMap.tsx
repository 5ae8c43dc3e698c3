import { useMemo } from 'react';
import { feature, mesh } from 'topojson-client';
import atlas from 'us-atlas/states-albers-10m.json';
import { US_STATES } from '../../../../contract/choices.ts';
import classes from './StateMap.module.css';

interface Geometry {
  type: 'Polygon' | 'MultiPolygon';
  coordinates: number[][][] | number[][][][];
}
const NAMES = new Map(Object.entries(US_STATES).map(([code, name]) => [name, code]));
/** The atlas is drawn for this size: Albers, with Alaska and Hawaii moved below. */
const [WIDTH, HEIGHT] = [975, 610];
/** Shades of the scale, so that a difference can be seen. */
const SHADES = 5;

const line = (points: number[][]): string =>
  points.map(([x, y], i) => `${i ? 'L' : 'M'}${x!.toFixed(1)} ${y!.toFixed(1)}`).join('');
const path = ({ type, coordinates }: Geometry): string =>
  (type === 'Polygon' ? [coordinates as number[][][]] : (coordinates as number[][][][]))
    .map((polygon) => polygon.map((ring) => `${line(ring)}Z`).join(''))
    .join('');

/**
 * A metric by state: the darker, the more. A state opens what it is made of; for keyboards, the same states are in a list
 * beside it.
 */
export default function StateMap(props: {
  label: string;
  values: ReadonlyMap<string, number>;
  format: (value: number) => string;
  onPick: (state: string) => void;
}) {
  const shapes = useMemo(() => {
    const { states } = (atlas as never as { objects: { states: never } }).objects;
    const all = feature(atlas as never, states) as never as {
      features: { geometry: Geometry; properties: { name: string } }[];
    };
    const borders = mesh(atlas as never, states, (a, b) => a !== b);
    return {
      states: all.features.flatMap(({ geometry, properties: { name } }) => {
        const code = NAMES.get(name);
        return code ? [{ code, name, d: path(geometry) }] : [];
      }),
      borders: borders.coordinates.map(line).join(''),
    };
  }, []);
  // The rest, of which the state is not known, has no key.
  const most = Math.max(0, ...[...props.values].map(([code, value]) => (code ? value : 0)));
  const shadeOf = (value: number): number =>
    value <= 0 || most <= 0 ? 0 : Math.max(1, Math.ceil((value / most) * SHADES));
  return (
    <figure className={classes.figure}>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className={classes.map} role="img" aria-label={props.label}>
        {shapes.states.map(({ code, name, d }) => {
          const value = props.values.get(code) ?? 0;
          return (
            // The list beside the map has the same states as buttons.
            // biome-ignore lint/a11y/noStaticElementInteractions: a picture for those who use a mouse.
            <path
              key={code}
              d={d}
              className={classes.state}
              data-shade={shadeOf(value)}
              data-picks={value > 0 || undefined}
              onClick={() => value > 0 && props.onPick(code)}
            >
              <title>{`${name}: ${props.format(value)}`}</title>
            </path>
          );
        })}
        <path d={shapes.borders} className={classes.borders} />
      </svg>
      <figcaption className={classes.legend} aria-hidden="true">
        <span className="num">{props.format(0)}</span>
        {Array.from({ length: SHADES + 1 }, (_, shade) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: shades are their numbers.
          <span key={shade} className={classes.swatch} data-shade={shade} />
        ))}
        <span className="num">{props.format(most)}</span>
      </figcaption>
    </figure>
  );
}

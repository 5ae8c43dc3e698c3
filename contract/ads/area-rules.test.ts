import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Area,
  areaFault,
  areasOfGeoJson,
  crossesItself,
  type GeoPoint,
  isInArea,
  MOST_AREAS,
  MOST_CORNERS,
  MOST_GEOJSON,
  milesBetween,
  openRing,
  ringOf,
  signedArea,
  simplified,
} from './area-rules.ts';

const at = (longitude: number, latitude: number): GeoPoint => ({ latitude, longitude });
const polygon = (...points: GeoPoint[]): Area => ({ kind: 'polygon', name: 'Shape', points });
const circle = (point: GeoPoint, miles: number): Area => ({
  kind: 'circle',
  name: 'Circle',
  ...point,
  miles,
});
const SQUARE = [at(-98, 30), at(-97, 30), at(-97, 31), at(-98, 31)];
/** A regular shape around Austin. */
const around = (corners: number, size = 1): GeoPoint[] =>
  Array.from({ length: corners }, (_, i) => {
    const angle = (i / corners) * 2 * Math.PI;
    return at(-97.7 + size * Math.cos(angle), 30.3 + size * Math.sin(angle));
  });
const geoJson = (geometry: unknown, properties: unknown = { name: 'Downtown' }) =>
  JSON.stringify({ type: 'FeatureCollection', features: [{ type: 'Feature', properties, geometry }] });
const ring = (points: GeoPoint[]) => [...points, points[0]!].map((one) => [one.longitude, one.latitude]);
const read = (text: string, simplify = false) => areasOfGeoJson(text, { simplify });

describe('[SIMP-03] an area', () => {
  test.each<[what: string, area: Area, fault: string | null]>([
    ['a square', polygon(...SQUARE), null],
    ['a closed square', polygon(...SQUARE, SQUARE[0]!), null],
    ['12 points', polygon(...around(12)), null],
    ['13 points', polygon(...around(13)), 'has 13 points. The most is 12'],
    ['two points', polygon(SQUARE[0]!, SQUARE[1]!), 'needs at least 3 points'],
    ['a bow tie', polygon(at(0, 0), at(1, 1), at(1, 0), at(0, 1)), 'crosses itself'],
    ['a corner on another side', polygon(at(0, 0), at(2, 0), at(2, 2), at(1, 0)), 'crosses itself'],
    ['a corner twice', polygon(at(0, 0), at(2, 0), at(1, 1), at(2, 2), at(0, 2), at(1, 1)), 'crosses itself'],
    ['a line there and back', polygon(at(0, 0), at(2, 0), at(1, 0)), 'crosses itself'],
    ['a point twice in a row', polygon(at(0, 0), at(0, 0), at(1, 1), at(0, 1)), 'repeats point 1'],
    [
      'a latitude outside of the world',
      polygon(at(0, 0), at(1, 91), at(1, 0)),
      'has a latitude outside of -90 to 90 at point 2',
    ],
    [
      'a longitude outside of the world',
      polygon(at(0, 0), at(1, 1), at(181, 0)),
      'has a longitude outside of -180 to 180 at point 3',
    ],
    [
      'no number',
      polygon(at(Number.NaN, 0), at(1, 1), at(1, 0)),
      'needs a latitude and a longitude in degrees at point 1',
    ],
    [
      'the antimeridian',
      polygon(at(179, 50), at(-179, 50), at(-179, 52), at(179, 52)),
      'crosses the 180th meridian. Use an area on each side of it',
    ],
    ['up to the antimeridian', polygon(at(179, 50), at(180, 50), at(180, 52), at(179, 52)), null],
    ['a circle', circle(at(-97.7, 30.3), 25), null],
    ['a circle without a radius', circle(at(0, 0), 0), 'needs a radius from 0.1 to 100 miles'],
    ['a circle that is too large', circle(at(0, 0), 101), 'needs a radius from 0.1 to 100 miles'],
    ['a circle around a pole', circle(at(0, 89.5), 50), 'reaches a pole'],
    [
      'a circle across the antimeridian',
      circle(at(179.9, 52), 20),
      'crosses the 180th meridian. Use an area on each side of it',
    ],
  ])('%s', (_what, area, fault) => expect(areaFault(area)).toBe(fault));

  test('what is in a shape is in its ring for Simpli.fi too, which is closed and clockwise, whatever its direction', () => {
    const shapes = fc
      .integer({ min: 3, max: MOST_CORNERS })
      .chain((corners) => fc.tuple(fc.constant(around(corners)), fc.boolean()))
      .map(([points, isReversed]) => polygon(...openRing(isReversed ? points.reverse() : points)));
    const points = fc.tuple(
      fc.double({ min: -99, max: -96, noNaN: true }),
      fc.double({ min: 29, max: 32, noNaN: true }),
    );
    fc.assert(
      fc.property(shapes, points, (area, [longitude, latitude]) => {
        expect(areaFault(area)).toBeNull();
        const told = ringOf(area);
        expect(told[0]).toEqual(told.at(-1));
        expect(told.length).toBeLessThanOrEqual(MOST_CORNERS + 1);
        const corners = told.slice(1).map(([x, y]) => at(x, y));
        expect(signedArea(corners)).toBeLessThan(0);
        const point = at(longitude, latitude);
        expect(isInArea(polygon(...corners), point)).toBe(isInArea(area, point));
      }),
    );
  });

  test('the ring of a circle is inside of it, and its corners are on it', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -150, max: 150, noNaN: true }),
        fc.double({ min: 18, max: 65, noNaN: true }),
        fc.double({ min: 0.5, max: 100, noNaN: true }),
        (longitude, latitude, miles) => {
          const area = circle(at(longitude, latitude), miles);
          for (const [x, y] of ringOf(area)) {
            const away = milesBetween(at(longitude, latitude), at(x, y));
            expect(Math.abs(away - miles)).toBeLessThan(0.02 + miles * 0.05);
          }
        },
      ),
    );
  });

  test('a distance is that of a map: Austin to Dallas', () => {
    expect(milesBetween(at(-97.7431, 30.2672), at(-96.797, 32.7767))).toBeCloseTo(182.2, 0);
  });
});

describe('[SIMP-03] GeoJSON', () => {
  test('polygons, several in one, and points with a radius become areas with their names', () => {
    expect(read(geoJson({ type: 'Polygon', coordinates: [ring(SQUARE)] }))).toEqual({
      areas: [{ kind: 'polygon', name: 'Downtown', points: SQUARE }],
      simplified: 0,
    });
    const two = [[ring(SQUARE)], [ring(around(5))]];
    expect(read(geoJson({ type: 'MultiPolygon', coordinates: two }))).toMatchObject({
      areas: [{ name: 'Downtown (1)' }, { name: 'Downtown (2)' }],
    });
    expect(
      read(geoJson({ type: 'Point', coordinates: [-97.7, 30.3, 150] }, { name: 'Store', radius_miles: 5 })),
    ).toMatchObject({
      areas: [{ kind: 'circle', name: 'Store', latitude: 30.3, longitude: -97.7, miles: 5 }],
    });
    // A geometry by itself, with no name.
    expect(read(JSON.stringify({ type: 'Polygon', coordinates: [ring(SQUARE)] }))).toMatchObject({
      areas: [{ name: 'Area 1' }],
    });
  });

  test('a shape with too many points is refused, or brought to 12 if that is wanted', () => {
    const text = geoJson({ type: 'Polygon', coordinates: [ring(around(200))] });
    expect(read(text)).toEqual({ error: 'Downtown has 200 points. The most is 12.' });
    const found = read(text, true);
    expect(found).toMatchObject({ simplified: 1 });
    const [area] = (found as { areas: Area[] }).areas;
    expect(areaFault(area!)).toBeNull();
    expect((area as { points: GeoPoint[] }).points).toHaveLength(12);
  });

  test('simplifying keeps only points of the shape, at most 12', () => {
    fc.assert(
      fc.property(fc.integer({ min: 3, max: 80 }), (corners) => {
        const points = openRing(around(corners));
        const kept = simplified(points);
        expect(kept.length).toBe(Math.min(corners, MOST_CORNERS));
        for (const one of kept) expect(points).toContainEqual(one);
        expect(crossesItself(kept)).toBe(false);
      }),
    );
  });

  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  test.each<[what: string, text: string, error: RegExp]>([
    ['too large', ' '.repeat(MOST_GEOJSON + 1), /larger than 1,000,000 characters/],
    ['a bomb of lists', deep, /nested too deeply/],
    ['a bomb in a polygon', `{"type":"Polygon","coordinates":${deep}}`, /nested too deeply/],
    ['no JSON', '{"type":', /not JSON/],
    ['an archive', 'PK\u0003\u0004', /not JSON/],
    ['a list', '[]', /must be an object/],
    ['a number', '12', /must be an object/],
    ['null', 'null', /must be an object/],
    ['features that are no list', '{"type":"FeatureCollection","features":{}}', /features must be a list/],
    ['no features', '{"type":"FeatureCollection","features":[]}', /no areas/],
    [
      'a feature that is null',
      '{"type":"FeatureCollection","features":[null]}',
      /Feature 1 is not an object/,
    ],
    ['no geometry', '{"type":"Feature","geometry":null}', /Feature 1 has no geometry/],
    [
      'a line',
      geoJson({
        type: 'LineString',
        coordinates: [
          [0, 0],
          [1, 1],
        ],
      }),
      /Feature 1 is a LineString/,
    ],
    ['a type that is a list', geoJson({ type: ['Polygon'] }), /of no type/],
    ['coordinates that are an object', geoJson({ type: 'Polygon', coordinates: {} }), /has no coordinates/],
    ['coordinates that are texts', geoJson({ type: 'Polygon', coordinates: [[['0', '1']]] }), /not numbers/],
    ['coordinates too shallow', geoJson({ type: 'Polygon', coordinates: [0, 1] }), /has no coordinates/],
    ['a hole', geoJson({ type: 'Polygon', coordinates: [ring(SQUARE), ring(SQUARE)] }), /has a hole/],
    ['a point without a radius', geoJson({ type: 'Point', coordinates: [0, 0] }), /radius_miles/],
    [
      'meters of a projection',
      geoJson({
        type: 'Polygon',
        coordinates: [
          [
            [1e6, 4e6],
            [1e6, 5e6],
            [2e6, 5e6],
          ],
        ],
      }),
      /latitude outside/,
    ],
    [
      'a bow tie',
      geoJson({
        type: 'Polygon',
        coordinates: [
          [
            [0, 0],
            [1, 1],
            [1, 0],
            [0, 1],
            [0, 0],
          ],
        ],
      }),
      /Downtown crosses itself/,
    ],
    [
      'too many areas',
      geoJson({
        type: 'MultiPolygon',
        coordinates: Array.from({ length: MOST_AREAS + 1 }, () => [ring(SQUARE)]),
      }),
      /more than 50 areas/,
    ],
  ])('%s is refused with a reason', (_what, text, error) =>
    expect((read(text) as { error: string }).error).toMatch(error),
  );

  test('whatever a file has in it, it is areas without a fault or a reason', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.boolean(), (value, simplify) => {
        for (const text of [
          JSON.stringify(value),
          geoJson(value),
          geoJson({ type: 'Polygon', coordinates: value }),
        ]) {
          const found = read(text, simplify);
          if ('error' in found) expect(found.error.length).toBeLessThan(200);
          else for (const area of found.areas) expect(areaFault(area)).toBeNull();
        }
      }),
    );
  });
});

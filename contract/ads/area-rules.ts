// Areas that ads are aimed at, and their rules: shared by server and browser, so no schema is here.

/** A place on the globe, in degrees (WGS 84). */
export interface GeoPoint {
  latitude: number;
  longitude: number;
}

/** What is within a number of miles of a point. */
export interface CircleArea extends GeoPoint {
  kind: 'circle';
  name: string;
  miles: number;
}
/** What is inside a shape; its corners in order, the first not repeated at the end. */
export interface PolygonArea {
  kind: 'polygon';
  name: string;
  points: GeoPoint[];
}
export type Area = CircleArea | PolygonArea;

/** The most areas of a campaign. */
export const MOST_AREAS = 50;
/** The most corners of a shape: what Simpli.fi takes (geo fences). */
export const MOST_CORNERS = 12;
export const LEAST_MILES = 0.1;
export const MOST_MILES = 100;
/** The most cities of a campaign. */
export const MOST_AD_CITIES = 2_000;
/** The most ZIP codes of a campaign. */
export const MOST_AD_ZIPS = 10_000;
export const MOST_AREA_NAME = 80;

/** The largest GeoJSON file, in characters, and how deep it may be nested: a feature collection needs 8 levels. */
export const MOST_GEOJSON = 1_000_000;
const MOST_DEPTH = 12;

/** Miles on the mean sphere in a degree of latitude. */
const MILES_A_DEGREE = 69.0934;
const EARTH_MILES = 3958.7613;
const RADIANS = Math.PI / 180;
/** Decimal places of coordinates that are kept: about three feet. */
const PLACES = 1e5;

const rounded = (degrees: number): number => Math.round(degrees * PLACES) / PLACES;
export const roundedPoint = ({ latitude, longitude }: GeoPoint): GeoPoint => ({
  latitude: rounded(latitude),
  longitude: rounded(longitude),
});

const isSame = (a: GeoPoint, b: GeoPoint): boolean =>
  a.latitude === b.latitude && a.longitude === b.longitude;

/** What is wrong with a point; null: nothing. */
export function pointFault({ latitude, longitude }: GeoPoint): string | null {
  if (!Number.isFinite(latitude) || !Number.isFinite(longitude))
    return 'needs a latitude and a longitude in degrees';
  if (Math.abs(latitude) > 90) return 'has a latitude outside of -90 to 90';
  if (Math.abs(longitude) > 180) return 'has a longitude outside of -180 to 180';
  return null;
}

/** Twice the signed area of a triangle: above 0 where a, b, c turn left. */
const turn = (a: GeoPoint, b: GeoPoint, c: GeoPoint): number =>
  (b.longitude - a.longitude) * (c.latitude - a.latitude) -
  (b.latitude - a.latitude) * (c.longitude - a.longitude);

const isBetween = (a: GeoPoint, b: GeoPoint, c: GeoPoint): boolean =>
  Math.min(a.longitude, b.longitude) <= c.longitude &&
  c.longitude <= Math.max(a.longitude, b.longitude) &&
  Math.min(a.latitude, b.latitude) <= c.latitude &&
  c.latitude <= Math.max(a.latitude, b.latitude);

/** Whether two sides have a point in common. */
function touches(a: GeoPoint, b: GeoPoint, c: GeoPoint, d: GeoPoint): boolean {
  const [abc, abd, cda, cdb] = [turn(a, b, c), turn(a, b, d), turn(c, d, a), turn(c, d, b)];
  if (abc * abd < 0 && cda * cdb < 0) return true;
  return (
    (abc === 0 && isBetween(a, b, c)) ||
    (abd === 0 && isBetween(a, b, d)) ||
    (cda === 0 && isBetween(c, d, a)) ||
    (cdb === 0 && isBetween(c, d, b))
  );
}

/** Twice the signed area of a shape, in square degrees: below 0 where its corners go clockwise. */
export const signedArea = (points: readonly GeoPoint[]): number =>
  points.reduce((sum, point, i) => {
    const next = points[(i + 1) % points.length]!;
    return sum + point.longitude * next.latitude - next.longitude * point.latitude;
  }, 0);

/** Whether two sides of a shape cross or touch elsewhere than at the corner they share. */
export function crossesItself(points: readonly GeoPoint[]): boolean {
  const count = points.length;
  const side = (i: number): [GeoPoint, GeoPoint] => [points[i]!, points[(i + 1) % count]!];
  for (let i = 0; i < count; i++)
    for (let j = i + 1; j < count; j++) {
      const [[a, b], [c, d]] = [side(i), side(j)];
      const isNext = j === i + 1 || (i === 0 && j === count - 1);
      if (!isNext) {
        if (touches(a, b, c, d)) return true;
        continue;
      }
      // Neighbors share a corner; they overlap if one goes back over the other.
      const [tip, corner, end] = j === i + 1 ? [a, b, d] : [c, a, b];
      const isBack =
        turn(tip, corner, end) === 0 &&
        (corner.longitude - tip.longitude) * (end.longitude - corner.longitude) +
          (corner.latitude - tip.latitude) * (end.latitude - corner.latitude) <
          0;
      if (isBack) return true;
    }
  return false;
}

/** The corners of a shape: rounded, without a first one that is repeated at the end. */
export function openRing(points: readonly GeoPoint[]): GeoPoint[] {
  const all = points.map(roundedPoint);
  const [first, last] = [all[0], all.at(-1)];
  return first && last && all.length > 1 && isSame(first, last) ? all.slice(0, -1) : all;
}

/** What is wrong with an area, as the end of a sentence about it; null: nothing. */
export function areaFault(area: Area): string | null {
  if (area.kind === 'circle') {
    const fault = pointFault(area);
    if (fault) return fault;
    if (!(area.miles >= LEAST_MILES && area.miles <= MOST_MILES))
      return `needs a radius from ${LEAST_MILES} to ${MOST_MILES} miles`;
    const height = area.miles / MILES_A_DEGREE;
    if (Math.abs(area.latitude) + height >= 90) return 'reaches a pole';
    const width = height / Math.cos((Math.abs(area.latitude) + height) * RADIANS);
    if (Math.abs(area.longitude) + width > 180)
      return 'crosses the 180th meridian. Use an area on each side of it';
    return null;
  }
  const points = openRing(area.points);
  for (const [i, point] of points.entries()) {
    const fault = pointFault(point);
    if (fault) return `${fault} at point ${i + 1}`;
  }
  if (points.length < 3) return 'needs at least 3 points';
  if (points.length > MOST_CORNERS) return `has ${points.length} points. The most is ${MOST_CORNERS}`;
  for (const [i, point] of points.entries()) {
    const next = points[(i + 1) % points.length]!;
    if (isSame(point, next)) return `repeats point ${i + 1}`;
    if (Math.abs(point.longitude - next.longitude) > 180)
      return 'crosses the 180th meridian. Use an area on each side of it';
  }
  if (crossesItself(points)) return 'crosses itself';
  if (Math.abs(signedArea(points)) === 0) return 'encloses nothing';
  return null;
}

/** Miles between two points along the surface (haversine). */
export function milesBetween(a: GeoPoint, b: GeoPoint): number {
  const half = (from: number, to: number) => Math.sin(((to - from) * RADIANS) / 2) ** 2;
  const h =
    half(a.latitude, b.latitude) +
    Math.cos(a.latitude * RADIANS) * Math.cos(b.latitude * RADIANS) * half(a.longitude, b.longitude);
  return 2 * EARTH_MILES * Math.asin(Math.min(1, Math.sqrt(h)));
}

/** Whether a point is in an area. Sides are straight in longitude and latitude, as in GeoJSON. */
export function isInArea(area: Area, point: GeoPoint): boolean {
  if (area.kind === 'circle') return milesBetween(area, point) <= area.miles;
  let isInside = false;
  for (const [i, a] of area.points.entries()) {
    const b = area.points[(i + 1) % area.points.length]!;
    if (a.latitude > point.latitude === b.latitude > point.latitude) continue;
    const at =
      ((b.longitude - a.longitude) * (point.latitude - a.latitude)) / (b.latitude - a.latitude) + a.longitude;
    if (point.longitude < at) isInside = !isInside;
  }
  return isInside;
}

/** An area as a closed ring of [longitude, latitude], clockwise; a circle as the shape of 12 corners on it. */
export function ringOf(area: Area): [longitude: number, latitude: number][] {
  const points =
    area.kind === 'polygon'
      ? [...area.points]
      : Array.from({ length: MOST_CORNERS }, (_, i) => {
          const angle = (i / MOST_CORNERS) * 2 * Math.PI;
          const latitude = area.latitude + (Math.cos(angle) * area.miles) / MILES_A_DEGREE;
          const width = MILES_A_DEGREE * Math.cos(area.latitude * RADIANS);
          return roundedPoint({
            latitude,
            longitude: area.longitude + (Math.sin(angle) * area.miles) / width,
          });
        });
  const clockwise = signedArea(points) > 0 ? points.reverse() : points;
  return [...clockwise, clockwise[0]!].map(({ longitude, latitude }) => [longitude, latitude]);
}

/** The least change that brings a shape to as many corners as are allowed: corners that matter least go first. */
export function simplified(given: readonly GeoPoint[], most = MOST_CORNERS): GeoPoint[] {
  const points = openRing(given);
  while (points.length > most) {
    let least = 0;
    let size = Number.POSITIVE_INFINITY;
    for (const [i, point] of points.entries()) {
      const before = points[(i + points.length - 1) % points.length]!;
      const after = points[(i + 1) % points.length]!;
      const area = Math.abs(turn(before, point, after));
      if (area < size) [least, size] = [i, area];
    }
    points.splice(least, 1);
  }
  return points;
}

/** How deep a JSON text is nested, without reading it: a reader of its own would go as deep. */
function depthOf(text: string): number {
  let [depth, most, isText] = [0, 0, false];
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (isText) {
      if (character === '\\') i++;
      else if (character === '"') isText = false;
    } else if (character === '"') isText = true;
    else if (character === '[' || character === '{') most = Math.max(most, ++depth);
    else if (character === ']' || character === '}') depth--;
  }
  return most;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What is in a GeoJSON file, or why it cannot be taken: all of it or nothing. */
export type GeoJsonAreas = { areas: Area[]; simplified: number } | { error: string };

/**
 * The areas of a GeoJSON text (RFC 7946): Polygon, MultiPolygon, and Point with a `radius_miles` property, alone, in a
 * feature, or in a feature collection. Names come from the property `name`.
 */
export function areasOfGeoJson(text: string, given: { simplify: boolean }): GeoJsonAreas {
  if (text.length > MOST_GEOJSON)
    return { error: `The file is larger than ${MOST_GEOJSON.toLocaleString('en-US')} characters.` };
  if (depthOf(text) > MOST_DEPTH) return { error: 'The file is nested too deeply to be GeoJSON.' };
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { error: 'The file is not JSON.' };
  }
  if (!isObject(json)) return { error: 'The file is not GeoJSON: it must be an object with a type.' };
  const features = json.type === 'FeatureCollection' ? json.features : [json];
  if (!Array.isArray(features)) return { error: 'features must be a list.' };
  const areas: Area[] = [];
  let count = 0;
  for (const [i, feature] of features.entries()) {
    const label = `Feature ${i + 1}`;
    if (!isObject(feature)) return { error: `${label} is not an object.` };
    const isFeature = feature.type === 'Feature';
    const properties = isFeature && isObject(feature.properties) ? feature.properties : {};
    const geometry = isFeature ? feature.geometry : feature;
    if (!isObject(geometry)) return { error: `${label} has no geometry.` };
    const named = typeof properties.name === 'string' ? properties.name.trim().slice(0, MOST_AREA_NAME) : '';
    const nameAt = (part: number, parts: number) =>
      `${(named || `Area ${i + 1}`).slice(0, MOST_AREA_NAME - 5)}${parts > 1 ? ` (${part + 1})` : ''}`;
    const { type, coordinates } = geometry;
    if (type === 'Point') {
      const [point] = pointsOf([coordinates]) ?? [];
      if (!point) return { error: `${label} has coordinates that are not numbers.` };
      const { radius_miles: miles } = properties;
      if (typeof miles !== 'number')
        return { error: `${label} is a point. Points need the property radius_miles.` };
      areas.push({ kind: 'circle', name: nameAt(0, 1), ...roundedPoint(point), miles });
    } else if (type === 'Polygon' || type === 'MultiPolygon') {
      const parts = type === 'Polygon' ? [coordinates] : coordinates;
      if (!Array.isArray(parts) || parts.length === 0) return { error: `${label} has no coordinates.` };
      if (areas.length + parts.length > MOST_AREAS)
        return { error: `The file has more than ${MOST_AREAS} areas.` };
      for (const [part, rings] of parts.entries()) {
        if (!Array.isArray(rings) || !Array.isArray(rings[0]))
          return { error: `${label} has no coordinates.` };
        if (rings.length > 1) return { error: `${label} has a hole. Areas cannot have holes.` };
        const points = pointsOf(rings[0]);
        if (!points) return { error: `${label} has coordinates that are not numbers.` };
        const ring = openRing(points);
        const isTooLong = ring.length > MOST_CORNERS;
        if (isTooLong && given.simplify) count++;
        areas.push({
          kind: 'polygon',
          name: nameAt(part, parts.length),
          points: isTooLong && given.simplify ? simplified(ring) : ring,
        });
      }
    } else
      return {
        error: `${label} is ${typeof type === 'string' ? `a ${type.slice(0, 40)}` : 'of no type'}. Only Polygon, MultiPolygon, and Point can be imported.`,
      };
    if (areas.length > MOST_AREAS) return { error: `The file has more than ${MOST_AREAS} areas.` };
  }
  if (areas.length === 0) return { error: 'The file has no areas.' };
  for (const area of areas) {
    const fault = areaFault(area);
    if (fault) return { error: `${area.name} ${fault}.` };
  }
  return { areas, simplified: count };
}

/** Positions of GeoJSON, of which the height is left out; null if one is no pair of numbers. */
function pointsOf(positions: unknown): GeoPoint[] | null {
  if (!Array.isArray(positions)) return null;
  const points: GeoPoint[] = [];
  for (const position of positions) {
    if (!Array.isArray(position)) return null;
    const [longitude, latitude] = position as unknown[];
    if (typeof longitude !== 'number' || typeof latitude !== 'number') return null;
    points.push({ latitude, longitude });
  }
  return points;
}

import {
  type Area,
  areaFault,
  type GeoPoint,
  MOST_CORNERS,
  pointFault,
} from '../../../../contract/ads/area-rules.ts';

/** A coordinate or distance as an input holds it: a number, or what is not one yet. */
type Typed = number | string;

/** An area while it is edited. A circle has one point, its center. */
export interface AreaDraft {
  /** Of this form only. */
  id: string;
  kind: 'circle' | 'polygon';
  name: string;
  miles: Typed;
  points: { latitude: Typed; longitude: Typed }[];
}

const numberOf = (typed: Typed): number =>
  typeof typed === 'number' ? typed : typed.trim() === '' ? Number.NaN : Number(typed);
const pointOf = ({ latitude, longitude }: AreaDraft['points'][number]): GeoPoint => ({
  latitude: numberOf(latitude),
  longitude: numberOf(longitude),
});

/** The points of a draft that are places already, each with where it is in the draft. */
export const placedPoints = (draft: AreaDraft): { at: number; point: GeoPoint }[] =>
  draft.points
    .map((typed, at) => ({ at, point: pointOf(typed) }))
    .filter(({ point }) => pointFault(point) === null);

/** The area of a draft, whole or not. */
export const areaOf = ({ kind, name, miles, points }: AreaDraft): Area =>
  kind === 'circle'
    ? {
        kind,
        name: name.trim(),
        miles: numberOf(miles),
        ...(points[0] ? pointOf(points[0]) : { latitude: Number.NaN, longitude: Number.NaN }),
      }
    : { kind, name: name.trim(), points: points.map(pointOf) };

/** What is wrong with a draft, as the end of a sentence about it; null: nothing. */
export const draftFault = (draft: AreaDraft): string | null =>
  draft.name.trim() === '' ? 'needs a name' : areaFault(areaOf(draft));

export const draftOf = (area: Area): AreaDraft => ({
  id: crypto.randomUUID(),
  kind: area.kind,
  name: area.name,
  miles: area.kind === 'circle' ? area.miles : 10,
  points:
    area.kind === 'circle'
      ? [{ latitude: area.latitude, longitude: area.longitude }]
      : area.points.map(({ latitude, longitude }) => ({ latitude, longitude })),
});

const rounded = (degrees: number): number => Math.round(degrees * 1e5) / 1e5;
/** A point of the map as an input shows it; a map that was turned around the world is turned back. */
export const typedPoint = ({ latitude, longitude }: GeoPoint): GeoPoint => ({
  latitude: rounded(Math.max(-90, Math.min(90, latitude))),
  longitude: rounded(((((longitude + 180) % 360) + 360) % 360) - 180),
});

/** A draft with a point that was chosen on the map: the center of a circle, or one more corner, if there is room. */
export function withPoint(draft: AreaDraft, point: GeoPoint): AreaDraft {
  if (draft.kind === 'circle') return { ...draft, points: [typedPoint(point)] };
  if (draft.points.length >= MOST_CORNERS) return draft;
  return { ...draft, points: [...draft.points, typedPoint(point)] };
}

/** A draft with one of its points moved. */
export const movedPoint = (draft: AreaDraft, at: number, point: Partial<AreaDraft['points'][number]>) => ({
  ...draft,
  points: draft.points.map((one, i) => (i === at ? { ...one, ...point } : one)),
});

/** A name that no other draft has: 'Area 3'. */
export function freeName(drafts: readonly AreaDraft[]): string {
  for (let n = drafts.length + 1; ; n++)
    if (!drafts.some(({ name }) => name === `Area ${n}`)) return `Area ${n}`;
}

import 'leaflet/dist/leaflet.css';
import L from 'leaflet';
import { type RefObject, useEffect, useRef } from 'react';
import { feature } from 'topojson-client';
import countiesUrl from 'us-atlas/counties-10m.json?url';
import statesUrl from 'us-atlas/states-10m.json?url';
import { areaFault, type GeoPoint } from '../../../../contract/ads/area-rules.ts';
import classes from './AreaEditor.module.css';
import { type AreaDraft, areaOf, placedPoints } from './areas.ts';

/** The contiguous states, where a map without areas begins. */
const COUNTRY: L.LatLngBoundsLiteral = [
  [24.4, -125],
  [49.4, -66.9],
];
const METERS_A_MILE = 1609.344;
/** From here on, counties are shown: before, they would be a blur. */
const COUNTY_ZOOM = 6;
/** The room that the name of a city takes, in pixels. */
const NAME_WIDTH = 90;
const NAME_HEIGHT = 18;
const MOST_NAMES = 60;

interface City extends GeoPoint {
  name: string;
}
interface AreaMapProps {
  drafts: readonly AreaDraft[];
  openId: string | undefined;
  cities: readonly City[];
  tiles: { url: string; attribution: string } | null;
  isReadOnly: boolean;
  onOpen: (id: string) => void;
  onPoint: (point: GeoPoint) => void;
  onMove: (id: string, at: number, point: GeoPoint) => void;
}
/** What the editor asks of the map. */
export interface MapHandle {
  show: (point: GeoPoint, zoom: number) => void;
  fit: (drafts: readonly AreaDraft[]) => void;
}

const latLng = ({ latitude, longitude }: GeoPoint): L.LatLngTuple => [latitude, longitude];
const pointOf = ({ lat, lng }: L.LatLng): GeoPoint => ({ latitude: lat, longitude: lng });

function boundsOf(drafts: readonly AreaDraft[]): L.LatLngBounds | null {
  const bounds = L.latLngBounds([]);
  for (const draft of drafts) {
    const area = areaOf(draft);
    for (const { point } of placedPoints(draft))
      bounds.extend(
        area.kind === 'circle' && area.miles > 0
          ? L.latLng(latLng(point)).toBounds(area.miles * METERS_A_MILE * 2)
          : latLng(point),
      );
  }
  return bounds.isValid() ? bounds : null;
}

interface Atlas {
  objects: Record<string, never>;
}
/** A layer of boundaries. */
async function boundaries(
  address: string,
  name: string,
  className: string,
  pane: string,
): Promise<L.GeoJSON> {
  const atlas = (await (await fetch(address)).json()) as Atlas;
  return L.geoJSON(feature(atlas as never, atlas.objects[name]!), {
    interactive: false,
    pane,
    style: { className },
  });
}

/** Boundaries from the product itself, so that the map needs no one else's server. Without them, areas still show. */
function addBoundaries(map: L.Map, isGone: () => boolean): void {
  const add = (layer: Promise<L.GeoJSON>) =>
    layer.then(
      (one) => {
        if (!isGone()) one.addTo(map);
      },
      () => undefined,
    );
  void add(boundaries(statesUrl, 'states', classes.state!, 'boundaries'));
  let hasCounties = false;
  const more = () => {
    if (hasCounties || map.getZoom() < COUNTY_ZOOM) return;
    hasCounties = true;
    void add(boundaries(countiesUrl, 'counties', classes.county!, 'counties'));
  };
  map.on('zoomend', more);
  more();
}

/** Names the largest cities that are in view, where there is room for their names. */
function nameCities(map: L.Map, group: L.LayerGroup, cities: readonly City[]): void {
  group.clearLayers();
  const bounds = map.getBounds();
  const named: L.Point[] = [];
  for (const city of cities) {
    if (named.length >= MOST_NAMES) return;
    if (!bounds.contains(latLng(city))) continue;
    const at = map.latLngToContainerPoint(latLng(city));
    if (named.some(({ x, y }) => Math.abs(x - at.x) < NAME_WIDTH && Math.abs(y - at.y) < NAME_HEIGHT))
      continue;
    named.push(at);
    L.circleMarker(latLng(city), { radius: 2, interactive: false, className: classes.dot!, pane: 'counties' })
      .bindTooltip(city.name.replace(/, ..$/, ''), {
        permanent: true,
        direction: 'right',
        className: classes.city!,
        offset: [2, 0],
        opacity: 1,
      })
      .addTo(group);
  }
}

/** Draws the areas, and the corners of the one that is open. */
function drawAreas(group: L.LayerGroup, props: RefObject<AreaMapProps>): void {
  group.clearLayers();
  const { drafts, openId, isReadOnly } = props.current;
  for (const draft of drafts) {
    const isOpen = draft.id === openId;
    const area = areaOf(draft);
    const points = placedPoints(draft);
    const isWrong = areaFault(area) !== null;
    const className = [classes.shape, isOpen && classes.shapeOpen, isWrong && classes.shapeWrong]
      .filter(Boolean)
      .join(' ');
    const [center] = points;
    const shape =
      area.kind === 'circle'
        ? center && area.miles > 0
          ? L.circle(latLng(center.point), { radius: area.miles * METERS_A_MILE, className })
          : null
        : points.length > 1
          ? L.polygon(
              points.map(({ point }) => latLng(point)),
              { className },
            )
          : null;
    // A click into the open one adds a corner, as everywhere else.
    if (!isOpen)
      shape?.on('click', (event) => {
        L.DomEvent.stopPropagation(event);
        props.current.onOpen(draft.id);
      });
    shape?.addTo(group);
    if (!isOpen) continue;
    for (const { at, point } of points)
      L.marker(latLng(point), {
        draggable: !isReadOnly,
        // The table beside the map is the way for a keyboard.
        keyboard: false,
        icon: L.divIcon({
          className: classes.corner!,
          iconSize: [22, 22],
          html: area.kind === 'circle' ? '' : String(at + 1),
        }),
      })
        .on('dragend', (event) =>
          props.current.onMove(draft.id, at, pointOf((event.target as L.Marker).getLatLng())),
        )
        .addTo(group);
  }
}

/** The map of areas. All that it does, the table beside it does too. */
export default function AreaMap(props: AreaMapProps & { handle: RefObject<MapHandle | null> }) {
  const box = useRef<HTMLDivElement>(null);
  const current = useRef<AreaMapProps>(props);
  const layers = useRef<{ map: L.Map; areas: L.LayerGroup; cities: L.LayerGroup } | null>(null);
  current.current = props;
  const { handle, tiles } = props;

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const map = L.map(element, {
      zoomSnap: 0.5,
      minZoom: 2,
      maxZoom: 18,
      // A page that is scrolled over the map goes on; the buttons, a double click, and two fingers zoom.
      scrollWheelZoom: false,
      attributionControl: Boolean(tiles?.attribution),
      maxBounds: [
        [-85, -200],
        [85, 200],
      ],
    });
    map.createPane('boundaries').style.zIndex = '250';
    map.createPane('counties').style.zIndex = '260';
    for (const name of ['boundaries', 'counties']) map.getPane(name)!.style.pointerEvents = 'none';
    map.fitBounds(boundsOf(current.current.drafts)?.pad(0.3) ?? L.latLngBounds(COUNTRY), { maxZoom: 11 });
    const areas = L.layerGroup().addTo(map);
    const cities = L.layerGroup().addTo(map);
    layers.current = { map, areas, cities };
    let isGone = false;
    if (tiles) L.tileLayer(tiles.url, { attribution: escapeText(tiles.attribution), maxZoom: 18 }).addTo(map);
    else addBoundaries(map, () => isGone);
    const name = () => {
      if (!tiles) nameCities(map, cities, current.current.cities);
    };
    map.on('moveend', name);
    name();
    map.on('click', ({ latlng }) => current.current.onPoint(pointOf(latlng)));
    handle.current = {
      show: (point, zoom) => void map.setView(latLng(point), Math.max(map.getZoom(), zoom)),
      fit: (drafts) =>
        void map.fitBounds(boundsOf(drafts)?.pad(0.3) ?? L.latLngBounds(COUNTRY), { maxZoom: 11 }),
    };
    const observer = new ResizeObserver(() => map.invalidateSize());
    observer.observe(element);
    return () => {
      isGone = true;
      observer.disconnect();
      layers.current = null;
      handle.current = null;
      map.remove();
    };
  }, [handle, tiles]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: what is drawn is read from the latest props.
  useEffect(() => {
    if (layers.current) drawAreas(layers.current.areas, current);
  }, [props.drafts, props.openId, tiles]);
  useEffect(() => {
    if (layers.current && !tiles) nameCities(layers.current.map, layers.current.cities, props.cities);
  }, [props.cities, tiles]);

  return (
    <div className={classes.map} data-draws={(props.openId !== undefined && !props.isReadOnly) || undefined}>
      <div
        ref={box}
        className={classes.canvas}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: Leaflet moves and zooms its map by keys.
        tabIndex={0}
        role="application"
        aria-label="Map of the areas. Arrow keys move it, plus and minus zoom. Every point can be typed in the table beside it"
      />
    </div>
  );
}

/** The credit of a vendor as text: Leaflet takes markup. */
function escapeText(text: string): string {
  const element = document.createElement('span');
  element.textContent = text;
  return element.innerHTML;
}

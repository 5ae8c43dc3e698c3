import {
  ActionIcon,
  Button,
  Checkbox,
  FileButton,
  Group,
  Modal,
  NumberInput,
  Select,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import {
  IconCircleDashed,
  IconFileImport,
  IconFocusCentered,
  IconPlus,
  IconPolygon,
  IconTrash,
} from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import {
  areasOfGeoJson,
  type GeoPoint,
  LEAST_MILES,
  MOST_AREA_NAME,
  MOST_AREAS,
  MOST_CORNERS,
  MOST_GEOJSON,
  MOST_MILES,
} from '../../../../contract/ads/area-rules.ts';
import { api } from '../../../api/client.ts';
import { num } from '../../../ui/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import classes from './AreaEditor.module.css';
import AreaMap, { type MapHandle } from './AreaMap.tsx';
import {
  type AreaDraft,
  areaOf,
  draftFault,
  draftOf,
  freeName,
  movedPoint,
  typedPoint,
  withPoint,
} from './areas.ts';

const CITY_ZOOM = 9;

/** Areas on a map, with a table of their points: drawn, typed, or imported. */
export default function AreaEditor(props: {
  drafts: AreaDraft[];
  onChange: (drafts: AreaDraft[]) => void;
  error?: ReactNode;
}) {
  const { drafts, onChange } = props;
  const [openId, setOpen] = useState<string>();
  const [isImporting, setImporting] = useState(false);
  const handle = useRef<MapHandle>(null);
  const info = useQuery({
    queryKey: ['ads', 'map'],
    queryFn: ({ signal }) => api.adMaps.map(undefined, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const open = drafts.find(({ id }) => id === openId);
  const isFull = drafts.length >= MOST_AREAS;
  const put = (draft: AreaDraft) => onChange(drafts.map((one) => (one.id === draft.id ? draft : one)));
  const add = (kind: AreaDraft['kind']) => {
    const draft: AreaDraft = { id: crypto.randomUUID(), kind, name: freeName(drafts), miles: 10, points: [] };
    onChange([...drafts, draft]);
    setOpen(draft.id);
  };
  const remove = (id: string) => {
    onChange(drafts.filter((one) => one.id !== id));
    if (id === openId) setOpen(undefined);
  };
  const go = (point: GeoPoint) => {
    handle.current?.show(point, CITY_ZOOM);
    if (open?.kind === 'circle' && open.points.length === 0) put(withPoint(open, point));
  };
  return (
    <div className={classes.box}>
      <Group gap="xs" mb="sm">
        <Button
          size="xs"
          variant="default"
          disabled={isFull}
          leftSection={<IconCircleDashed size={16} aria-hidden="true" />}
          onClick={() => add('circle')}
        >
          Add radius
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={isFull}
          leftSection={<IconPolygon size={16} aria-hidden="true" />}
          onClick={() => add('polygon')}
        >
          Draw shape
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={isFull}
          leftSection={<IconFileImport size={16} aria-hidden="true" />}
          onClick={() => setImporting(true)}
        >
          Import GeoJSON
        </Button>
        <CityFinder onCity={go} />
        <Button
          size="xs"
          variant="subtle"
          leftSection={<IconFocusCentered size={16} aria-hidden="true" />}
          onClick={() => handle.current?.fit(drafts)}
        >
          {drafts.some(({ points }) => points.length > 0) ? 'Show all areas' : 'Show the country'}
        </Button>
      </Group>
      <div className={classes.editor}>
        <div className={classes.side}>
          {drafts.length === 0 ? (
            <Text size="sm" c="dimmed">
              No areas yet. Add a radius around a point, or draw a shape of up to {MOST_CORNERS} points.
            </Text>
          ) : (
            <ul className={classes.list} aria-label="Areas">
              {drafts.map((draft) => (
                <AreaRow
                  key={draft.id}
                  draft={draft}
                  isOpen={draft.id === openId}
                  onOpen={() => {
                    setOpen(draft.id === openId ? undefined : draft.id);
                    if (draft.id !== openId && draft.points.length > 0) handle.current?.fit([draft]);
                  }}
                  onChange={put}
                  onRemove={() => remove(draft.id)}
                />
              ))}
            </ul>
          )}
          <Text size="sm" c="dimmed" mt="xs" aria-live="polite">
            {hintOf(open)}
          </Text>
          {props.error && (
            <Text size="sm" c="var(--mantine-color-error)" role="alert" mt="xs">
              {props.error}
            </Text>
          )}
        </div>
        <div className={classes.mapSide}>
          <AreaMap
            handle={handle}
            drafts={drafts}
            openId={openId}
            cities={info.data?.cities ?? []}
            tiles={info.data?.tiles ?? null}
            isReadOnly={false}
            onOpen={setOpen}
            onPoint={(point) => open && put(withPoint(open, point))}
            onMove={(id, at, point) => {
              const draft = drafts.find((one) => one.id === id);
              if (draft) put(movedPoint(draft, at, typedPoint(point)));
            }}
          />
        </div>
      </div>
      <ImportModal
        isOpen={isImporting}
        room={MOST_AREAS - drafts.length}
        onClose={() => setImporting(false)}
        onAreas={(added) => {
          onChange([...drafts, ...added]);
          setImporting(false);
          handle.current?.fit(added);
        }}
      />
    </div>
  );
}

/** What a click on the map does now. */
function hintOf(open: AreaDraft | undefined): string {
  if (!open) return '';
  if (open.kind === 'circle') return 'Click the map to set the center, or drag it.';
  if (open.points.length >= MOST_CORNERS)
    return `All ${MOST_CORNERS} points are set. Drag them to move them.`;
  return 'Click the map to add the next point, or drag one to move it.';
}

function AreaRow(props: {
  draft: AreaDraft;
  isOpen: boolean;
  onOpen: () => void;
  onChange: (draft: AreaDraft) => void;
  onRemove: () => void;
}) {
  const { draft, isOpen, onChange } = props;
  const fault = draftFault(draft);
  const isEmpty = draft.points.length === 0;
  return (
    <li className={classes.area} data-open={isOpen || undefined}>
      <div className={classes.head}>
        <button type="button" className={classes.open} aria-expanded={isOpen} onClick={props.onOpen}>
          {draft.name || 'Without a name'}{' '}
          <Text span size="sm" c="dimmed">
            {summaryOf(draft)}
          </Text>
        </button>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Remove ${draft.name || 'this area'}`}
          onClick={props.onRemove}
        >
          <IconTrash size={16} aria-hidden="true" />
        </ActionIcon>
      </div>
      {fault && !(isOpen && isEmpty) && (
        <Text size="sm" c="var(--mantine-color-error)" role="status">
          This area {fault}.
        </Text>
      )}
      {isOpen && (
        <Stack gap="xs" mt={4}>
          <TextInput
            size="xs"
            label="Name"
            maxLength={MOST_AREA_NAME}
            value={draft.name}
            onChange={(event) => onChange({ ...draft, name: event.currentTarget.value })}
          />
          {draft.kind === 'circle' && (
            <NumberInput
              size="xs"
              label="Radius in miles"
              min={LEAST_MILES}
              max={MOST_MILES}
              step={1}
              decimalScale={2}
              value={draft.miles}
              onChange={(miles) => onChange({ ...draft, miles })}
            />
          )}
          <PointTable draft={draft} onChange={onChange} />
        </Stack>
      )}
    </li>
  );
}

/** The points of an area as a table: the form that needs no map and no mouse. */
function PointTable({ draft, onChange }: { draft: AreaDraft; onChange: (draft: AreaDraft) => void }) {
  const isCircle = draft.kind === 'circle';
  const points = isCircle && draft.points.length === 0 ? [{ latitude: '', longitude: '' }] : draft.points;
  const setPoint = (at: number, patch: Partial<AreaDraft['points'][number]>) =>
    onChange(movedPoint({ ...draft, points }, at, patch));
  const input = (at: number, axis: 'latitude' | 'longitude', most: number) => (
    <NumberInput
      size="xs"
      aria-label={`${axis === 'latitude' ? 'Latitude' : 'Longitude'} of ${isCircle ? 'the center' : `point ${at + 1}`}`}
      hideControls
      min={-most}
      max={most}
      clampBehavior="none"
      decimalScale={5}
      value={points[at]![axis]}
      onChange={(value) => setPoint(at, { [axis]: value })}
    />
  );
  return (
    <>
      <table className={classes.points}>
        <thead>
          <tr>
            <th scope="col">
              <span className="sr-only">Point</span>
            </th>
            <th scope="col">Latitude</th>
            <th scope="col">Longitude</th>
            <th scope="col">
              <span className="sr-only">Remove</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {points.map((_, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: points have no other name than their number.
            <tr key={at}>
              <td className="num">{isCircle ? '' : at + 1}</td>
              <td>{input(at, 'latitude', 90)}</td>
              <td>{input(at, 'longitude', 180)}</td>
              <td>
                {!isCircle && (
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={`Remove point ${at + 1}`}
                    onClick={() => onChange({ ...draft, points: points.filter((_, i) => i !== at) })}
                  >
                    <IconTrash size={16} aria-hidden="true" />
                  </ActionIcon>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {!isCircle && points.length < MOST_CORNERS && (
        <Button
          size="compact-xs"
          variant="subtle"
          style={{ alignSelf: 'flex-start' }}
          leftSection={<IconPlus size={14} aria-hidden="true" />}
          onClick={() => onChange({ ...draft, points: [...points, { latitude: '', longitude: '' }] })}
        >
          Add point
        </Button>
      )}
    </>
  );
}

/** What an area is, in a few words. */
function summaryOf(draft: AreaDraft): string {
  const area = areaOf(draft);
  if (area.kind === 'circle')
    return Number.isFinite(area.miles) ? `${num(area.miles)} mi around a point` : 'Radius';
  return area.points.length === 1 ? '1 point' : `${area.points.length} points`;
}

/** Moves the map to a city, which becomes the center of a radius that has none. */
function CityFinder({ onCity }: { onCity: (point: GeoPoint) => void }) {
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text, 250);
  const query = useQuery({
    queryKey: ['ads', 'places', search],
    queryFn: ({ signal }) => api.adMaps.places({ search }, { signal }),
    enabled: search.trim().length > 1,
    placeholderData: keepPreviousData,
  });
  // Two cities of a state can have the same name.
  const found = (query.data?.data ?? []).map((city, at) => ({ ...city, value: `${at} ${city.name}` }));
  return (
    <Select
      size="xs"
      w={180}
      aria-label="Find a city"
      placeholder="Find a city"
      searchable
      filter={({ options }) => options}
      nothingFoundMessage={search.trim().length > 1 ? 'No matching city' : 'Type a city, such as Austin, TX'}
      data={found.map(({ value, name }) => ({ value, label: name }))}
      value={null}
      searchValue={text}
      onSearchChange={setText}
      onChange={(value) => {
        const city = found.find((one) => one.value === value);
        if (!city) return;
        onCity(city);
        setText('');
      }}
    />
  );
}

/** Reads a GeoJSON file: all of its areas, or a reason. */
function ImportModal(props: {
  isOpen: boolean;
  /** How many more areas there may be. */
  room: number;
  onClose: () => void;
  onAreas: (drafts: AreaDraft[]) => void;
}) {
  const [simplify, setSimplify] = useState(true);
  const [file, setFile] = useState<File | null>(null);
  const [fault, setFault] = useState<string>();
  const close = () => {
    setFile(null);
    setFault(undefined);
    props.onClose();
  };
  const read = async () => {
    if (!file) return setFault('Choose a file.');
    // Before it is read: characters are at least a byte each.
    if (file.size > MOST_GEOJSON * 4) return setFault('The file is too large.');
    const found = areasOfGeoJson(await file.text(), { simplify });
    if ('error' in found) return setFault(found.error);
    if (found.areas.length > props.room)
      return setFault(`The file has ${found.areas.length} areas. There is room for ${props.room} more.`);
    setFile(null);
    setFault(undefined);
    props.onAreas(found.areas.map(draftOf));
  };
  return (
    <Modal opened={props.isOpen} onClose={close} title="Import GeoJSON" centered>
      <Stack gap="sm">
        <Text size="sm">
          Polygons, multipolygons, and points with the property radius_miles become areas. Coordinates must be
          longitude and latitude in degrees.
        </Text>
        <Group gap="sm">
          <FileButton
            accept=".geojson,.json,application/geo+json,application/json"
            onChange={(chosen) => {
              setFile(chosen);
              setFault(undefined);
            }}
          >
            {(button) => (
              <Button variant="default" {...button}>
                Choose file
              </Button>
            )}
          </FileButton>
          <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {file ? file.name : 'No file chosen'}
          </Text>
        </Group>
        <Checkbox
          label={`Simplify shapes with more than ${MOST_CORNERS} points`}
          checked={simplify}
          onChange={(event) => setSimplify(event.currentTarget.checked)}
        />
        {fault && (
          <Notice tone="bad" title="The file cannot be imported">
            {fault}
          </Notice>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button onClick={() => void read()}>Import</Button>
        </Group>
      </Stack>
    </Modal>
  );
}

import { ActionIcon, Button, Group, Menu, Text, Title, Tooltip } from '@mantine/core';
import {
  IconAlertCircle,
  IconAlertTriangle,
  IconArrowBackUp,
  IconArrowForwardUp,
  IconCircleCheck,
  IconDownload,
} from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import type { AdSize } from '../../../../contract/ads/ad-rules.ts';
import {
  faultsOf,
  frameOf,
  type Layer,
  MOST_LAYERS,
  type ShapeLayer,
} from '../../../../contract/ads/banner-rules.ts';
import { messages } from '../../../../contract/messages.ts';
import { api } from '../../../api/client.ts';
import { save as saveFile } from '../../../api/download.ts';
import { ApiError } from '../../../api/errors.ts';
import { useMay, useMayDownload } from '../../../api/user.ts';
import { useBrand } from '../../../brand/brand.ts';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { useLeaveGuard } from '../../../ui/useLeaveGuard.ts';
import { BannerFields } from './BannerFields.tsx';
import classes from './Editor.module.css';
import {
  type Draft,
  withCopy,
  withFrame,
  withLayer,
  withNew,
  withOneFrame,
  withOrder,
  withoutFrame,
  withoutLayer,
} from './edits.ts';
import { FORMATS, type Format, fileOf } from './files.ts';
import { changed, historyOf, redone, undone } from './history.ts';
import { ImageLibrary } from './ImageLibrary.tsx';
import { LayerFields } from './LayerFields.tsx';
import { LayerList } from './LayerList.tsx';
import { type Banner, type Media, swatchesOf } from './model.ts';
import { Stage } from './Stage.tsx';
import { UseInCampaign } from './UseInCampaign.tsx';
import { useAssets, usePreviews } from './useDrawn.ts';

const ARROWS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
/** Where keys are for typing or choosing, not for the banner. */
const TYPING =
  'input, textarea, select, [contenteditable], [role="dialog"], [role="menu"], [role="listbox"], [role="tablist"]';

/**
 * The banner editor: layers, their fields, the banner in each size, and what keeps it from being shown.
 * @param companyId the client of a new banner; absent: the person's own company
 * @param onSaved after the first save of a new banner, once leaving is free
 */
export default function Editor(props: {
  banner: Banner | undefined;
  start: Draft;
  companyId: string | undefined;
  onSaved: (banner: Banner, leave: () => void) => void;
}) {
  const { companyId } = props;
  const brand = useBrand();
  const mayWrite = useMay(props.banner ? 'banner.write' : 'banner.create');
  const mayUse = useMay('campaign.write');
  const mayDownload = useMayDownload();
  const [history, setHistory] = useState(() => historyOf(props.start));
  const [saved, setSaved] = useState(() => (props.banner ? props.start : undefined));
  const [version, setVersion] = useState(props.banner?.version);
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [size, setSize] = useState<AdSize>(props.start.design.sizes[0]!);
  const [selected, setSelected] = useState<string>();
  const [library, setLibrary] = useState<'add' | 'replace'>();
  const [isUsing, setUsing] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const draft = history.now;
  const { design } = draft;
  const isDirty = mayWrite && draft !== saved;
  const free = useLeaveGuard(isDirty, 'Your changes to this banner are not saved.', ['id']);
  const assets = useAssets(design);
  const previews = usePreviews(design, assets);
  const layer = design.layers.find((one) => one.id === selected);
  const shownSize = design.sizes.includes(size) ? size : design.sizes[0]!;

  const change = (make: (draft: Draft) => Draft, step?: string) =>
    setHistory((old) => changed(old, make(old.now), step));
  const add = (given: Parameters<typeof withNew>[1], sides?: { width: number; height: number }) => {
    change((old) => withNew(old, given, shownSize, sides));
    setSelected(given.id);
  };
  const newId = () => crypto.randomUUID().slice(0, 13);
  const addText = () =>
    add({
      ...{ id: newId(), name: 'Text', kind: 'text', text: 'Text', font: 'inter', bold: false },
      ...{ color: swatches.at(-1) ?? '#1b1d22', align: 'left', fill: null, radius: 0 },
    } as Layer);
  const addShape = (shape: ShapeLayer['shape']) =>
    add({
      ...{ id: newId(), name: { rectangle: 'Rectangle', ellipse: 'Ellipse', line: 'Line' }[shape] },
      ...{ kind: 'shape', shape, radius: 0 },
      fill: shape === 'line' ? null : (swatches[0] ?? '#1f5c43'),
      stroke: shape === 'line' ? (swatches[0] ?? '#1f5c43') : null,
      stroke_width: shape === 'line' ? 2 : 0,
    } as Layer);
  const pick = (media: Media) => {
    if (library === 'replace' && layer?.kind === 'image')
      change((old) => withLayer(old, layer.id, (one) => ({ ...one, media_id: media.id }) as Layer));
    else
      add(
        {
          ...{ id: newId(), name: media.name.slice(0, 80), kind: 'image' },
          media_id: media.id,
          fit: 'contain',
        } as Layer,
        media,
      );
    setLibrary(undefined);
  };
  const removeLayer = () => {
    if (!selected) return;
    change((old) => withoutLayer(old, selected));
    setSelected(undefined);
  };
  const copyLayer = () => {
    if (!selected || design.layers.length >= MOST_LAYERS) return;
    const id = newId();
    change((old) => withCopy(old, selected, id));
    setSelected(id);
  };
  const undo = () => setHistory(undone);
  const redo = () => setHistory(redone);

  const swatches = swatchesOf(brand);
  const faults = [
    ...faultsOf(draft, {
      has: (id) => !assets.gone.has(id),
      missingFonts: assets.missingFonts,
      bytes: previews.bytes,
    }),
    ...previews.faults,
  ];
  const isBlocked = faults.some(({ level }) => level === 'error');
  /** An image or a font that is missing would be drawn wrong; a missing text does not keep anyone from a file. */
  const isDrawable = assets.isReady && assets.gone.size === 0 && assets.missingFonts.length === 0;

  const save = async () => {
    if (!mayWrite || isBusy) return;
    if (!draft.name.trim()) {
      setSelected(undefined);
      return setErrors({ name: 'Enter a name' });
    }
    setBusy(true);
    setErrors({});
    const given = {
      name: draft.name.trim(),
      alt_text: draft.alt_text.trim(),
      click_url: draft.click_url.trim(),
      design,
    };
    try {
      if (props.banner) {
        const { data } = await api.banners.update({
          id: props.banner.id,
          ...given,
          ...(version === undefined ? {} : { version }),
        });
        setVersion(data.version);
        setSaved(draft);
        notifyDone(messages.updated);
        props.onSaved(data, free);
      } else {
        const { data } = await api.banners.create({
          ...given,
          ...(companyId ? { company_id: companyId } : {}),
        });
        notifyDone(messages.added);
        props.onSaved(data, free);
      }
    } catch (error) {
      const found = error instanceof ApiError ? error.errors : {};
      const own = Object.entries(found).filter(([field]) =>
        ['name', 'alt_text', 'click_url'].includes(field),
      );
      if (own.length === 0) notifyFailed(error, 'The banner could not be saved');
      else {
        setSelected(undefined);
        setErrors(Object.fromEntries(own.map(([field, texts]) => [field, texts.join(' ')])));
      }
    } finally {
      setBusy(false);
    }
  };

  const exportAs = async (format: Format, sizes: readonly AdSize[]) => {
    setBusy(true);
    try {
      const { bundleOf, fileStem } = await import('./zip.ts');
      const stem = fileStem(draft.name);
      const files: Record<string, Uint8Array> = {};
      for (const one of sizes) {
        const [ending, bytes] = await fileOf(draft, one, format, assets.images);
        files[`${stem}-${one}.${ending}`] = bytes;
      }
      const [[name, bytes] = ['', new Uint8Array()], ...more] = Object.entries(files);
      const isOne = more.length === 0;
      saveFile(
        new Blob([new Uint8Array(isOne ? bytes : bundleOf(files))]),
        isOne ? name : `${stem}-${format}.zip`,
      );
    } catch (error) {
      notifyFailed(error, 'The file could not be made');
    } finally {
      setBusy(false);
    }
  };

  const keys = (event: KeyboardEvent) => {
    const target = event.target as Element;
    const isCommand = event.ctrlKey || event.metaKey;
    const key = event.key.toLowerCase();
    if (isCommand && key === 's') {
      event.preventDefault();
      return void save();
    }
    if (!mayWrite || target.closest(TYPING) || document.querySelector('[role="dialog"]')) return;
    const run = (what: () => void) => {
      event.preventDefault();
      what();
    };
    if (isCommand && key === 'z') return run(event.shiftKey ? redo : undo);
    if (isCommand && key === 'y') return run(redo);
    if (!layer) return;
    if (isCommand && key === 'd') return run(copyLayer);
    if (isCommand || event.altKey) return;
    const by = ARROWS[event.key];
    if (by) {
      const far = event.shiftKey ? 10 : 1;
      const { x, y } = frameOf(layer, shownSize);
      return run(() =>
        change(
          (old) => withFrame(old, layer.id, shownSize, { x: x + by[0] * far, y: y + by[1] * far }),
          `${layer.id} ${shownSize} keys`,
        ),
      );
    }
    if (event.key === 'Delete' || event.key === 'Backspace') return run(removeLayer);
    if (event.key === ']') return run(() => change((old) => withOrder(old, layer.id, 1)));
    if (event.key === '[') return run(() => change((old) => withOrder(old, layer.id, -1)));
    if (event.key === 'Escape') run(() => setSelected(undefined));
  };
  const onKey = useRef(keys);
  useEffect(() => {
    onKey.current = keys;
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKey.current(event);
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, []);

  return (
    <>
      <PageHeader
        title={draft.name || 'New banner'}
        line={
          props.banner
            ? `For ${props.banner.company_name}. Designed once, adjusted in each size.`
            : 'Designed once, adjusted in each size.'
        }
        primary={
          <Group gap="xs" justify="end">
            {mayDownload && (
              <Menu position="bottom-end">
                <Menu.Target>
                  <Button
                    variant="default"
                    leftSection={<IconDownload size={16} aria-hidden="true" />}
                    disabled={!isDrawable || isBusy}
                  >
                    Export
                  </Button>
                </Menu.Target>
                <Menu.Dropdown>
                  <Menu.Label>{shownSize}</Menu.Label>
                  {(Object.keys(FORMATS) as Format[]).map((format) => (
                    <Menu.Item
                      key={format}
                      disabled={format === 'html5' && isBlocked}
                      onClick={() => void exportAs(format, [shownSize])}
                    >
                      {FORMATS[format]}
                    </Menu.Item>
                  ))}
                  <Menu.Label>All sizes</Menu.Label>
                  {(Object.keys(FORMATS) as Format[]).map((format) => (
                    <Menu.Item
                      key={format}
                      disabled={format === 'html5' && isBlocked}
                      onClick={() => void exportAs(format, design.sizes)}
                    >
                      {FORMATS[format]}, all sizes
                    </Menu.Item>
                  ))}
                </Menu.Dropdown>
              </Menu>
            )}
            {mayUse && (
              <Button
                variant="default"
                disabled={isBlocked || !isDrawable || isBusy}
                onClick={() => setUsing(true)}
              >
                Use in a campaign
              </Button>
            )}
            {mayWrite && (
              <Button loading={isBusy} disabled={!isDirty} onClick={() => void save()}>
                Save
              </Button>
            )}
          </Group>
        }
      />
      <div className={classes.editor}>
        <div className={classes.panel} style={{ gridArea: 'layers' }}>
          <LayerList
            layers={design.layers}
            size={shownSize}
            selected={selected}
            isReadOnly={!mayWrite}
            onSelect={setSelected}
            onAddText={addText}
            onAddImage={() => setLibrary('add')}
            onAddShape={addShape}
            onOrder={(by) => selected && change((old) => withOrder(old, selected, by))}
            onCopy={copyLayer}
            onRemove={removeLayer}
          />
        </div>
        <div className={classes.panel} style={{ gridArea: 'canvas' }}>
          <Group justify="space-between" mb="xs" wrap="nowrap">
            <Title order={2} size="h4">
              {shownSize}
            </Title>
            {mayWrite && (
              <Group gap={4} wrap="nowrap">
                <Tooltip label="Undo">
                  <ActionIcon
                    variant="default"
                    size={34}
                    aria-label="Undo"
                    disabled={history.past.length === 0}
                    onClick={undo}
                  >
                    <IconArrowBackUp size={18} />
                  </ActionIcon>
                </Tooltip>
                <Tooltip label="Redo">
                  <ActionIcon
                    variant="default"
                    size={34}
                    aria-label="Redo"
                    disabled={history.future.length === 0}
                    onClick={redo}
                  >
                    <IconArrowForwardUp size={18} />
                  </ActionIcon>
                </Tooltip>
              </Group>
            )}
          </Group>
          <ul className={classes.sizes} aria-label="Sizes">
            {design.sizes.map((one) => (
              <li key={one}>
                <button
                  type="button"
                  className={classes.size}
                  aria-pressed={one === shownSize}
                  onClick={() => setSize(one)}
                >
                  {previews.urls[one] && <img src={previews.urls[one]} alt="" />}
                  {one}
                </button>
              </li>
            ))}
          </ul>
          <Stage
            design={design}
            size={shownSize}
            images={assets.images}
            fonts={assets.fonts}
            selected={selected}
            isReadOnly={!mayWrite}
            onSelect={setSelected}
            onFrame={(id, patch) => change((old) => withFrame(old, id, shownSize, patch))}
          />
          <Checks faults={faults} bytes={previews.bytes[shownSize]} />
          {mayWrite && (
            <Text size="xs" c="dimmed" mt="sm">
              Arrow keys move the selected layer, with Shift by 10 px. [ and ] change its order. Delete
              removes it, Ctrl D copies it, Ctrl Z undoes, Ctrl S saves.
            </Text>
          )}
        </div>
        <div className={classes.panel} style={{ gridArea: 'fields' }}>
          <Text fw={600} mb="xs">
            {layer ? layer.name : 'Banner'}
          </Text>
          <fieldset disabled={!mayWrite} style={{ border: 0, padding: 0, margin: 0, minWidth: 0 }}>
            {layer ? (
              <LayerFields
                key={layer.id}
                layer={layer}
                size={shownSize}
                swatches={swatches}
                onChange={(make, step) => change((old) => withLayer(old, layer.id, make), step)}
                onFrame={(patch, step) => change((old) => withFrame(old, layer.id, shownSize, patch), step)}
                onFollow={() => change((old) => withoutFrame(old, layer.id, shownSize))}
                onEverywhere={() => change((old) => withOneFrame(old, layer.id, shownSize))}
                onReplace={() => setLibrary('replace')}
              />
            ) : (
              <BannerFields
                draft={draft}
                swatches={swatches}
                errors={errors}
                onChange={(patch, step) => change((old) => ({ ...old, ...patch }), `banner ${step}`)}
              />
            )}
          </fieldset>
        </div>
      </div>
      {library && (
        <ImageLibrary
          companyId={props.banner?.company_id ?? companyId}
          onPick={pick}
          onClose={() => setLibrary(undefined)}
        />
      )}
      {isUsing && (
        <UseInCampaign
          draft={draft}
          images={assets.images}
          companyId={props.banner?.company_id ?? companyId}
          onClose={() => setUsing(false)}
        />
      )}
    </>
  );
}

/** How many faults are shown at a time: a layer outside of every size is eight. */
const MOST_SHOWN = 12;

function Checks({ faults, bytes }: { faults: ReturnType<typeof faultsOf>; bytes: number | undefined }) {
  // Errors first, each once: layers may have the same name.
  const each = new Map(faults.map((fault) => [`${fault.size} ${fault.text}`, fault]));
  const sorted = [...each.values()].sort((a, b) => Number(b.level === 'error') - Number(a.level === 'error'));
  return (
    <section aria-label="Checks" style={{ marginTop: 'var(--mantine-spacing-md)' }}>
      <Group justify="space-between" mb={6}>
        <Text fw={600} size="sm">
          Checks
        </Text>
        {bytes !== undefined && (
          <Text size="sm" c="dimmed">
            {Math.ceil(bytes / 1024)} KB as PNG
          </Text>
        )}
      </Group>
      <ul className={classes.faults} aria-live="polite">
        {faults.length === 0 && (
          <li>
            <IconCircleCheck size={16} aria-hidden="true" />
            Ready to be shown.
          </li>
        )}
        {sorted.slice(0, MOST_SHOWN).map(({ level, size, text }) => (
          <li key={`${size} ${text}`} data-level={level}>
            {level === 'error' ? (
              <IconAlertCircle size={16} role="img" aria-label="Error" />
            ) : (
              <IconAlertTriangle size={16} role="img" aria-label="Warning" />
            )}
            <span>
              {size && <strong>{size}: </strong>}
              {text}
            </span>
          </li>
        ))}
        {sorted.length > MOST_SHOWN && <li>And {sorted.length - MOST_SHOWN} more.</li>}
      </ul>
    </section>
  );
}

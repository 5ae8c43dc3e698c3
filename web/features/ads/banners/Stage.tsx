import Konva from 'konva/lib/Core';
import { Line } from 'konva/lib/shapes/Line';
import { Transformer } from 'konva/lib/shapes/Transformer';
import { type RefObject, useEffect, useRef, useState } from 'react';
import type { AdSize } from '../../../../contract/ads/ad-rules.ts';
import { type BannerDesign, type Frame, frameOf, sidesOf } from '../../../../contract/ads/banner-rules.ts';
import classes from './Editor.module.css';
import { createPainter, type Images, type Painter, place } from './paint.ts';
import { snapped } from './snap.ts';

/** How near an edge has to be to snap, in pixels of the screen. */
const SNAP = 6;
const HIGHEST = 460;
/** Beside it, so that handles at its edges can be grabbed. */
const MARGIN = 10;
const LEAST_SIDE = 4;

interface StageProps {
  design: BannerDesign;
  size: AdSize;
  images: Images;
  /** Changes when fonts have arrived, with which everything is drawn again. */
  fonts: number;
  selected: string | undefined;
  isReadOnly: boolean;
  onSelect: (id: string | undefined) => void;
  onFrame: (id: string, patch: Partial<Frame>) => void;
}

interface Parts {
  stage: Konva.Stage;
  content: Konva.Layer;
  over: Konva.Layer;
  painter: Painter;
  /** The groups that can be dragged and resized already. */
  wired: WeakSet<Konva.Group>;
}

/** Lets a layer's group be dragged, with guides where it snaps, and resized. */
function wire(group: Konva.Group, over: Konva.Layer, acts: RefObject<StageProps>, color: string): void {
  const id = group.id();
  const clear = () => {
    for (const line of over.find('.guide')) line.destroy();
  };
  group.draggable(true);
  group.on('dragstart', () => acts.current.onSelect(id));
  group.on('dragmove', () => {
    const { design, size } = acts.current;
    const [width, height] = sidesOf(size);
    const scale = group.getStage()?.scaleX() ?? 1;
    const others = design.layers
      .filter((one) => one.id !== id)
      .map((one) => frameOf(one, size))
      .filter((frame) => !frame.hidden);
    const at = { x: group.x(), y: group.y(), width: group.width(), height: group.height() };
    const { x, y, guides } = snapped(at, { width, height }, others, SNAP / scale);
    group.position({ x, y });
    clear();
    for (const guide of guides)
      over.add(
        new Line({
          points: guide.axis === 'x' ? [guide.at, 0, guide.at, height] : [0, guide.at, width, guide.at],
          ...{ name: 'guide', stroke: color, strokeWidth: 1 / scale, dash: [4 / scale, 3 / scale] },
        }),
      );
  });
  group.on('dragend', () => {
    clear();
    acts.current.onFrame(id, { x: Math.round(group.x()), y: Math.round(group.y()) });
  });
  const resized = () => ({
    x: Math.round(group.x()),
    y: Math.round(group.y()),
    width: Math.max(LEAST_SIDE, Math.round(group.width() * group.scaleX())),
    height: Math.max(LEAST_SIDE, Math.round(group.height() * group.scaleY())),
  });
  // Drawn again in its new frame, instead of stretched.
  group.on('transform', () => {
    const { design, size, images } = acts.current;
    const layer = design.layers.find((one) => one.id === id);
    if (layer) place(group, layer, { ...frameOf(layer, size), ...resized() }, images);
  });
  group.on('transformend', () => acts.current.onFrame(id, resized()));
}

/**
 * The banner in one size, in which layers are moved and resized by mouse or touch. For everyone else the same is done in
 * the list of layers and its fields.
 */
export function Stage(props: StageProps) {
  const { design, size, images, fonts, selected, isReadOnly } = props;
  const box = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState(0);
  const [parts, setParts] = useState<Parts>();
  const acts = useRef(props);
  useEffect(() => {
    acts.current = props;
  });

  useEffect(() => {
    const container = box.current!;
    const stage = new Konva.Stage({ container: container.firstElementChild as HTMLDivElement });
    const content = new Konva.Layer();
    const over = new Konva.Layer();
    stage.add(content, over);
    stage.on('click tap', (event) => {
      const group = event.target.findAncestor('Group', false, content);
      acts.current.onSelect(group?.id() || undefined);
    });
    setParts({ stage, content, over, painter: createPainter(content), wired: new WeakSet() });
    const watch = new ResizeObserver(() => setRoom(container.clientWidth - 2 * MARGIN));
    watch.observe(container);
    return () => {
      watch.disconnect();
      stage.destroy();
    };
  }, []);

  const [width, height] = sidesOf(size);
  const scale = Math.min(2, room / width, HIGHEST / height);
  useEffect(() => {
    if (!parts || scale <= 0) return;
    const { stage, content, over, painter, wired } = parts;
    stage.size({ width: width * scale, height: height * scale });
    stage.scale({ x: scale, y: scale });
    painter(design, size, images, fonts);
    over.destroyChildren();
    if (isReadOnly) return;
    const color = getComputedStyle(box.current!).getPropertyValue('--accent-line').trim() || '#3f51b5';
    for (const group of content.find<Konva.Group>('Group')) {
      if (wired.has(group)) continue;
      wired.add(group);
      wire(group, over, acts, color);
    }
    const chosen = design.layers.find((layer) => layer.id === selected);
    const group = chosen && content.findOne<Konva.Group>(`#${chosen.id}`);
    if (!group) return;
    over.add(
      new Transformer({
        nodes: [group],
        rotateEnabled: false,
        keepRatio: chosen.kind === 'image',
        ignoreStroke: true,
        borderStroke: color,
        anchorStroke: color,
        anchorSize: 10,
        boundBoxFunc: (before, after) =>
          after.width < LEAST_SIDE * scale || after.height < LEAST_SIDE * scale ? before : after,
      }),
    );
  }, [parts, design, size, images, fonts, selected, isReadOnly, scale, width, height]);

  return (
    <div ref={box} className={classes.stage} role="img" aria-label={`The banner in ${size}`}>
      <div className={classes.canvas} />
    </div>
  );
}

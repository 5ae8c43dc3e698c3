import Konva from 'konva/lib/Core';
import { Line } from 'konva/lib/shapes/Line';
import { Transformer } from 'konva/lib/shapes/Transformer';
import { useEffect, useRef, useState } from 'react';
import type { AdSize } from '../../../../contract/ads/ad-rules.ts';
import { type BannerDesign, type Frame, frameOf, sidesOf } from '../../../../contract/ads/banner-rules.ts';
import classes from './Editor.module.css';
import { type Images, paint, place } from './paint.ts';
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

/**
 * The banner in one size, in which layers are moved and resized by mouse or touch. For everyone else the same is done in
 * the list of layers and its fields.
 */
export function Stage(props: StageProps) {
  const { design, size, images, fonts, selected, isReadOnly } = props;
  const box = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState(0);
  const [parts, setParts] = useState<{ stage: Konva.Stage; content: Konva.Layer; over: Konva.Layer }>();
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
    setParts({ stage, content, over });
    const watch = new ResizeObserver(() => setRoom(container.clientWidth - 2 * MARGIN));
    watch.observe(container);
    return () => {
      watch.disconnect();
      stage.destroy();
    };
  }, []);

  const [width, height] = sidesOf(size);
  const scale = Math.min(2, room / width, HIGHEST / height);
  // biome-ignore lint/correctness/useExhaustiveDependencies: fonts are drawn with once they have arrived.
  useEffect(() => {
    if (!parts || scale <= 0) return;
    const { stage, content, over } = parts;
    stage.size({ width: width * scale, height: height * scale });
    stage.scale({ x: scale, y: scale });
    content.destroyChildren();
    over.destroyChildren();
    paint(content, design, size, images);
    stage.off('click tap').on('click tap', (event) => {
      const group = event.target.findAncestor('Group', false, content);
      acts.current.onSelect(group?.id() || undefined);
    });
    if (isReadOnly) return;
    const shown = design.layers
      .map((layer) => ({ layer, frame: frameOf(layer, size) }))
      .filter(({ frame }) => !frame.hidden);
    const style = getComputedStyle(box.current!);
    const color = style.getPropertyValue('--accent-line').trim() || '#3f51b5';
    for (const { layer, frame } of shown) {
      const group = content.findOne<Konva.Group>(`#${layer.id}`)!;
      const others = shown.filter((one) => one.layer.id !== layer.id).map((one) => one.frame);
      group.draggable(true);
      group.on('dragstart', () => acts.current.onSelect(layer.id));
      group.on('dragmove', () => {
        const moved = snapped(
          { ...frame, x: group.x(), y: group.y() },
          { width, height },
          others,
          SNAP / scale,
        );
        group.position({ x: moved.x, y: moved.y });
        for (const line of over.find('.guide')) line.destroy();
        for (const { axis, at } of moved.guides)
          over.add(
            new Line({
              points: axis === 'x' ? [at, 0, at, height] : [0, at, width, at],
              ...{ name: 'guide', stroke: color, strokeWidth: 1 / scale, dash: [4 / scale, 3 / scale] },
            }),
          );
      });
      group.on('dragend', () =>
        acts.current.onFrame(layer.id, { x: Math.round(group.x()), y: Math.round(group.y()) }),
      );
      if (layer.id !== selected) continue;
      const handles = new Transformer({
        nodes: [group],
        rotateEnabled: false,
        keepRatio: layer.kind === 'image',
        ignoreStroke: true,
        borderStroke: color,
        anchorStroke: color,
        anchorSize: 10,
        boundBoxFunc: (before, after) =>
          after.width < LEAST_SIDE * scale || after.height < LEAST_SIDE * scale ? before : after,
      });
      const resized = (): Frame => ({
        ...frame,
        x: Math.round(group.x()),
        y: Math.round(group.y()),
        width: Math.max(LEAST_SIDE, Math.round(group.width() * group.scaleX())),
        height: Math.max(LEAST_SIDE, Math.round(group.height() * group.scaleY())),
      });
      // Drawn again in its new frame, instead of stretched.
      group.on('transform', () => place(group, layer, resized(), images));
      group.on('transformend', () => acts.current.onFrame(layer.id, resized()));
      over.add(handles);
    }
  }, [parts, design, size, images, fonts, selected, isReadOnly, scale, width, height]);

  return (
    <div ref={box} className={classes.stage} role="img" aria-label={`The banner in ${size}`}>
      <div className={classes.canvas} />
    </div>
  );
}

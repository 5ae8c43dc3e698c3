import {
  Button,
  Checkbox,
  ColorInput,
  Group,
  NumberInput,
  SegmentedControl,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useState } from 'react';
import { FONT_THEMES, type FontTheme } from '../../../../contract/accounts/fonts.ts';
import type { AdSize } from '../../../../contract/ads/ad-rules.ts';
import {
  ALIGNMENTS,
  ANCHORS_X,
  ANCHORS_Y,
  FAR,
  FITS,
  type Frame,
  frameOf,
  type ImageLayer,
  type Layer,
  MOST_LAYER_TEXT,
  SHAPES,
  type ShapeLayer,
  sourceOf,
  type TextLayer,
} from '../../../../contract/ads/banner-rules.ts';

const titled = (values: readonly string[]) =>
  values.map((value) => ({ value, label: value[0]!.toUpperCase() + value.slice(1) }));
const COLOR = /^#[0-9a-f]{6}$/;

/** A color; with `none` it can be left out. */
export function Color(props: {
  label: string;
  value: string | null;
  swatches: string[];
  none?: string;
  onChange: (color: string | null) => void;
}) {
  const { label, value, swatches, none, onChange } = props;
  // Half a color stays in the field while it is typed.
  const [typed, setTyped] = useState<string>();
  return (
    <div>
      {none && (
        <Checkbox
          label={none}
          checked={value !== null}
          mb={value === null ? 0 : 6}
          onChange={(event) => onChange(event.currentTarget.checked ? (swatches[0] ?? '#1f5c43') : null)}
        />
      )}
      {value !== null && (
        <ColorInput
          label={label}
          format="hex"
          swatches={swatches}
          fixOnBlur={false}
          withEyeDropper={false}
          value={typed ?? value}
          onBlur={() => setTyped(undefined)}
          onChange={(next) => {
            const color = next.toLowerCase();
            setTyped(COLOR.test(color) ? undefined : next);
            if (COLOR.test(color) && color !== value) onChange(color);
          }}
        />
      )}
    </div>
  );
}

/** A number. What is being typed stays in the field, and what is none changes nothing. */
function Figure(props: {
  label: string;
  value: number;
  min: number;
  max: number;
  suffix?: string;
  onChange: (value: number) => void;
}) {
  const { value, onChange, ...rest } = props;
  const [isEmpty, setEmpty] = useState(false);
  return (
    <NumberInput
      {...rest}
      clampBehavior="strict"
      decimalScale={1}
      value={isEmpty ? '' : value}
      onBlur={() => setEmpty(false)}
      onChange={(next) => {
        const isNumber = typeof next === 'number' && Number.isFinite(next);
        setEmpty(!isNumber);
        if (isNumber && next !== value) onChange(next);
      }}
    />
  );
}

interface FieldsProps {
  layer: Layer;
  size: AdSize;
  swatches: string[];
  onChange: (change: (layer: Layer) => Layer, step: string) => void;
  onFrame: (patch: Partial<Frame>, step: string) => void;
  onFollow: () => void;
  onEverywhere: () => void;
  onReplace: () => void;
}

/** Everything about one layer, as a form. */
export function LayerFields(props: FieldsProps) {
  const { layer, size, onChange, onFrame } = props;
  const frame = frameOf(layer, size);
  const source = sourceOf(layer, size);
  const isOwn = source === size;
  const [name, setName] = useState<string>();
  const set = (patch: Partial<TextLayer> | Partial<ImageLayer> | Partial<ShapeLayer>) =>
    onChange((old) => ({ ...old, ...patch }) as Layer, `${layer.id} ${Object.keys(patch).join()}`);
  const place = (patch: Partial<Frame>) => onFrame(patch, `${layer.id} ${size} ${Object.keys(patch).join()}`);
  return (
    <Stack gap="sm">
      {layer.kind === 'text' && <TextFields {...props} layer={layer} frame={frame} set={set} place={place} />}
      {layer.kind === 'image' && (
        <>
          <Select
            label="Fit"
            description="Cover fills the frame and cuts what is too much."
            allowDeselect={false}
            data={titled(FITS)}
            value={layer.fit}
            onChange={(fit) => fit && set({ fit: fit as ImageLayer['fit'] })}
          />
          <Button variant="default" onClick={props.onReplace}>
            Choose another image
          </Button>
        </>
      )}
      {layer.kind === 'shape' && <ShapeFields {...props} layer={layer} set={set} />}
      <Figure
        label="Opacity"
        suffix="%"
        min={0}
        max={100}
        value={Math.round(layer.opacity * 100)}
        onChange={(percent) => set({ opacity: percent / 100 })}
      />
      <TextInput
        label="Layer name"
        maxLength={80}
        value={name ?? layer.name}
        onBlur={() => setName(undefined)}
        onChange={(event) => {
          const typed = event.currentTarget.value;
          setName(typed);
          if (typed.trim()) set({ name: typed });
        }}
      />
      <fieldset style={{ border: 0, padding: 0, margin: 0, minWidth: 0 }}>
        <Text component="legend" size="sm" fw={600}>
          Position in {size.replace('x', ' × ')}
        </Text>
        <Text size="xs" c="dimmed" mb="xs">
          {isOwn
            ? 'Set for this size.'
            : `Follows ${source?.replace('x', ' × ') ?? 'no size'}, kept to its anchors.`}
        </Text>
        <Group grow gap="xs" wrap="nowrap">
          <Figure label="X" min={-FAR} max={FAR} value={frame.x} onChange={(x) => place({ x })} />
          <Figure label="Y" min={-FAR} max={FAR} value={frame.y} onChange={(y) => place({ y })} />
        </Group>
        <Group grow gap="xs" wrap="nowrap" mt={6}>
          <Figure
            label="Width"
            min={1}
            max={FAR}
            value={frame.width}
            onChange={(width) => place({ width })}
          />
          <Figure
            label="Height"
            min={1}
            max={FAR}
            value={frame.height}
            onChange={(height) => place({ height })}
          />
        </Group>
        <Checkbox
          mt="sm"
          label="Hide in this size"
          checked={frame.hidden === true}
          onChange={(event) => place({ hidden: event.currentTarget.checked })}
        />
        <Group gap="xs" mt="sm">
          {isOwn && Object.keys(layer.frames).length > 1 && (
            <Button size="compact-sm" variant="default" onClick={props.onFollow}>
              Follow another size
            </Button>
          )}
          <Button size="compact-sm" variant="default" onClick={props.onEverywhere}>
            Use in all sizes
          </Button>
        </Group>
      </fieldset>
      <Group grow gap="xs" wrap="nowrap" align="start">
        <Select
          label="Anchor across"
          allowDeselect={false}
          data={titled(ANCHORS_X)}
          value={layer.anchor_x}
          onChange={(value) => value && set({ anchor_x: value as Layer['anchor_x'] })}
        />
        <Select
          label="Anchor down"
          allowDeselect={false}
          data={titled(ANCHORS_Y)}
          value={layer.anchor_y}
          onChange={(value) => value && set({ anchor_y: value as Layer['anchor_y'] })}
        />
      </Group>
      <Text size="xs" c="dimmed">
        Where a size has no position of its own, the layer keeps its distance to this side. Stretch keeps
        both.
      </Text>
    </Stack>
  );
}

function TextFields(
  props: FieldsProps & {
    layer: TextLayer;
    frame: Frame;
    set: (patch: Partial<TextLayer>) => void;
    place: (patch: Partial<Frame>) => void;
  },
) {
  const { layer, frame, swatches, set, place } = props;
  return (
    <>
      <Textarea
        label="Text"
        autosize
        minRows={2}
        maxLength={MOST_LAYER_TEXT}
        value={layer.text}
        onChange={(event) => set({ text: event.currentTarget.value })}
      />
      <Group grow gap="xs" wrap="nowrap" align="start">
        <Select
          label="Font"
          allowDeselect={false}
          data={Object.entries(FONT_THEMES).map(([value, { family }]) => ({ value, label: family }))}
          value={layer.font}
          onChange={(font) => font && set({ font: font as FontTheme })}
        />
        <Figure
          label="Text size"
          min={4}
          max={400}
          value={frame.text_size ?? 16}
          onChange={(text_size) => place({ text_size })}
        />
      </Group>
      <SegmentedControl
        fullWidth
        aria-label="Alignment"
        data={titled(ALIGNMENTS)}
        value={layer.align}
        onChange={(align) => set({ align: align as TextLayer['align'] })}
      />
      <Checkbox
        label="Bold"
        checked={layer.bold}
        onChange={(event) => set({ bold: event.currentTarget.checked })}
      />
      <Color
        label="Text color"
        swatches={swatches}
        value={layer.color}
        onChange={(color) => color && set({ color })}
      />
      <Color
        label="Fill color"
        none="Fill behind the text"
        swatches={swatches}
        value={layer.fill}
        onChange={(fill) => set({ fill })}
      />
      {layer.fill && (
        <Figure
          label="Corner radius"
          min={0}
          max={500}
          value={layer.radius}
          onChange={(radius) => set({ radius })}
        />
      )}
    </>
  );
}

function ShapeFields(props: FieldsProps & { layer: ShapeLayer; set: (patch: Partial<ShapeLayer>) => void }) {
  const { layer, swatches, set } = props;
  return (
    <>
      <Select
        label="Shape"
        allowDeselect={false}
        data={titled(SHAPES)}
        value={layer.shape}
        onChange={(shape) => shape && set({ shape: shape as ShapeLayer['shape'] })}
      />
      {layer.shape !== 'line' && (
        <Color
          label="Fill color"
          none="Filled"
          swatches={swatches}
          value={layer.fill}
          onChange={(fill) => set({ fill })}
        />
      )}
      <Color
        label="Line color"
        none="Outline"
        swatches={swatches}
        value={layer.stroke}
        onChange={(stroke) => set({ stroke, ...(stroke && !layer.stroke_width ? { stroke_width: 2 } : {}) })}
      />
      {layer.stroke && (
        <Figure
          label="Line width"
          min={0}
          max={100}
          value={layer.stroke_width}
          onChange={(stroke_width) => set({ stroke_width })}
        />
      )}
      {layer.shape === 'rectangle' && (
        <Figure
          label="Corner radius"
          min={0}
          max={500}
          value={layer.radius}
          onChange={(radius) => set({ radius })}
        />
      )}
    </>
  );
}

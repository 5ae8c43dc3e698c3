import { ActionIcon, Button, Group, Menu, Text, Tooltip } from '@mantine/core';
import {
  IconArrowDown,
  IconArrowUp,
  IconCircle,
  IconCopy,
  IconEyeOff,
  IconLetterT,
  IconLine,
  IconPhoto,
  IconPlus,
  IconSettings,
  IconSquare,
  IconTrash,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';
import type { AdSize } from '../../../../contract/ads/ad-rules.ts';
import { frameOf, type Layer, MOST_LAYERS, type ShapeLayer } from '../../../../contract/ads/banner-rules.ts';
import classes from './Editor.module.css';

const iconOf = (layer: Layer): ComponentType<{ size?: number }> =>
  layer.kind === 'text'
    ? IconLetterT
    : layer.kind === 'image'
      ? IconPhoto
      : { rectangle: IconSquare, ellipse: IconCircle, line: IconLine }[layer.shape];

/** The layers from front to back, and what can be done with the selected one. */
export function LayerList(props: {
  layers: readonly Layer[];
  size: AdSize;
  selected: string | undefined;
  isReadOnly: boolean;
  onSelect: (id: string | undefined) => void;
  onAddText: () => void;
  onAddImage: () => void;
  onAddShape: (shape: ShapeLayer['shape']) => void;
  onOrder: (by: number) => void;
  onCopy: () => void;
  onRemove: () => void;
}) {
  const { layers, size, selected, isReadOnly } = props;
  const at = layers.findIndex((layer) => layer.id === selected);
  const isFull = layers.length >= MOST_LAYERS;
  const acts = [
    { label: 'Bring forward', icon: IconArrowUp, run: () => props.onOrder(1), off: at === layers.length - 1 },
    { label: 'Send backward', icon: IconArrowDown, run: () => props.onOrder(-1), off: at === 0 },
    { label: 'Duplicate', icon: IconCopy, run: props.onCopy, off: isFull },
    { label: 'Delete', icon: IconTrash, run: props.onRemove, off: false },
  ];
  return (
    <section aria-label="Layers">
      <Group justify="space-between" mb="xs" wrap="nowrap">
        <Text fw={600}>Layers</Text>
        {!isReadOnly && (
          <Menu position="bottom-end">
            <Menu.Target>
              <Button
                size="compact-sm"
                variant="default"
                leftSection={<IconPlus size={14} aria-hidden="true" />}
                disabled={isFull}
              >
                Add layer
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item leftSection={<IconLetterT size={16} />} onClick={props.onAddText}>
                Text
              </Menu.Item>
              <Menu.Item leftSection={<IconPhoto size={16} />} onClick={props.onAddImage}>
                Image
              </Menu.Item>
              <Menu.Item leftSection={<IconSquare size={16} />} onClick={() => props.onAddShape('rectangle')}>
                Rectangle
              </Menu.Item>
              <Menu.Item leftSection={<IconCircle size={16} />} onClick={() => props.onAddShape('ellipse')}>
                Ellipse
              </Menu.Item>
              <Menu.Item leftSection={<IconLine size={16} />} onClick={() => props.onAddShape('line')}>
                Line
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        )}
      </Group>
      <ul className={classes.layers}>
        {[...layers].reverse().map((layer) => {
          const Icon = iconOf(layer);
          return (
            <li key={layer.id}>
              <button
                type="button"
                className={classes.layer}
                aria-pressed={layer.id === selected}
                onClick={() => props.onSelect(layer.id)}
              >
                <Icon size={16} />
                <span className={classes.layerName}>{layer.name}</span>
                {frameOf(layer, size).hidden && (
                  <IconEyeOff size={14} role="img" aria-label={`Hidden in ${size}`} />
                )}
              </button>
            </li>
          );
        })}
        <li>
          <button
            type="button"
            className={classes.layer}
            aria-pressed={at < 0}
            onClick={() => props.onSelect(undefined)}
          >
            <IconSettings size={16} />
            <span className={classes.layerName}>Banner</span>
          </button>
        </li>
      </ul>
      {!isReadOnly && at >= 0 && (
        <Group gap={4} mt="xs">
          {acts.map(({ label, icon: Icon, run, off }) => (
            <Tooltip key={label} label={label}>
              <ActionIcon variant="default" size={34} aria-label={label} disabled={off} onClick={run}>
                <Icon size={16} />
              </ActionIcon>
            </Tooltip>
          ))}
        </Group>
      )}
    </section>
  );
}

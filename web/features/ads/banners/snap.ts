interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}
/** A line that a moved layer keeps to, at this place across ('x') or down ('y') the banner. */
export interface Guide {
  axis: 'x' | 'y';
  at: number;
}

function nearest(edges: readonly number[], lines: readonly number[], within: number) {
  let best: { by: number; at: number } | undefined;
  for (const edge of edges)
    for (const at of lines) {
      const by = at - edge;
      if (Math.abs(by) <= within && (!best || Math.abs(by) < Math.abs(best.by))) best = { by, at };
    }
  return best;
}

/** Moves a box so that an edge or its center meets those of the banner or of other layers, if they are near. */
export function snapped(
  box: Box,
  banner: { width: number; height: number },
  others: readonly Box[],
  within: number,
): { x: number; y: number; guides: Guide[] } {
  const all = [{ x: 0, y: 0, ...banner }, ...others];
  const across = nearest(
    [box.x, box.x + box.width / 2, box.x + box.width],
    all.flatMap((one) => [one.x, one.x + one.width / 2, one.x + one.width]),
    within,
  );
  const down = nearest(
    [box.y, box.y + box.height / 2, box.y + box.height],
    all.flatMap((one) => [one.y, one.y + one.height / 2, one.y + one.height]),
    within,
  );
  return {
    x: box.x + (across?.by ?? 0),
    y: box.y + (down?.by ?? 0),
    guides: [
      ...(across ? [{ axis: 'x' as const, at: across.at }] : []),
      ...(down ? [{ axis: 'y' as const, at: down.at }] : []),
    ],
  };
}

// The protocols as they are drawn: a colour and a pattern for each, so that nobody has to tell them apart by colour alone.
import { useEffect, useRef } from 'preact/hooks';
import { useTheme } from './theme.js';

export const protocols = ['internal', 'acp', 'ucp', 'x402', 'mpp', 'ap2', 'cross_border'] as const;
export type Protocol = (typeof protocols)[number];

const names: Readonly<Record<Protocol, string>> = {
  internal: 'Internal',
  acp: 'ACP',
  ucp: 'UCP',
  x402: 'x402',
  mpp: 'MPP',
  ap2: 'AP2',
  cross_border: 'Cross-border',
};

/** The name of a protocol for people. */
export function protocolName(protocol: string): string {
  return names[protocol as Protocol] ?? protocol;
}

/** The value of a style sheet's colour, as it is in the theme of now. */
export function colourOf(name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

type Draw = (context: CanvasRenderingContext2D, size: number) => void;

const line =
  (...ends: readonly (readonly [number, number])[]): Draw =>
  (context, size) => {
    for (let at = 0; at < ends.length; at += 2) {
      const [from, to] = [ends[at], ends[at + 1]];
      if (from === undefined || to === undefined) continue;
      context.moveTo(from[0] * size, from[1] * size);
      context.lineTo(to[0] * size, to[1] * size);
    }
  };

const rising = line([-0.25, 0.25], [0.25, -0.25], [0, 1], [1, 0], [0.75, 1.25], [1.25, 0.75]);
const falling = line([-0.25, 0.75], [0.25, 1.25], [0, 0], [1, 1], [0.75, -0.25], [1.25, 0.25]);

const patterns: Readonly<Record<Protocol, Draw>> = {
  internal: () => undefined,
  acp: rising,
  ucp: falling,
  x402: (context, size) => {
    context.rect(size * 0.35, size * 0.35, size * 0.3, size * 0.3);
  },
  mpp: line([0, 0.5], [1, 0.5]),
  ap2: line([0.5, 0], [0.5, 1]),
  cross_border: (context, size) => {
    rising(context, size);
    falling(context, size);
  },
};

const tileSize = 7;

/** What a bar of a protocol is filled with. */
export function fillOf(protocol: Protocol): CanvasPattern | string {
  const scale = Math.max(1, Math.round(devicePixelRatio));
  const tile = document.createElement('canvas');
  tile.width = tileSize * scale;
  tile.height = tileSize * scale;
  const context = tile.getContext('2d');
  if (context === null) return colourOf(`protocol-${protocol}`);
  context.fillStyle = colourOf(`protocol-${protocol}`);
  context.fillRect(0, 0, tile.width, tile.height);
  context.strokeStyle = colourOf('pattern');
  context.lineWidth = 1.4 * scale;
  context.beginPath();
  patterns[protocol](context, tile.width);
  context.stroke();
  return context.createPattern(tile, 'repeat') ?? colourOf(`protocol-${protocol}`);
}

/** A sample of what a protocol is drawn with, for a legend. */
export function Swatch({ protocol }: { protocol: Protocol }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useTheme();
  // the colours are those of the theme
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (context == null) return;
    context.fillStyle = fillOf(protocol);
    context.fillRect(0, 0, context.canvas.width, context.canvas.height);
  }, [protocol, theme]);
  const scale = Math.max(1, Math.round(devicePixelRatio));
  return (
    <span class="swatch" aria-hidden="true">
      <canvas ref={canvas} width={16 * scale} height={12 * scale} />
    </span>
  );
}

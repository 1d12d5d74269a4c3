// A node with its neighbours, drawn: the node in the middle, neighbours round it, those that are joined side by side.
// The order on the ring is found by swaps that shorten the edges among neighbours; it is the same every time.

import type { Item, Neighbour } from "../state/protocol.ts";
import { colourOf, inkOn, keyOf } from "../state/colours.ts";
import { shorten } from "../state/words.ts";

const WIDTH = 560;
const HEIGHT = 340;
export const MOST = 16; // neighbours that are drawn; the rest are counted

/** Places of the neighbours on the ring: position[i] is the place of neighbour i. */
export function ringOrder(number: number, edges: readonly (readonly [number, number])[]): number[] {
  const place = Array.from({ length: number }, (_, i) => i);
  const inner = edges.filter(([a, b]) => a < number && b < number && a !== b);
  const gap = (a: number, b: number) => {
    const distance = Math.abs(place[a]! - place[b]!);
    return Math.min(distance, number - distance);
  };
  const length = () => inner.reduce((sum, [a, b]) => sum + gap(a, b), 0);
  let best = length();
  for (let round = 0, better = true; better && round < 8; round++) {
    better = false;
    for (let a = 0; a < number; a++) {
      for (let b = a + 1; b < number; b++) {
        [place[a], place[b]] = [place[b]!, place[a]!];
        const now = length();
        if (now < best) [best, better] = [now, true];
        else [place[a], place[b]] = [place[b]!, place[a]!];
      }
    }
  }
  return place;
}

const shade = (one: Neighbour) => one.label ?? one.predicted;

export function Neighbourhood({ item }: { item: Item }) {
  const drawn = item.neighbours.slice(0, MOST);
  const rest = item.neighbours.length - drawn.length;
  const place = ringOrder(drawn.length, item.edges);
  const strongest = Math.max(...drawn.map((one) => one.weight), 1e-12);
  const spots = drawn.map((_, i) => {
    const angle = (2 * Math.PI * place[i]!) / Math.max(drawn.length, 1) - Math.PI / 2;
    return { x: WIDTH / 2 + 190 * Math.cos(angle), y: HEIGHT / 2 + 118 * Math.sin(angle), angle };
  });
  if (!drawn.length) return <p class="faint">This node has no neighbours.</p>;
  const told = drawn.map((one) => `${one.title}${one.label ? `: ${one.label}` : one.predicted ? `, perhaps ${one.predicted}` : ""}`);
  return (
    <figure class="neighbourhood">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`Neighbours of ${item.title}: ${told.join("; ")}`}>
        {item.edges
          .filter(([a, b]) => spots[a] && spots[b])
          .map(([a, b]) => (
            <line key={`${a}-${b}`} class="among" x1={spots[a]!.x} y1={spots[a]!.y} x2={spots[b]!.x} y2={spots[b]!.y} />
          ))}
        {drawn.map((one, i) => (
          <line
            key={i}
            class="spoke"
            x1={WIDTH / 2}
            y1={HEIGHT / 2}
            x2={spots[i]!.x}
            y2={spots[i]!.y}
            stroke-width={1 + (3 * one.weight) / strongest}
          />
        ))}
        <circle class="centre" cx={WIDTH / 2} cy={HEIGHT / 2} r="22" />
        <text class="centre-mark" x={WIDTH / 2} y={HEIGHT / 2} text-anchor="middle" dominant-baseline="central">
          ?
        </text>
        {drawn.map((one, i) => {
          const label = shade(one);
          const { x, y } = spots[i]!;
          const under = y >= HEIGHT / 2 - 1;
          return (
            <g key={i}>
              <title>{told[i]}</title>
              <circle
                class={one.label ? "known" : "guessed"}
                cx={x}
                cy={y}
                r="13"
                fill={one.label ? colourOf(one.label) : undefined}
                stroke={label ? colourOf(label) : undefined}
              />
              <text
                class="sign"
                x={x}
                y={y}
                text-anchor="middle"
                dominant-baseline="central"
                style={one.label ? { fill: inkOn(colourOf(one.label)) } : undefined}
              >
                {label ? keyOf(label) : ""}
              </text>
              <text class="name" x={x} y={under ? y + 28 : y - 20} text-anchor="middle">
                {shorten(one.title, 18)}
              </text>
            </g>
          );
        })}
      </svg>
      <figcaption>
        Filled: answered. Ring: predicted.{rest > 0 && ` ${rest} more neighbours are not drawn.`}
      </figcaption>
    </figure>
  );
}

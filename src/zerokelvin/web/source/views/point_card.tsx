// One point of the map: what it is, and its classes as buttons.

import { ItemBody } from "../parts/item.tsx";
import { Icon } from "../parts/small.tsx";
import { classStyle } from "../state/colours.ts";
import { labelling, page } from "../state/open_project.ts";
import type { Item, Label } from "../state/protocol.ts";
import { percent } from "../state/words.ts";
import { colours, opened } from "./map_view.tsx";

export function ClassButtons({ choose, marked }: { choose: (label: Label) => void; marked?: Label }) {
  return (
    <div class="map-classes" role="group" aria-label="Classes">
      {page.value!.classes.map((one) => (
        <button key={one.label} type="button" class={`class ${marked === one.label ? "guessed" : ""}`} style={classStyle(one.label)} onClick={() => choose(one.label)}>
          <span class="dot" aria-hidden="true">{one.key ?? ""}</span> <bdi>{one.label}</bdi>
        </button>
      ))}
    </div>
  );
}

export function PointCard({ index, item }: { index: number; item: Item }) {
  const found = colours.value;
  const name = found ? page.value!.classes[found.predicted[index]!]?.label : undefined;
  const answered = found !== null && found.source[index] !== 0;
  return (
    <section class="map-card" aria-labelledby="point-title">
      <div class="panel-head">
        <h2 id="point-title" dir="auto">{item.title}</h2>
        <button type="button" class="plain round" aria-label="Close" onClick={() => (opened.value = null)}>
          <Icon name="close" />
        </button>
      </div>
      <div class="item" tabIndex={0} role="region" aria-label="Item">
        <ItemBody item={item} />
      </div>
      {name !== undefined && (
        <p class="faint">
          {answered ? "Answered: " : "Predicted: "}
          <bdi>{name}</bdi>
          {!answered && `, ${percent(found!.confidence[index]! / 255)} sure`}
        </p>
      )}
      {page.value!.can_label && (
        <ClassButtons
          marked={name}
          choose={(label) => {
            const before = answered ? (name ?? "") : null;
            labelling.value!.relabel(item.node, label, { title: item.title, image: item.image, before });
            opened.value = null;
          }}
        />
      )}
    </section>
  );
}

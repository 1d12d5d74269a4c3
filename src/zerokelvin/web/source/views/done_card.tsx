// What is shown when there is no question: why, and what one can do now.

import { useEffect } from "preact/hooks";
import { ExportMenu } from "../parts/header.tsx";
import { Icon } from "../parts/small.tsx";
import { labelling, page } from "../state/open_project.ts";
import type { Done } from "../state/protocol.ts";
import { plural, unbroken } from "../state/words.ts";

function words(reason: Done): [string, string] {
  const others = labelling.value?.standing.value?.others.map((one) => one.reviewer) ?? [];
  switch (reason) {
    case "target-reached":
      return ["The target is reached", "You can stop here: the labels are as good as you asked for."];
    case "budget":
      return ["The budget is used up", "As many questions were asked as this project allows."];
    case "leased-to-others":
      return [
        "Others have the last questions",
        `${others.length ? others.join(", ") : "Someone"} ${others.length > 1 ? "are" : "is"} on them. If they stay open, they come to you; this page looks by itself.`,
      ];
    default:
      return ["All done", page.value?.items === 1 ? "The item has its answer." : `Every one of the ${plural(page.value?.items ?? 0, "item")} has its answer.`];
  }
}

export function DoneCard({ reason }: { reason: Done }) {
  const [title, text] = page.value?.items ? words(reason) : ["There is nothing to label", "This project has no items."];
  useEffect(() => {
    if (reason !== "leased-to-others") return;
    const timer = setInterval(() => void labelling.value?.refresh(), 4000);
    return () => clearInterval(timer);
  }, [reason]);
  const sentence = reason === "all-answered" ? "" : labelling.value?.standing.value?.sentence;
  return (
    <article class="card done" aria-labelledby="done-title">
      <div class="done-sign">
        <Icon name={reason === "leased-to-others" ? "wait" : "check"} />
      </div>
      <h2 id="done-title">{title}</h2>
      <p role="status">{text}</p>
      {sentence && page.value?.items ? <p class="reason">{unbroken(sentence)}.</p> : null}
      {page.value?.items ? (
        <div class="row centre">
          <ExportMenu main />
          <a class="plain" href="#review">
            Review the answers
          </a>
        </div>
      ) : null}
    </article>
  );
}

export function TargetBanner() {
  return (
    <div class="banner" role="status">
      <Icon name="check" />
      <span>
        <strong>The target is reached.</strong> You can stop and export; more answers make it better still.
      </span>
      <ExportMenu main />
    </div>
  );
}

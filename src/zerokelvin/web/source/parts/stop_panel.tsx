// When to stop: the target, the limit on the error that holds at any time one looks, what is left, and the certificate.

import { at } from "../state/server.ts";
import { labelling, page, project } from "../state/open_project.ts";
import type { Standing } from "../state/protocol.ts";
import { count, duration, percent, plural, unbroken } from "../state/words.ts";
import { Icon } from "./small.tsx";

/** The end of the scale: twice the target, or what the limit needs, in steps that stay still for a while. */
export function scaleEnd(limit: number | null, target: number | null): number {
  const wanted = Math.max(limit ?? 0, (target ?? 0) * 2, 0.02);
  return [0.02, 0.05, 0.1, 0.2, 0.5, 1].find((end) => wanted <= end) ?? 1;
}

function Gauge({ standing }: { standing: Standing }) {
  const { error_at_most: limit, estimate, target } = standing;
  const end = scaleEnd(limit, target);
  const place = (share: number) => `${Math.min(100, (100 * share) / end)}%`;
  return (
    <div class={`gauge ${limit !== null && target !== null && limit <= target ? "reached" : ""}`} aria-hidden="true">
      <div class="gauge-track">
        {limit !== null && <div class="gauge-fill" style={{ inlineSize: place(limit) }} />}
        {estimate !== null && <div class="gauge-dot" style={{ insetInlineStart: place(estimate) }} />}
        {target !== null && <div class="gauge-target" style={{ insetInlineStart: place(target) }} />}
      </div>
      <div class="gauge-scale">
        <span>0</span>
        <span>{percent(end)} wrong</span>
      </div>
    </div>
  );
}

/** What is known of the labels nobody was asked for; before the first check, how it comes to be known. */
export function proved(standing: Standing, share: number): string {
  const { error_at_most: limit, checks, sentence } = standing;
  if (limit !== null || checks > 0 || !/\b0 random checks/.test(sentence)) return `${unbroken(sentence).replace(/\.$/, "")}.`;
  if (!share) return "Random checks are switched off, so nothing will be proved of the labels that nobody is asked for.";
  const often = share >= 0.95 ? "Every question" : `About one question in ${Math.round(1 / share)}`;
  return `${often} is drawn at random, to measure how many of the labels that nobody is asked for are wrong. None has been answered yet.`;
}

export function StopPanel() {
  const standing = labelling.value?.standing.value;
  if (!standing) return null;
  const { error_at_most: limit, target } = standing;
  const reached = limit !== null && target !== null && limit <= target;
  const left = standing.answers_left;
  return (
    <section class="panel stop" aria-labelledby="stop-title">
      <div class="panel-head">
        <h2 id="stop-title">When to stop</h2>
        <a class="plain small" href={at(project.value, "certificate")} download={`${project.value}-certificate.json`}>
          <Icon name="download" /> Certificate
        </a>
      </div>
      <p class="stop-main">
        {limit === null ? (
          <strong>No limit yet</strong>
        ) : (
          <>
            at most <strong>{percent(limit)}</strong> wrong
          </>
        )}
        {target !== null && <span class="faint"> · target {percent(target)}</span>}
      </p>
      <Gauge standing={standing} />
      <p class="reason">{proved(standing, page.value?.audit_share ?? 0)}</p>
      <dl class="facts">
        <div>
          <dt>Answered</dt>
          <dd>
            {count(standing.answered)} <span class="faint">of {count(standing.items)}</span>
          </dd>
        </div>
        <div>
          <dt>Checks that count</dt>
          <dd>{count(standing.checks)}</dd>
        </div>
        {standing.estimate !== null && (
          <div>
            <dt>Best estimate</dt>
            <dd>{percent(standing.estimate)} wrong</dd>
          </div>
        )}
        <div class="whole">
          <dt>Until the target is proved</dt>
          <dd>
            {reached
              ? "nothing, it is reached"
              : left === null
                ? "not known yet"
                : `about ${plural(left, "answer")}${standing.seconds_left === null ? "" : `, ${duration(standing.seconds_left)}`}`}
          </dd>
        </div>
      </dl>
      {page.value && standing.others.length > 0 && (
        <p class="faint">
          <Icon name="person" /> {standing.others.map((one) => one.reviewer).join(", ")}{" "}
          {standing.others.length === 1 ? "is" : "are"} answering too.
        </p>
      )}
    </section>
  );
}

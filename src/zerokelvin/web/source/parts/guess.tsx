// The model's guess with its probability, one sentence why, and the labelled neighbours that decided. It can be hidden,
// and is hidden where the answer checks the model: a guess that is seen pulls the answer towards itself.

import type { Turn } from "../state/protocol.ts";
import { guessShown } from "../state/preferences.ts";
import { page } from "../state/open_project.ts";
import { classStyle } from "../state/colours.ts";
import { percent, shorten, unbroken } from "../state/words.ts";
import { Chip, Icon, Key, Thumb } from "./small.tsx";

export const guessVisible = (turn: Turn): boolean =>
  guessShown.value && !turn.hidden && !turn.audit && !page.value?.hide_guess && turn.label !== null;

function Hidden({ turn }: { turn: Turn }) {
  const check = turn.audit || turn.hidden;
  if (!check && turn.label === null) return <p class="faint">{turn.reason || "There is no guess yet."}</p>;
  return (
    <p class="faint">
      <Icon name="eyeOff" />{" "}
      {check
        ? "Hidden on purpose: this item was drawn at random, and your answer checks the model."
        : page.value?.hide_guess
          ? "This project hides guesses until you have answered."
          : "The guess is hidden."}
    </p>
  );
}

export function Guess({ turn }: { turn: Turn }) {
  const visible = guessVisible(turn);
  const mayShow = !turn.audit && !turn.hidden && !page.value?.hide_guess;
  const shares = [...turn.probabilities].sort((a, b) => b[1] - a[1]).slice(0, 3);
  return (
    <section class="panel guess" aria-labelledby="guess-title">
      <div class="panel-head">
        <h2 id="guess-title">Guess</h2>
        {mayShow && (
          <button
            type="button"
            class="plain small"
            aria-pressed={!guessShown.value}
            onClick={() => (guessShown.value = !guessShown.value)}
          >
            <Icon name={guessShown.value ? "eyeOff" : "eye"} /> {guessShown.value ? "Hide" : "Show"} <Key>G</Key>
          </button>
        )}
      </div>
      {!visible ? (
        <Hidden turn={turn} />
      ) : (
        <>
          <ul class="shares" aria-label="Probabilities">
            {shares.map(([label, share], place) => (
              <li key={label} class={place === 0 ? "first" : ""} style={{ ...classStyle(label), "--share": `${100 * share}%` }}>
                <bdi>{label}</bdi> <span class="number">{percent(share)}</span>
                <span class="bar" aria-hidden="true" />
              </li>
            ))}
          </ul>
          {turn.reason && <p class="reason" dir="auto">{unbroken(turn.reason)}</p>}
          {turn.because.length > 0 && (
            <ul class="because" aria-label="The answered items nearest to it">
              {turn.because.slice(0, 3).map((one) => (
                <li key={String(one.node)}>
                  <Thumb address={one.image} name={one.title} />
                  <span class="because-title" dir="auto" title={one.title}>
                    {shorten(one.title, 70)}
                  </span>
                  <Chip label={one.label} quiet />
                  <span class="near" style={{ "--share": `${100 * one.share}%` }} title={`${percent(one.share)} of what is near`}>
                    <span class="hidden">, {percent(one.share)} of what is near</span>
                  </span>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </section>
  );
}

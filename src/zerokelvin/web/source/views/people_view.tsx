// Who answers, who is on what, and how far they agree where items were asked of several.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Icon } from "../parts/small.tsx";
import { labelling, project } from "../state/open_project.ts";
import type { Reviewers } from "../state/protocol.ts";
import { at, getJson } from "../state/server.ts";
import { ago, count } from "../state/words.ts";

/** The usual words for a coefficient of agreement (Landis and Koch 1977). */
export function agreementWords(value: number): string {
  if (value < 0) return "less than by chance";
  return ["slight", "fair", "moderate", "substantial", "almost perfect"][Math.min(4, Math.floor(value / 0.2))] ?? "";
}

export function PeopleView() {
  const found = useSignal<Reviewers | null>(null);
  const problem = useSignal("");
  useEffect(() => {
    const load = async () => {
      try {
        found.value = await getJson<Reviewers>(at(project.value, "reviewers"));
        problem.value = "";
      } catch (error) {
        problem.value = (error as Error).message;
      }
    };
    void load();
    const timer = setInterval(() => void load(), 4000);
    return () => clearInterval(timer);
  }, []);
  const people = found.value;
  return (
    <section class="people" aria-labelledby="people-title">
      <h2 id="people-title">People</h2>
      {problem.value && <p class="wrong" role="alert">{problem.value}</p>}
      {people && !people.reviewers.length && <p class="empty">Nobody has answered yet.</p>}
      {people && people.reviewers.length > 0 && (
        <table class="grid">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Answers</th>
              <th scope="col">Last</th>
              <th scope="col">Now on</th>
            </tr>
          </thead>
          <tbody>
            {people.reviewers.map((one) => (
              <tr key={one.reviewer}>
                <th scope="row">
                  <bdi>{one.reviewer}</bdi>
                  {one.reviewer === labelling.value?.reviewer && <span class="faint"> (you)</span>}
                </th>
                <td>{count(one.answers)}</td>
                <td>{ago(one.last)}</td>
                <td>{one.on === null ? <span class="faint">–</span> : <bdi>{String(one.on)}</bdi>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {people && (people.kappa !== null || people.alpha !== null) && (
        <dl class="facts wide">
          {people.kappa !== null && (
            <div>
              <dt>Cohen’s κ</dt>
              <dd>
                {people.kappa.toFixed(2)} <span class="faint">{agreementWords(people.kappa)}</span>
              </dd>
            </div>
          )}
          {people.alpha !== null && (
            <div>
              <dt>Krippendorff’s α</dt>
              <dd>
                {people.alpha.toFixed(2)} <span class="faint">{agreementWords(people.alpha)}</span>
              </dd>
            </div>
          )}
        </dl>
      )}
      {people && people.overlap === 0 && people.reviewers.length > 1 && (
        <p class="faint">
          <Icon name="person" /> No item has been answered by two people yet. An overlap, under Setup, shows how far they agree.
        </p>
      )}
    </section>
  );
}

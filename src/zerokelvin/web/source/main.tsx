// The start of the page: which project, whose answers, which colours.

import { effect } from "@preact/signals";
import { render } from "preact";
import { App } from "./app.tsx";
import { announce, beginAs, followHash, labelling, openPage, page, project } from "./state/open_project.ts";
import { followTheme, reviewerName } from "./state/preferences.ts";
import { loginWanted } from "./state/server.ts";
import "./styles/base.css";
import "./styles/parts.css";
import "./styles/label.css";
import "./styles/views.css";
import "./styles/phone.css";

const host = document.getElementById("app")!;
followTheme();
followHash();
render(<App />, host);

const name = host.dataset["project"] ?? "";
if (name) void openPage(name);

effect(() => {
  if (page.value && reviewerName.peek() && !labelling.peek() && !loginWanted.value) void beginAs(reviewerName.peek());
});

effect(() => {
  const turn = labelling.value?.question.value;
  document.title = `${project.value || "Projects"} – zerokelvin`;
  if (turn) announce(`Question: ${turn.item.title.slice(0, 200)}`);
});

// All keys, and what the three ways not to answer mean.

import { useEffect, useRef } from "preact/hooks";
import { lettersAreFree } from "../state/keys.ts";
import { dialog, page } from "../state/open_project.ts";
import { Icon, Key } from "./small.tsx";

export function Help() {
  const box = useRef<HTMLDialogElement>(null);
  const open = dialog.value === "help";
  useEffect(() => {
    if (open && !box.current?.open) box.current?.showModal();
    if (!open && box.current?.open) box.current.close();
  }, [open]);
  const letters = lettersAreFree(page.value?.classes ?? []);
  const away = (key: string) => <Key>{letters ? key : `⇧${key}`}</Key>;
  const rows = [
    [<Key key="a">1</Key>, "…", <Key key="b">9</Key>, "Answer with the class that has this key"],
    ...(letters ? [] : [[<Key key="a">a</Key>, "…", <Key key="b">/</Key>, "Type the name of a class, Enter takes the first that fits"]]),
    [<Key key="a">Enter</Key>, "", "", "Agree with the guess that is shown"],
    [away("S"), "", "", "Skip: comes back after the other questions"],
    [away("U"), "", "", "Unsure: counted, comes back after 20 more answers and in the review"],
    [away("O"), "", "", "Someone else: not asked of you again, others first"],
    [<Key key="a">Z</Key>, " ", <Key key="b">⇧Z</Key>, "Undo, redo: as far back as you like"],
    [<Key key="a">←</Key>, " ", <Key key="b">→</Key>, "Choose a past answer, then a class key changes it"],
    [away("G"), "", "", "Hide or show the guess"],
    [away("D"), "", "", "Answer near-duplicates together or not"],
    [<Key key="a">Esc</Key>, "", "", "Leave what is open"],
  ];
  return (
    <dialog ref={box} aria-labelledby="help-title" onClose={() => (dialog.value = "")}>
      <div class="panel-head">
        <h2 id="help-title">Keys</h2>
        <button type="button" class="plain round" aria-label="Close" onClick={() => (dialog.value = "")}>
          <Icon name="close" />
        </button>
      </div>
      <table class="keys">
        <tbody>
          {rows.map((row, place) => (
            <tr key={place}>
              <th scope="row">
                {row[0]}
                {row[1]}
                {row[2]}
              </th>
              <td>{row[3]}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </dialog>
  );
}

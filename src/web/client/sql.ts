/** The page of SQL: writes, runs and stops queries, and shows what they answer. */
import { count } from "../../lib/sizes.ts";
import type { SqlPageData } from "../sql-data.ts";
import { notAnswered, send, wasStopped } from "./base/api.ts";
import { find, h } from "./base/dom.ts";
import { attachMenu } from "./base/menu.ts";
import { clearProblem, showProblem } from "./base/problem.ts";
import { columnsOf } from "./sql/column-order.ts";
import { csvPieces, type SqlValue } from "./sql/csv.ts";
import { Editor } from "./sql/editor.ts";
import { KeptQueries } from "./sql/kept-queries.ts";
import { showLastQueries } from "./sql/last-queries.ts";
import { sqlName } from "./sql/names.ts";
import { type Result, showResult } from "./sql/result.ts";
import { ValueFields } from "./sql/values.ts";

const data = JSON.parse(find("#sql-data").textContent ?? "") as SqlPageData;
const field = find<HTMLTextAreaElement>("#query");
const runButton = find<HTMLButtonElement>("#run");
const stopButton = find<HTMLButtonElement>("#stop");
const csvButton = find<HTMLButtonElement>("#result-csv");
const problem = find("#query-problem");
const status = find("#result-status");
const place = find("#result-place");
const kept = new KeptQueries(data.docId, document.documentElement.dataset["user"] ?? "nobody");
const values = new ValueFields(find("#query-values"));
const editor = new Editor(field, { run: () => void run(), changed });

let running: AbortController | undefined;
let result: Result | undefined;

function changed(): void {
  values.follow(editor.text);
  kept.draft = editor.text;
}

async function run(): Promise<void> {
  const sql = editor.text;
  if (running || sql.trim() === "") return;
  const stopping = new AbortController();
  running = stopping;
  clearProblem(problem);
  editor.markInvalid(false);
  show("Running …");
  const start = performance.now();
  kept.add({ sql, values: values.typed, at: Date.now() });
  try {
    const found = await ask(sql, stopping.signal);
    const ms = Math.round(performance.now() - start);
    result = found;
    showResult(place, found);
    show(`${count(found.rows.length, "row", "rows")} in ${ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`}`);
  } catch (error) {
    // What stands below answers another query than the one above.
    show(wasStopped(error) ? "Stopped." : result ? "The result of the query before:" : "");
    editor.markInvalid(!wasStopped(error));
    showProblem(problem, error, { retry: () => void run() });
  } finally {
    running = undefined;
    show();
  }
}

/** Shows what goes on, and which buttons are of use meanwhile. */
function show(text = status.textContent): void {
  status.textContent = text;
  const isRunning = running !== undefined;
  // Not disabled: that would take the focus away from it.
  runButton.setAttribute("aria-disabled", String(isRunning));
  stopButton.disabled = !isRunning;
  csvButton.hidden = !result || result.rows.length === 0;
}

async function ask(sql: string, signal: AbortSignal): Promise<Result> {
  const path = `/api/docs/${encodeURIComponent(data.docId)}/sql`;
  const response = await send(path, { method: "POST", body: { sql, args: values.values }, signal });
  const text = await response.text().catch((error: unknown) => {
    throw notAnswered(error, signal);
  });
  const { records } = JSON.parse(text) as { records: { fields: Record<string, SqlValue> }[] };
  const columns = columnsOf(text, records[0]?.fields);
  return { columns, rows: records.map(({ fields }) => columns.map((name) => fields[name] ?? null)) };
}

function download(isForSpreadsheets: boolean): void {
  if (!result) return;
  const file = new Blob([...csvPieces(result.columns, result.rows, { isForSpreadsheets })], { type: "text/csv" });
  const href = URL.createObjectURL(file);
  h("a", { href, download: `${data.name.replaceAll(/[\\/:*?"<>|\p{C}]+/gu, "_")} query.csv` }).click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

find("#query-form").addEventListener("submit", (event) => {
  event.preventDefault();
  void run();
});
stopButton.addEventListener("click", () => {
  running?.abort();
  field.focus();
});
find("#last-queries").addEventListener("click", () => {
  showLastQueries(kept, (query) => {
    editor.text = query.sql;
    changed();
    values.typed = query.values;
  });
});
attachMenu(csvButton, () => [
  { label: "As it is", icon: "download", run: () => download(false) },
  { label: "For spreadsheets, without formulas", icon: "table", run: () => download(true) },
]);

const schema = find("#schema");
const toggle = find("#schema-toggle");
toggle.addEventListener("click", () => {
  toggle.setAttribute("aria-expanded", String(schema.classList.toggle("open")));
});
schema.addEventListener("click", ({ target }) => {
  const button = target instanceof Element ? target.closest("button") : null;
  const { table, column, fold } = button?.dataset ?? {};
  if (button && fold !== undefined) {
    const isOpen = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", String(!isOpen));
    find(`#${button.getAttribute("aria-controls") ?? ""}`).hidden = isOpen;
  } else if (table !== undefined && editor.text.trim() === "") {
    editor.text = `select * from ${sqlName(table)} limit 100`;
  } else if (table !== undefined || column !== undefined) editor.insertName(sqlName(table ?? column ?? ""));
});

if (field.value === "" && kept.draft !== "") field.value = kept.draft;
values.follow(editor.text);

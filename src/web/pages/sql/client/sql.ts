/** The SQL page: edits, runs and cancels queries, and shows their results. */
import type { SqlPageData } from "../data.ts";
import { formatDuration } from "../../../base/durations.ts";
import { announce } from "../../../base/client/announce.ts";
import { api, isAborted } from "../../../base/client/api.ts";
import { find, findOptional, h } from "../../../base/client/dom.ts";
import { attachMenu } from "../../../base/client/menu.ts";
import { clearError, showError } from "../../../base/client/problem.ts";
import { t } from "../../../base/client/texts.ts";
import { csvChunks, type CsvOptions, type SqlValue } from "./csv.ts";
import { QueryEditor } from "./query-editor.ts";
import { QueryHistory } from "./query-history.ts";
import { showQueryHistory } from "./query-history-dialog.ts";
import { quoteSqlName } from "./quote-name.ts";
import { inputOf } from "./parameters.ts";
import { SavedQueries } from "./saved-queries.ts";
import { readSchema } from "./read-schema.ts";
import {
  type QueryResult,
  type ResultColumn,
  type ResultFormats,
  type ShownResult,
  showResult,
  shownText,
} from "./query-result.ts";
import { ParameterFields } from "./parameter-fields.ts";
import { initDocumentSidebar } from "../../../base/client/pages/document-sidebar.ts";

initDocumentSidebar();

const data = JSON.parse(find("#sql-data").textContent ?? "") as SqlPageData;
const field = find<HTMLTextAreaElement>("#query");
const runButton = find<HTMLButtonElement>("#run");
const stopButton = find<HTMLButtonElement>("#stop");
const csvButton = find<HTMLButtonElement>("#result-csv");
const errorContainer = find("#query-problem");
const status = find("#result-status");
const resultContainer = find("#result-place");
const queryHistory = new QueryHistory(data.docId, document.documentElement.dataset["user"] ?? "nobody");
const parameterFields = new ParameterFields(find("#query-values"));
const schema = find("#schema");
const editor = new QueryEditor(field, {
  tables: readSchema(schema),
  onRun: () => void run(),
  onChange: onEditorChange,
});

interface SqlAnswer {
  readonly columns: readonly ResultColumn[];
  readonly records: readonly { readonly fields: Readonly<Record<string, SqlValue>> }[];
}

let abortController: AbortController | undefined;
let result: QueryResult | undefined;
let formats: ResultFormats = [];

function onEditorChange(): void {
  parameterFields.update(editor.text);
  queryHistory.draft = editor.text;
}

async function run(): Promise<void> {
  const sql = editor.text;
  if (abortController || sql.trim() === "") return;
  const abort = new AbortController();
  abortController = abort;
  clearError(errorContainer);
  editor.showError(null);
  showStatus(t("sql.running"));
  const start = performance.now();
  queryHistory.add({ sql, values: parameterFields.inputs, at: Date.now() });
  try {
    const answer = await fetchResult(sql, abort.signal);
    const ms = Math.round(performance.now() - start);
    result = answer;
    formats = [];
    const shown = showResult(resultContainer, answer);
    void showFormats(answer, shown);
    showStatus(t("sql.finished", { count: answer.rows.length, duration: formatDuration(t, ms) }));
  } catch (error) {
    // The result below belongs to the previous query.
    showStatus(isAborted(error) ? t("problem.cancelled") : result ? t("sql.previousResult") : "");
    if (!isAborted(error)) editor.showError(error instanceof Error ? error.message : "");
    showError(errorContainer, error, { retry: () => void run() });
  } finally {
    abortController = undefined;
    showStatus();
  }
}

/** Shows and announces a state, and enables the buttons that apply. */
function showStatus(text = status.textContent): void {
  if (text !== status.textContent) announce(text);
  status.textContent = text;
  const isRunning = abortController !== undefined;
  // Not disabled: that would remove the focus from it.
  runButton.setAttribute("aria-disabled", String(isRunning));
  stopButton.disabled = !isRunning;
  csvButton.hidden = !result || result.rows.length === 0;
}

async function fetchResult(sql: string, signal: AbortSignal): Promise<QueryResult> {
  const path = `/api/docs/${encodeURIComponent(data.docId)}/sql`;
  const body = { sql, args: parameterFields.values, columns: true };
  const { columns, records } = await api<SqlAnswer>(path, { method: "POST", body, signal });
  return { columns, rows: records.map(({ fields }) => columns.map(({ name }) => fields[name] ?? null)) };
}

/** Cells are shown as they are stored until their formats are read, and where that fails. */
async function showFormats(answer: QueryResult, shown: ShownResult): Promise<void> {
  if (answer.rows.length === 0 || answer.columns.every(({ column }) => column === null)) return;
  try {
    const { readFormats } = await import("./result-formats.ts");
    const read = await readFormats(answer, data);
    if (result !== answer) return;
    formats = read;
    shown.setFormats(read);
  } catch {
    // The stored values are right as well.
  }
}

function download(options: CsvOptions): void {
  if (!result) return;
  const names = result.columns.map(({ name }) => name);
  const file = new Blob([...csvChunks(names, result.rows, options)], { type: "text/csv" });
  const href = URL.createObjectURL(file);
  h("a", { href, download: `${data.name.replaceAll(/[\\/:*?"<>|\p{C}]+/gu, "_")} query.csv` }).click();
  // The browser has started reading it by then.
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

find("#query-form").addEventListener("submit", (event) => {
  event.preventDefault();
  void run();
});
stopButton.addEventListener("click", () => {
  abortController?.abort();
  editor.focus();
});
find("#last-queries").addEventListener("click", () => {
  showQueryHistory(queryHistory, (query) => {
    editor.text = query.sql;
    onEditorChange();
    parameterFields.inputs = query.values;
  });
});
const saved = new SavedQueries({
  docId: data.docId,
  canSave: data.canSave,
  place: find("#query-name"),
  current: () => ({ sql: editor.text, args: parameterFields.values }),
  onOpen(query) {
    editor.text = query.sql;
    onEditorChange();
    parameterFields.inputs = query.args.map(inputOf);
  },
});
find("#saved-queries").addEventListener("click", () => void saved.list());
findOptional("#save-query")?.addEventListener("click", () => {
  if (editor.text.trim() === "") editor.focus();
  else void saved.save();
});
attachMenu(csvButton, () => [
  { label: t("sql.csv.unchanged"), icon: "download", run: () => download({ isForSpreadsheets: false }) },
  { label: t("sql.csv.spreadsheets"), icon: "table", run: () => download({ isForSpreadsheets: true }) },
  {
    label: t("sql.csv.shown"),
    icon: "table",
    run: () => download({ isForSpreadsheets: true, textOf: (value, column) => shownText(formats[column], value) }),
  },
]);

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
    editor.text = `select * from ${quoteSqlName(table)} limit 100`;
  } else if (table !== undefined || column !== undefined) editor.insertName(quoteSqlName(table ?? column ?? ""));
});

if (field.value === "" && queryHistory.draft !== "") field.value = queryHistory.draft;
parameterFields.update(editor.text);
void saved.openFromAddress();

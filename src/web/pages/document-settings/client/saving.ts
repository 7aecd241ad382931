/** Saves single settings, with Undo. */
import { announce } from "../../../base/client/announce.ts";
import { api, ApiError } from "../../../base/client/api.ts";
import { find, findOptional } from "../../../base/client/dom.ts";
import { clearError, showError } from "../../../base/client/problem.ts";
import { t } from "../../../base/client/texts.ts";
import { showToast } from "../../../base/client/toast.ts";

type Field = HTMLInputElement | HTMLSelectElement;

/** Reverts a saved setting. */
type Undo = () => Promise<unknown>;

export const documentAddress = (): string => `/api/docs/${find("#settings").dataset["document"] ?? ""}`;

/** The value that the server has. */
const savedValue = (field: Field): string =>
  field.dataset["saved"] ?? (field instanceof HTMLInputElement ? field.defaultValue : "");

export async function saveSetting(field: Field): Promise<void> {
  const { value } = field;
  const former = savedValue(field);
  if (value === former) return;
  const box = field.closest(".setting") ?? field;
  const problem = find(".problem-place", box);
  clearError(problem);
  field.removeAttribute("aria-invalid");
  setStatus(box, t("docSettings.saving"));
  try {
    const undo = await SAVES[field.name as keyof typeof SAVES](value, former);
    showValue(field, value);
    setStatus(box, t("docSettings.saved"));
    showToast(t("docSettings.changed"), {
      action: { label: t("docSettings.undo"), run: () => void revert(field, { former, undo }) },
    });
  } catch (error) {
    setStatus(box, "");
    field.setAttribute("aria-invalid", "true");
    showError(problem, error, { retry: () => void saveSetting(field) });
  }
}

async function revert(field: Field, { former, undo }: { former: string; undo: Undo }): Promise<void> {
  const box = field.closest(".setting") ?? field;
  try {
    await undo();
    showValue(field, former);
    setStatus(box, "");
    announce(t("docSettings.undone"));
  } catch (error) {
    showError(find(".problem-place", box), error, { canClose: true });
  }
}

function showValue(field: Field, value: string): void {
  field.value = value;
  field.dataset["saved"] = value;
  if (field.name === "name") showName(value);
  else showSample();
}

/** The bar above the page names the document, too. */
function showName(name: string): void {
  find("#settings").dataset["name"] = name;
  const link = findOptional(".crumbs .document-name bdi");
  if (link) link.textContent = name;
}

function setStatus(box: Element, text: string): void {
  find(".setting-status", box).textContent = text;
}

interface Info {
  readonly records: readonly { readonly id: number; readonly fields: { readonly documentSettings?: string } }[];
}

/** Changes the record of the document; others may have changed other settings meanwhile. */
async function changeInfo(fields: (settings: Record<string, unknown>) => object): Promise<Undo> {
  const address = documentAddress();
  const { records } = await api<Info>(`${address}/tables/_grist_DocInfo/records`);
  const [record] = records;
  const settings = JSON.parse(record?.fields.documentSettings || "{}") as Record<string, unknown>;
  const action = ["UpdateRecord", "_grist_DocInfo", record?.id ?? 1, fields(settings)];
  const { actionNum } = await api<{ actionNum: number }>(`${address}/apply`, { method: "POST", body: [action] });
  return () => api(`${address}/states/${actionNum}/undo`, { method: "POST" });
}

const changeFormat = (name: "locale" | "currency") => (value: string) =>
  changeInfo((settings) => {
    const { [name]: _, ...others } = settings;
    return { documentSettings: JSON.stringify(value === "" ? others : { ...others, [name]: value }) };
  });

const rename = (name: string, former: string): Promise<Undo> => {
  if (name.trim() === "") throw new ApiError("refused", t("docSettings.name.required"), {});
  return changeDocument({ name: name.trim() }, { name: former });
};

const changeDocument = async (body: object, former: object): Promise<Undo> => {
  const address = documentAddress();
  await api(address, { method: "PATCH", body });
  return () => api(address, { method: "PATCH", body: former });
};

const move = async (workspace: string, former: string): Promise<Undo> => {
  const address = `${documentAddress()}/move`;
  const moveTo = (id: string) => api(address, { method: "PATCH", body: { workspace: Number(id) } });
  await moveTo(workspace);
  return () => moveTo(former);
};

const pin = async (choice: string): Promise<Undo> => {
  const set = (isPinned: boolean) =>
    api(`${documentAddress()}/${isPinned ? "pin" : "unpin"}`, { method: "PATCH", body: {} });
  await set(choice === "yes");
  return () => set(choice !== "yes");
};

const chooseStore = async (type: string, former: string): Promise<Undo> => {
  const address = `${documentAddress()}/attachments/store`;
  await api(address, { method: "POST", body: { type } });
  return () => api(address, { method: "POST", body: { type: former } });
};

const SAVES = {
  name: rename,
  workspace: move,
  pin,
  locale: changeFormat("locale"),
  currency: changeFormat("currency"),
  timezone: (timezone: string) => changeInfo(() => ({ timezone })),
  store: chooseStore,
} as const;

/** Shows values in the chosen formats. */
export function showSample(): void {
  const sample = find("#sample");
  const valueOf = (name: string) =>
    findOptional<HTMLSelectElement>(`select[name=${name}]`)?.value ?? sample.dataset[name] ?? "";
  const [locale, currency, timeZone] = [valueOf("locale"), valueOf("currency"), valueOf("timezone")];
  try {
    const money = new Intl.NumberFormat(locale, currency === "" ? {} : { style: "currency", currency });
    const time = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short", timeZone });
    sample.textContent = [money.format(1234.5), time.format(new Date())].join(" · ");
  } catch {
    // The document can have a setting that the browser does not know.
    sample.textContent = "";
  }
}

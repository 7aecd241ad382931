/** The webhooks page: polls their status, creates and edits them. */
import type { WebhooksCreated, WebhookSecret, Webhooks } from "../../../../wire/webhooks/webhooks.ts";
import type { Webhook, WebhooksPageData } from "../data.ts";
import { api } from "../../../base/client/api.ts";
import { copyButton } from "../../../base/client/copy.ts";
import { confirmDialog, openDialog } from "../../../base/client/dialog.ts";
import { replaceChildren, find, h, icon, nameElement } from "../../../base/client/dom.ts";
import { clearError, showError } from "../../../base/client/problem.ts";
import { t } from "../../../base/client/texts.ts";
import { showToast } from "../../../base/client/toast.ts";
import { WebhookCard, type WebhookCardActions, webhookName } from "./webhook-card.ts";
import { showDeliveries } from "./deliveries.ts";
import { openWebhookForm, type WebhookFormFields } from "./webhook-form.ts";
import { initDocumentSidebar } from "../../../base/client/pages/document-sidebar.ts";

initDocumentSidebar();

/** Polling intervals: normal, while deliveries are in flight, and while the server is unavailable. */
const IDLE_POLL_MS = 5000;
const ACTIVE_POLL_MS = 1500;
const UNREACHABLE_POLL_MS = 20_000;

const data = JSON.parse(find("#webhooks-data").textContent ?? "") as WebhooksPageData;
const webhooksPath = `/api/docs/${encodeURIComponent(data.docId)}/webhooks`;
const webhookPath = ({ id }: Webhook): string => `${webhooksPath}/${encodeURIComponent(id)}`;
const list = find("#hooks");
const errorContainer = find("#hooks-problem");
const clearAll = find<HTMLButtonElement>("#clear-all");
const cards = new Map<string, WebhookCard>();
let timer: ReturnType<typeof setTimeout> | undefined;

function renderWebhooks(webhooks: readonly Webhook[]): void {
  const isKnown = new Set(webhooks.map(({ id }) => id));
  for (const [id, { element }] of cards) {
    if (isKnown.has(id)) continue;
    element.remove();
    cards.delete(id);
  }
  if (webhooks.length === 0) replaceChildren(list, emptyState());
  else if (cards.size === 0) replaceChildren(list);
  for (const webhook of webhooks) {
    const found = cards.get(webhook.id);
    if (found) {
      found.update(webhook);
      continue;
    }
    const card = new WebhookCard(webhook, webhookPath(webhook), { tables: data.tables, actions });
    cards.set(webhook.id, card);
    list.append(card.element);
  }
  clearAll.hidden = !webhooks.some(({ usage }) => usage.numWaiting > 0);
  schedulePoll(
    webhooks.some(({ fields, usage }) => fields.enabled && usage.status !== "idle") ? ACTIVE_POLL_MS : IDLE_POLL_MS,
  );
}

const emptyState = (): HTMLElement =>
  h(
    "div",
    { class: "empty" },
    icon("upload"),
    h("p", { class: "title" }, t("webhooks.none.title")),
    h("p", {}, t("webhooks.none.text")),
  );

async function refresh(): Promise<void> {
  const { webhooks } = await api<Webhooks>(webhooksPath);
  clearError(errorContainer);
  renderWebhooks(webhooks);
}

/** Polls again after the interval, unless the page is hidden. */
function schedulePoll(afterMs: number): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    if (document.visibilityState === "hidden") return;
    refresh().catch((error: unknown) => {
      showError(errorContainer, error, { retry: () => void poll() });
      schedulePoll(UNREACHABLE_POLL_MS);
    });
  }, afterMs);
}

/** Polls now. */
async function poll(): Promise<void> {
  schedulePoll(0);
}

const actions: WebhookCardActions = {
  edit: (webhook) =>
    void openWebhookForm({
      tables: data.tables,
      webhook,
      async save({ tableId, watchedColIds, ...rest }, signal) {
        const isOther = tableId !== webhook.fields.tableId;
        const body = { ...rest, ...(isOther && { tableId }), ...(!isOther && { watchedColIds }) };
        await api(webhookPath(webhook), { method: "PATCH", body, signal });
        // Another table removes watched columns, including those sent by the API.
        if (isOther) await api(webhookPath(webhook), { method: "PATCH", body: { watchedColIds }, signal });
        await refresh();
      },
    }),
  deliveries: (webhook) => showDeliveries(webhookPath(webhook), webhookName(webhook)),
  renewSecret: (webhook) => {
    let secret = "";
    void confirmDialog({
      title: t("webhooks.secret.renew.title"),
      text: t("webhooks.secret.renew.text"),
      action: t("webhooks.secret.renew.action"),
      async submit(signal) {
        ({ secret } = await api<WebhookSecret>(`${webhookPath(webhook)}/secret`, { method: "POST", body: {}, signal }));
      },
    }).then((isDone) => isDone && showSecret(secret));
  },
  clear: (webhook) =>
    void confirmDialog({
      title: t.rich("webhooks.clear.title", { name: nameElement(webhookName(webhook)) }),
      text: t("webhooks.clear.text"),
      action: t("webhooks.clear.action"),
      isDangerous: true,
      async submit(signal) {
        await api(`${webhooksPath}/queue/${encodeURIComponent(webhook.id)}`, { method: "DELETE", body: {}, signal });
        await refresh();
      },
    }),
  remove: (webhook) =>
    void confirmDialog({
      title: t.rich("webhooks.remove.title", { name: nameElement(webhookName(webhook)) }),
      text: t("webhooks.remove.text"),
      action: t("webhooks.remove"),
      isDangerous: true,
      async submit(signal) {
        await api(webhookPath(webhook), { method: "DELETE", body: {}, signal });
        await refresh();
      },
    }).then((isDone) => isDone && showToast(t.rich("webhooks.removed", { name: nameElement(webhookName(webhook)) }))),
  async setEnabled(webhook, enabled) {
    await api(webhookPath(webhook), { method: "PATCH", body: { enabled } });
    await refresh();
  },
};

function showSecret(secret: string): void {
  openDialog({
    title: t("webhooks.secret"),
    content: [
      h("p", {}, t("webhooks.secret.text")),
      h(
        "pre",
        { class: "secret", role: "group", tabindex: 0, translate: "no", "aria-label": t("webhooks.secret") },
        secret,
      ),
      h(
        "div",
        { class: "bar" },
        copyButton(t("webhooks.secret.copy"), () => secret),
      ),
    ],
  });
}

async function addWebhook(): Promise<void> {
  let secret: string | undefined;
  const isDone = await openWebhookForm({
    tables: data.tables,
    async save(fields: WebhookFormFields, signal) {
      const body = { webhooks: [{ fields }] };
      const made = await api<WebhooksCreated>(webhooksPath, { method: "POST", query: { secrets: true }, body, signal });
      secret = made.webhooks[0]?.secret;
      await refresh();
    },
  });
  if (isDone && secret !== undefined) showSecret(secret);
}

find("#add").addEventListener("click", () => void addWebhook());
clearAll.addEventListener("click", () => {
  void confirmDialog({
    title: t("webhooks.clearAll.title"),
    text: t("webhooks.clearAll.text"),
    action: t("webhooks.clearAll"),
    isDangerous: true,
    async submit(signal) {
      await api(`${webhooksPath}/queue`, { method: "DELETE", body: {}, signal });
      await refresh();
    },
  });
});
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") schedulePoll(0);
});
renderWebhooks(data.webhooks);

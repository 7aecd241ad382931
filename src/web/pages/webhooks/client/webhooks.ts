/** The page of webhooks: follows how they fare, makes and changes them. */
import type { WebhooksCreated, WebhookSecret, Webhooks } from "../../../../wire/webhooks/webhooks.ts";
import type { Webhook, WebhooksPageData } from "../data.ts";
import { api } from "../../../base/client/api.ts";
import { copyButton } from "../../../base/client/copy.ts";
import { confirmDialog, openDialog } from "../../../base/client/dialog.ts";
import { replaceChildren, find, h, icon } from "../../../base/client/dom.ts";
import { clearError, showError } from "../../../base/client/problem.ts";
import { showToast } from "../../../base/client/toast.ts";
import { WebhookCard, type WebhookCardActions, webhookName } from "./webhook-card.ts";
import { showDeliveries } from "./deliveries.ts";
import { openWebhookForm, type WebhookFormFields } from "./webhook-form.ts";

/** How often is asked: rarely, sooner while something is on its way, hardly at all while the server is away. */
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
    const card = new WebhookCard(webhook, webhookPath(webhook), actions);
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
    h("p", { class: "title" }, "No webhooks yet"),
    h("p", {}, "Add one, and another program is told of rows as they change."),
  );

async function refresh(): Promise<void> {
  const { webhooks } = await api<Webhooks>(webhooksPath);
  clearError(errorContainer);
  renderWebhooks(webhooks);
}

/** Asks again after a while, unless nobody looks. */
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

/** Asks now. */
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
        // Another table takes watched columns away, also those that came with it.
        if (isOther) await api(webhookPath(webhook), { method: "PATCH", body: { watchedColIds }, signal });
        await refresh();
      },
    }),
  deliveries: (webhook) => showDeliveries(webhookPath(webhook), webhookName(webhook)),
  renewSecret: (webhook) => {
    let secret = "";
    void confirmDialog({
      title: "Give this webhook a new signing secret?",
      text: "The secret there is cannot be shown again. With a new one, the receiver takes deliveries only when it knows that.",
      action: "Make a new secret",
      async submit(signal) {
        ({ secret } = await api<WebhookSecret>(`${webhookPath(webhook)}/secret`, { method: "POST", body: {}, signal }));
      },
    }).then((isDone) => isDone && showSecret(secret));
  },
  clear: (webhook) =>
    void confirmDialog({
      title: `Clear the queue of ${webhookName(webhook)}?`,
      text: "What waits for it is forgotten and will not be sent.",
      action: "Clear the queue",
      isDangerous: true,
      async submit(signal) {
        await api(`${webhooksPath}/queue/${encodeURIComponent(webhook.id)}`, { method: "DELETE", body: {}, signal });
        await refresh();
      },
    }),
  remove: (webhook) =>
    void confirmDialog({
      title: `Delete ${webhookName(webhook)}?`,
      text: "With it goes what waits for it, and the list of its deliveries.",
      action: "Delete",
      isDangerous: true,
      async submit(signal) {
        await api(webhookPath(webhook), { method: "DELETE", body: {}, signal });
        await refresh();
      },
    }).then((isDone) => isDone && showToast(`“${webhookName(webhook)}” is deleted.`)),
  async setEnabled(webhook, enabled) {
    await api(webhookPath(webhook), { method: "PATCH", body: { enabled } });
    await refresh();
  },
};

function showSecret(secret: string): void {
  openDialog({
    title: "Signing secret",
    content: [
      h(
        "p",
        {},
        "Deliveries are signed with it, so that the receiver knows that they are ours. It is shown this once.",
      ),
      h("pre", { class: "secret", tabindex: 0, "aria-label": "Signing secret" }, secret),
      h(
        "div",
        { class: "bar" },
        copyButton("Copy the secret", () => secret),
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
    title: "Clear all queues?",
    text: "What waits for any webhook of this document is forgotten and will not be sent.",
    action: "Clear all",
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

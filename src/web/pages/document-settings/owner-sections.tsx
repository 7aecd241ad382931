import type { FC } from "hono/jsx";
import { Icon } from "../../base/components.tsx";
import { useTexts } from "../../base/page-texts.tsx";
import { SelectSetting } from "./fields.tsx";

/** Sections of which most is for owners; the script fills in measurements. */

interface StorageProps {
  readonly store: "internal" | "external";
  readonly hasExternalStore: boolean;
  readonly isOwner: boolean;
}

export const Storage: FC<StorageProps> = ({ store, hasExternalStore, isOwner }) => {
  const t = useTexts();
  const choices = [
    { value: "internal", label: t("docSettings.store.internal") },
    { value: "external", label: t("docSettings.store.external") },
  ].filter(({ value }) => value === store || hasExternalStore || value === "internal");
  return (
    <section class="card" aria-labelledby="storage">
      <h2 id="storage">{t("docSettings.storage")}</h2>
      <SelectSetting
        name="store"
        label={t("docSettings.store")}
        value={store}
        choices={choices}
        canChange={isOwner && hasExternalStore}
      />
      {isOwner && hasExternalStore && (
        <button type="button" class="plain small" data-do="transfer">
          {t("docSettings.store.transfer")}
        </button>
      )}
      {isOwner && (
        <div id="usage" aria-live="off">
          <p class="quiet">{t("docSettings.usage.measuring")}</p>
        </div>
      )}
    </section>
  );
};

interface HistoryProps {
  /** What the server keeps. */
  readonly states: number;
  readonly size: string;
  /** The number that the owners chose. */
  readonly kept: number | null;
  readonly isOwner: boolean;
}

export const History: FC<HistoryProps> = ({ states, size, kept, isOwner }) => {
  const t = useTexts();
  return (
    <section class="card" aria-labelledby="history">
      <h2 id="history">{t("docSettings.history")}</h2>
      <p>{t("docSettings.history.limits", { count: states, size })}</p>
      <p id="kept-states" data-states={kept ?? ""} hidden={kept === null}>
        {kept !== null && t("docSettings.history.kept", { count: kept })}
      </p>
      {isOwner && (
        <button type="button" class="plain" data-do="delete-history">
          <Icon name="trash-2" />
          {t("docSettings.history.delete")}
        </button>
      )}
    </section>
  );
};

export const Timing: FC = () => {
  const t = useTexts();
  return (
    <section class="card" aria-labelledby="timing">
      <h2 id="timing">{t("docSettings.timing")}</h2>
      <p class="quiet">{t("docSettings.timing.about")}</p>
      <div id="timing-results" class="problem-place" />
      <div class="bar">
        <button type="button" class="plain" data-do="start-timing">
          {t("docSettings.timing.start")}
        </button>
        <button type="button" class="plain" data-do="refresh-timing" hidden>
          {t("docSettings.timing.refresh")}
        </button>
        <button type="button" class="plain" data-do="stop-timing" hidden>
          {t("docSettings.timing.stop")}
        </button>
      </div>
    </section>
  );
};

export const DangerZone: FC<{ sharing: string }> = ({ sharing }) => {
  const t = useTexts();
  return (
    <section class="card danger-zone" aria-labelledby="danger">
      <h2 id="danger">{t("docSettings.danger")}</h2>
      <ul>
        <li>
          <p>{t("docSettings.reload.about")}</p>
          <button type="button" class="plain" data-do="reload">
            {t("docSettings.reload")}
          </button>
        </li>
        <li>
          <p>{t("docSettings.transfer.about")}</p>
          <a class="button plain" href={sharing}>
            {t("docSettings.transfer")}
          </a>
        </li>
        <li>
          <p>{t("docSettings.remove.about")}</p>
          <button type="button" class="danger" data-do="remove">
            {t("docSettings.remove")}
          </button>
        </li>
      </ul>
    </section>
  );
};

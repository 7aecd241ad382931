/** The panel that inserts the user's key into the examples of a page. */
import type { FC } from "hono/jsx";
import { Icon } from "./components.tsx";
import { useTexts } from "./page-texts.tsx";

/** The script replaces its content with one of the same size, so that the page does not move. */
export const KeyPanel: FC<{ isSignedIn: boolean }> = ({ isSignedIn }) => {
  const t = useTexts();
  return (
    <div id="key-panel" class="scripted" data-signed-in={isSignedIn ? "" : undefined}>
      <div class="key-panel">
        <p>{t("base.key.placeholder")}</p>
        <div class="bar">
          <button type="button" class="plain small" disabled>
            <Icon name="pencil" />
            {t("base.key.paste")}
          </button>
          {isSignedIn && (
            <button type="button" class="plain small" disabled>
              <Icon name="plus" />
              {t("base.key.create")}
            </button>
          )}
        </div>
      </div>
    </div>
  );
};

import type { FC } from "hono/jsx";
import { useTexts } from "../../base/page-texts.tsx";

/** A button for using a passkey. It needs the script of the page, which shows it in browsers that know passkeys. */
export const PasskeyButton: FC<{ use: "signIn" | "factor"; next: string }> = ({ use, next }) => {
  const t = useTexts();
  return (
    <div id="passkey" class="card" data-use={use} data-next={next} hidden>
      <button type="button" class="plain">
        {t(use === "signIn" ? "signIn.passkey" : "secondFactor.passkey")}
      </button>
      <p class="note problem" hidden></p>
    </div>
  );
};

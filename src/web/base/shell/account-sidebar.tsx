/** The sidebar of the profile. */
import type { FC } from "hono/jsx";
import type { UserActor } from "../../../authorization.ts";
import type { LabelKey } from "../../texts/texts.ts";
import type { IconName } from "../icons.ts";
import { useTexts } from "../page-texts.tsx";
import { SidebarEntry, SidebarGroup } from "./sidebar.tsx";

interface ProfilePage {
  readonly to: string;
  readonly label: LabelKey;
  readonly icon: IconName;
  /** Not for users whom a reverse proxy signs in. */
  readonly needsSession?: true;
}

const PROFILE_PAGES: readonly ProfilePage[] = [
  { to: "/profile", label: "profile.title", icon: "user" },
  { to: "/profile/security", label: "security.title", icon: "lock", needsSession: true },
  { to: "/profile#sessions", label: "profile.sessions", icon: "monitor", needsSession: true },
  { to: "/profile#keys", label: "profile.keys", icon: "key-round" },
];

/** @param here the path of the current page */
export const AccountSidebar: FC<{ here: string; user: UserActor }> = ({ here, user }) => {
  const t = useTexts();
  return (
    <SidebarGroup label={t("profile.title")}>
      {PROFILE_PAGES.filter(({ needsSession }) => needsSession !== true || user.via !== "proxy").map(
        ({ to, label, icon }) => (
          <SidebarEntry to={to} icon={icon} isCurrent={to === here} label={t(label)} />
        ),
      )}
    </SidebarGroup>
  );
};

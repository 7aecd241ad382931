/** Every page with everything that can be opened on it: menus, panels, dialogs, toasts. */
import { ACCOUNT_SCENES, ADMIN_SCENES, HELP_SCENES, HOME_SCENES, NEWCOMER_SCENES } from "./home-scenes.ts";
import { CARD_SCENES } from "./card-scenes.ts";
import { FORM_SCENES } from "./form-scenes.ts";
import { FORM_BUILDER_SCENES } from "./form-builder-scenes.ts";
import { IMPORT_SCENES } from "./import-scenes.ts";
import { PAGE_SCENES } from "./page-scenes.ts";
import type { PseudoScene } from "./scenes.ts";
import { TABLE_DIALOG_SCENES } from "./table-dialog-scenes.ts";
import { SCHEMA_SCENES } from "./schema-scenes.ts";
import { TABLE_SCENES } from "./table-scenes.ts";
import { TOOL_SCENES } from "./tool-scenes.ts";
import { SAVED_VIEW_SCENES } from "./saved-view-scenes.ts";
import { VIEW_SCENES } from "./view-scenes.ts";

export const SCENES: readonly PseudoScene[] = [
  ...HOME_SCENES,
  ...ACCOUNT_SCENES,
  ...ADMIN_SCENES,
  ...HELP_SCENES,
  ...TOOL_SCENES,
  ...CARD_SCENES,
  ...VIEW_SCENES,
  ...FORM_SCENES,
  ...FORM_BUILDER_SCENES,
  // Before scenes that change rows.
  ...IMPORT_SCENES,
  ...PAGE_SCENES,
  ...TABLE_DIALOG_SCENES,
  ...TABLE_SCENES,
  ...SCHEMA_SCENES,
  ...SAVED_VIEW_SCENES,
  ...NEWCOMER_SCENES,
];

/** The API reference: copies examples, inserts the reader's key on request, and searches the help. */
import { initKeyPanel } from "../../../base/client/api-key/panel.ts";
import { initHelpSidebar } from "../../../base/client/help-sidebar.ts";

initKeyPanel();
initHelpSidebar();

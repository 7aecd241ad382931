/** The API reference: copies examples, and inserts the reader's key on request. */
import { initKeyPanel } from "../../../base/client/api-key/panel.ts";

initKeyPanel();

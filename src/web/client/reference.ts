/** The API reference: copies examples, and puts the reader's key into them on request. */
import { showKeyPanel } from "./key/panel.ts";

showKeyPanel();
